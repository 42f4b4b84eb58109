package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.execution.pointer.ExpressionFailure
import io.matchrecognize.execution.rows.{PartitionReader, PartitionSource, RowStore}
import io.matchrecognize.execution.search.{MatchIterator, MatchMetrics, TableClauseSearch}
import io.matchrecognize.execution.sort.{RowSortingBuffer, SortSpec, SortedInput, SortingBuffer}
import io.matchrecognize.matcher.search.{CompleteSearch, Search, TableSearch}
import io.matchrecognize.matcher.{Matcher, MatcherTuning}
import io.matchrecognize.pattern.Automaton

/**
 * The steps of the searches of one task, a partition at a time: in place of the rows of results,
 * what the recorder has written down.
 */
final class TraceIterator private (
    program: TraceProgram,
    reader: PartitionSource,
    store: RowStore,
    buffer: SortingBuffer,
    resources: TaskResources,
    metrics: MatchMetrics,
    toUnsafe: UnsafeProjection
) extends MatchIterator(program.task, reader, store, Some(buffer), resources, 0, metrics) {
  private val recorder = new TraceRecorder(program, store, input, failures)
  // A pruned path would hide the condition that it fails on.
  private lazy val matcher =
    new RecordedMatcher(newPikeMatcher(MatcherTuning(firstWaste = Long.MaxValue / 2), recorder))
  private var isSearching = false

  override protected def beginSearch(): Unit = {
    recorder.beginPartition()
    super.beginSearch()
    isSearching = true
  }

  // Unmatched rows are results too, so that a failed attempt ends an `advance`.
  override protected def newSearch(): Search with CompleteSearch =
    new TableSearch(store.length, matcher, program.task.skip, limit, unmatchedRows = true)

  override def nextRow(): UnsafeRow = {
    while (recorder.isEmpty && isSearching) isSearching = step()
    if (recorder.isEmpty) null else toUnsafe(recorder.take())
  }

  private def step(): Boolean = {
    input.matchNumber = search.currentMatchNumber
    try failures.guard(search.start)(advance())
    catch {
      // The trace shows it, and the search ends there as the query would.
      case _: ExpressionFailure => false
    }
  }

  /** Reports to the recorder where attempts begin and end. */
  private final class RecordedMatcher(matcher: Matcher) extends Matcher {
    override def automaton: Automaton = matcher.automaton
    override def beginPartition(rows: Long): Unit = matcher.beginPartition(rows)
    override def length: Long = matcher.length
    override def positionAt(offset: Long): Int = matcher.positionAt(offset)

    override def attempt(start: Long, end: Long): Matcher.Outcome = {
      recorder.begin(start, end)
      try {
        val outcome = matcher.attempt(start, end)
        recorder.end(outcome, matcher)
        outcome
      } catch {
        case failure: ExpressionFailure =>
          recorder.fail(failure)
          throw failure
      }
    }
  }
}

object TraceIterator {

  /**
   * The iterator of a task, over a store of its own.
   *
   * @param rowLimit
   *   more are an error
   * @param toUnsafe
   *   of the steps
   */
  def apply(
      program: TraceProgram,
      sort: SortSpec,
      rows: Iterator[InternalRow],
      rowLimit: Int,
      toUnsafe: UnsafeProjection
  ): TraceIterator = {
    import program.task
    // Nobody reads them.
    val metrics = new MatchMetrics(_ => new SQLMetric("sum"))
    val resources = TableClauseSearch.newResources(metrics)
    val buffer = new RowSortingBuffer(sort, resources, task.spillThreshold)
    val store = MatchIterator.newStore(task, Some(buffer), resources, metrics)
    val limited = rows.zipWithIndex.map { case (row, index) =>
      if (index >= rowLimit) throw RuntimeErrors.traceRows(rowLimit)
      row
    }
    val sorted = SortedInput.ofRows(limited, buffer)(())
    val reader = new PartitionReader(sorted, task.input, task.partitionSpec, store)
    new TraceIterator(program, reader, store, buffer, resources, metrics, toUnsafe)
  }
}
