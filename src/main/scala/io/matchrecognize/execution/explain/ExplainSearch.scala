package io.matchrecognize.execution.explain

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.pointer.{ExpressionFailure, FailurePlace}
import io.matchrecognize.execution.search.{MatchMetrics, TaskRows}
import io.matchrecognize.execution.sort.SortSpec
import io.matchrecognize.execution.trace.{AttemptWatch, WatchedSearch}
import io.matchrecognize.matcher.{Matcher, MatcherException}

/** The searches of one task, a partition at a time, which count instead of returning rows. */
final class ExplainSearch private (
    program: ExplainProgram,
    source: TaskRows,
    metrics: MatchMetrics
) extends WatchedSearch(program.task, source, metrics, ExplainSearch.FirstWaste) {
  private val findings = new Findings(program.clause)
  private val budget = new RowBudget(program.mostRead)
  private var partition: PartitionName = _
  private val counter =
    new AttemptCounter(program, store, input, findings, budget, () => partitionName)
  private val conditions = new ConditionCounts(program, store, input, findings)
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

  override protected def watch: AttemptWatch = counter

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
    findings.partitions += 1
    findings.rows += store.length
    others.beginPartition()
    counter.beginPartition()
    failures.guard(0L)(conditions.countPartition())
  }

  override protected def takeSeen(): UnsafeRow = null

  override protected def step(): Boolean =
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

  override protected def beginAttempt(start: Long, end: Long): Unit = {
    others.skipTo(start)
    counter.begin(start, end)
  }

  override protected def endAttempt(
      start: Long,
      outcome: Matcher.Outcome,
      matcher: Matcher
  ): Unit =
    if (counter.end(outcome, matcher) == AttemptWatch.WindowEnded) others.widen(start)

  override protected def failAttempt(error: Throwable): Unit = counter.fail()
}

object ExplainSearch {
  // Only large partitions are pruned.
  private final val FirstWaste = 1L << 20

  /** The searches of a task, over a store of its own. */
  def apply(
      program: ExplainProgram,
      sort: SortSpec,
      rows: Iterator[InternalRow],
      metrics: MatchMetrics
  ): ExplainSearch = {
    val source = TaskRows.of(program.task, Some(sort), rows, metrics)
    new ExplainSearch(program, source, metrics)
  }
}
