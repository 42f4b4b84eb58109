package io.matchrecognize.execution.explain

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.pointer.{ExpressionFailure, FailurePlace}
import io.matchrecognize.execution.rows.{PartitionReader, PartitionSource, RowStore}
import io.matchrecognize.execution.search.{MatchIterator, MatchMetrics, TableClauseSearch}
import io.matchrecognize.execution.sort.{RowSortingBuffer, SortSpec, SortedInput, SortingBuffer}
import io.matchrecognize.execution.trace.AttemptWatch
import io.matchrecognize.matcher.search.{CompleteSearch, Search, TableSearch}
import io.matchrecognize.matcher.{Matcher, MatcherException, MatcherTuning}
import io.matchrecognize.pattern.Automaton

/** The searches of one task, a partition at a time, which count instead of returning rows. */
final class ExplainSearch private (
    program: ExplainProgram,
    reader: PartitionSource,
    store: RowStore,
    buffer: SortingBuffer,
    resources: TaskResources,
    metrics: MatchMetrics
) extends MatchIterator(program.task, reader, store, Some(buffer), resources, 0, metrics) {
  import ExplainSearch._

  private val findings = new Findings(program.clause)
  private val budget = new RowBudget(program.mostRead)
  private var partition: PartitionName = _
  private val counter =
    new AttemptCounter(program, store, input, findings, budget, () => partitionName)
  private val conditions = new ConditionCounts(program, store, input, findings)
  // A pruned path would hide the condition that it fails on, so that is left to large partitions.
  private lazy val matcher =
    new CountedMatcher(newPikeMatcher(MatcherTuning(firstWaste = FirstWaste), counter))
  private lazy val others = new OtherStarts(
    program,
    store,
    input,
    limit,
    findings,
    budget,
    newPikeMatcher(),
    newPikeMatcher(),
    () => partitionName
  )
  private var isSearching = false

  /** Searches all partitions. */
  def run(): Findings = {
    while (hasNext) next()
    findings.values.foreach(_.foreach(counts => if (counts != null) counts.finish()))
    findings
  }

  private def partitionName: PartitionName = {
    if (partition == null) partition = PartitionName.of(program.task.failureTexts, input.keys)
    partition
  }

  override protected def beginSearch(): Unit = {
    super.beginSearch()
    partition = null
    isSearching = true
    findings.partitions += 1
    findings.rows += store.length
    others.beginPartition()
    counter.beginPartition()
    failures.guard(0L)(conditions.countPartition())
  }

  // Unmatched rows are results too, so that a failed attempt ends an `advance`.
  override protected def newSearch(): Search with CompleteSearch =
    new TableSearch(store.length, matcher, program.task.skip, limit, unmatchedRows = true)

  override def nextRow(): UnsafeRow = {
    while (isSearching) isSearching = step()
    null
  }

  private def step(): Boolean = {
    input.matchNumber = search.currentMatchNumber
    try
      failures.guard(search.start) {
        try {
          val isFound = advance()
          if (!isFound) others.endPartition()
          isFound && !isTooLong
        } catch {
          // It ends the query, and the search here.
          case failure: ExpressionFailure =>
            fail(failure)
            false
          case failure: MatcherException =>
            fail(failure)
            false
        }
      }
    catch { case NonFatal(e) => throw failures.inExpression(e, search.start) }
  }

  /** Whether attempts overlap so much that the searches of the task would take hours. */
  private def isTooLong: Boolean = budget.isSpent && {
    findings.stopped += 1
    findings.offerStop(Place(partitionName, search.start, search.start))
    true
  }

  private def fail(error: Throwable): Unit = {
    findings.errors += 1
    val place = Place(partitionName, search.start, search.start)
    if (findings.error.forall(known => place.isBefore(known.place)))
      findings.offer(ErrorFound(place, text(error)))
  }

  private def text(error: Throwable): String = error match {
    case failure: ExpressionFailure =>
      val message = failures.inExpression(failure, search.start).getMessage.linesIterator.next()
      failure.place match {
        case FailurePlace.Condition(row, variable) =>
          s"In row ${row + 1} the condition of ${UserText.quoted(variable)} raised an error, " +
            s"which ends the query: $message"
        case _ => s"An error ends the query: $message"
      }
    case other =>
      val message =
        try failures.guard[String](search.start)(throw other)
        catch { case NonFatal(told) => told.getMessage }
      s"An error ends the query: $message"
  }

  /** Reports to the counter where attempts begin and end. */
  private final class CountedMatcher(matcher: Matcher) extends Matcher {
    override def automaton: Automaton = matcher.automaton
    override def beginPartition(rows: Long): Unit = matcher.beginPartition(rows)
    override def length: Long = matcher.length
    override def positionAt(offset: Long): Int = matcher.positionAt(offset)

    override def attempt(start: Long, end: Long): Matcher.Outcome = {
      others.skipTo(start)
      counter.begin(start, end)
      val outcome =
        try matcher.attempt(start, end)
        catch {
          case failure: Throwable =>
            counter.fail()
            throw failure
        }
      if (counter.end(outcome, matcher) == AttemptWatch.WindowEnded) others.widen(start)
      outcome
    }
  }
}

object ExplainSearch {
  private final val FirstWaste = 1L << 20

  /** The searches of a task, over a store of its own. */
  def apply(program: ExplainProgram, sort: SortSpec, rows: Iterator[InternalRow]): ExplainSearch = {
    import program.task
    // Nobody reads them.
    val metrics = new MatchMetrics(_ => new SQLMetric("sum"))
    val resources = TableClauseSearch.newResources(metrics)
    val buffer = new RowSortingBuffer(sort, resources, task.spillThreshold)
    val store = MatchIterator.newStore(task, Some(buffer), resources, metrics)
    val sorted = SortedInput.ofRows(rows, buffer)(())
    val reader = new PartitionReader(sorted, task.input, task.partitionSpec, store)
    new ExplainSearch(program, reader, store, buffer, resources, metrics)
  }
}
