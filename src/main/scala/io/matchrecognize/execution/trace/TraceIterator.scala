package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.execution.pointer.ExpressionFailure
import io.matchrecognize.execution.search.{MatchMetrics, TaskRows}
import io.matchrecognize.execution.sort.SortSpec
import io.matchrecognize.matcher.Matcher

/**
 * The steps of the searches of one task, a partition at a time: in place of the rows of results,
 * what the recorder has written down.
 */
final class TraceIterator private (
    program: TraceProgram,
    source: TaskRows,
    metrics: MatchMetrics,
    toUnsafe: UnsafeProjection
) extends WatchedSearch(program.task, source, metrics, firstWaste = Long.MaxValue / 2) {
  private val recorder = new TraceRecorder(program, store, input, failures)

  override protected def watch: AttemptWatch = recorder

  override protected def beginSearch(): Unit = {
    recorder.beginPartition()
    super.beginSearch()
  }

  override protected def takeSeen(): UnsafeRow =
    if (recorder.isEmpty) null else toUnsafe(recorder.take())

  override protected def step(): Boolean =
    try failures.guard(search.start)(advance())
    catch {
      // The trace shows it, and the search ends there as the query would.
      case _: ExpressionFailure => false
    }

  override protected def beginAttempt(start: Long, end: Long): Unit = recorder.begin(start, end)

  override protected def endAttempt(
      start: Long,
      outcome: Matcher.Outcome,
      matcher: Matcher
  ): Unit = recorder.end(outcome, matcher)

  override protected def failAttempt(error: Throwable): Unit = error match {
    case failure: ExpressionFailure => recorder.fail(failure)
    case _ => ()
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
      metrics: MatchMetrics,
      toUnsafe: UnsafeProjection
  ): TraceIterator = {
    val limited = rows.zipWithIndex.map { case (row, index) =>
      if (index >= rowLimit) throw RuntimeErrors.traceRows(rowLimit)
      row
    }
    val source = TaskRows.of(program.task, Some(sort), limited, metrics)
    new TraceIterator(program, source, metrics, toUnsafe)
  }
}
