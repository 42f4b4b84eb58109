package io.matchrecognize.execution.trace

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.execution.pointer.ExpressionFailure
import io.matchrecognize.execution.search.{MatchIterator, MatchMetrics, TaskRows}
import io.matchrecognize.execution.sort.SortSpec
import io.matchrecognize.matcher.search.{CompleteSearch, Search, TableSearch}
import io.matchrecognize.matcher.{Matcher, MatcherException, MatcherTuning}
import io.matchrecognize.pattern.Automaton

/**
 * The searches of one task on the general engine, whose threads and attempts are watched. What was
 * seen takes the place of the rows of the results.
 */
private[trace] final class TraceSearch private (
    program: TraceProgram,
    source: TaskRows,
    metrics: MatchMetrics,
    limited: TraceSearch.LimitedRows,
    toUnsafe: UnsafeProjection
) extends MatchIterator(program.task, source, 0, metrics) {
  private val explanation =
    Option.when(program.isExplained)(new Explanation(program, store, input, failures))
  private val watch =
    explanation.getOrElse(new TraceRecorder(program, store, input, failures))
  private lazy val sentences =
    explanation.iterator.flatMap(ExplainSentences.of(_, limited.isCut)).zipWithIndex
  private lazy val matcher = new WatchedMatcher(
    newPikeMatcher(MatcherTuning(firstWaste = watch.firstWaste), watch)
  )
  private var isSearching = false
  private var isEnded = false

  override protected def beginSearch(): Unit = {
    super.beginSearch()
    failures.guard(0L)(watch.beginPartition())
    isSearching = true
  }

  // Unmatched rows are results too, so that a failed attempt ends an `advance`.
  override protected def newSearch(): Search with CompleteSearch =
    new TableSearch(store.length, matcher, program.task.skip, limit, unmatchedRows = true)

  override protected def advance(): Boolean = {
    val isFound = super.advance()
    if (isFound) count(search.kind)
    isFound
  }

  override def nextRow(): UnsafeRow = {
    var seen = watch.take()
    while (seen == null && isSearching) {
      input.matchNumber = search.currentMatchNumber
      isSearching = step()
      seen = watch.take()
    }
    if (seen == null) null else toUnsafe(seen)
  }

  /** Whether the search of the partition continues. */
  private def step(): Boolean =
    try
      failures.guard(search.start) {
        try {
          val isFound = advance()
          if (!isFound) watch.endPartition()
          isFound
        } catch {
          // It ends the query, and the search here.
          case error @ (_: ExpressionFailure | _: MatcherException)
              if watch.tells(error, search.start) =>
            false
        }
      }
    catch { case NonFatal(e) => throw failures.inExpression(e, search.start) }

  override protected def make(): InternalRow = {
    val row = if (isEnded) null else super.make()
    isEnded = row == null
    if (!isEnded) row
    else
      sentences.nextOption().fold[InternalRow](null) { case (sentence, i) =>
        toUnsafe(InternalRow(i + 1, UTF8String.fromString(sentence)))
      }
  }

  /** Reports where attempts begin and end. */
  private final class WatchedMatcher(matcher: Matcher) extends Matcher {
    override def automaton: Automaton = matcher.automaton
    override def beginPartition(rows: Long): Unit = matcher.beginPartition(rows)
    override def length: Long = matcher.length
    override def positionAt(offset: Long): Int = matcher.positionAt(offset)

    override def attempt(start: Long, end: Long): Matcher.Outcome = {
      watch.begin(start, end)
      val outcome =
        try matcher.attempt(start, end)
        catch {
          case error: Throwable =>
            watch.fail(error)
            throw error
        }
      watch.end(outcome, matcher)
      outcome
    }
  }
}

private[trace] object TraceSearch {

  /** The rows of a task up to a limit, over a store of its own. */
  def apply(
      program: TraceProgram,
      sort: SortSpec,
      rows: Iterator[InternalRow],
      metrics: MatchMetrics,
      toUnsafe: UnsafeProjection
  ): TraceSearch = {
    val limited = new LimitedRows(rows, program)
    val source = TaskRows.of(program.task, Some(sort), limited, metrics)
    new TraceSearch(program, source, metrics, limited, toUnsafe)
  }

  private final class LimitedRows(rows: Iterator[InternalRow], program: TraceProgram)
      extends Iterator[InternalRow] {
    private var read = 0
    private var isLeft = false

    /** Whether rows were left out. */
    def isCut: Boolean = isLeft

    override def hasNext: Boolean = {
      val isMore = !isLeft && rows.hasNext
      if (isMore && read == program.rowLimit) {
        if (!program.isExplained) throw RuntimeErrors.traceRows(program.rowLimit)
        isLeft = true
      }
      isMore && !isLeft
    }

    override def next(): InternalRow = {
      read += 1
      rows.next()
    }
  }
}
