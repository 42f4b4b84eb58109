package io.matchrecognize.execution.trace

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.execution.evaluate.{ConditionEvaluator, ExpressionFailure, RunTimeFailures}
import io.matchrecognize.execution.rows.{PartitionReader, RowStore}
import io.matchrecognize.execution.sort.{RowSortingBuffer, SortSpec, SortedInput}
import io.matchrecognize.execution.within.WithinWindow
import io.matchrecognize.matcher.search.TableSearch
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.matcher.{Matcher, MatcherTuning}
import io.matchrecognize.pattern.Automaton

/** The steps of the searches of one task, a partition at a time. */
final class TraceIterator(
    program: TraceProgram,
    inputRows: Iterator[InternalRow],
    store: RowStore,
    resources: TaskResources,
    free: () => Unit
) extends Iterator[InternalRow] {
  import program.task

  private val reader = new PartitionReader(inputRows, task.input, task.partitionSpec, store)
  private val input = new ConditionEvaluator(task.clause, store, resources, isStream = false)
  input.keys = reader.firstRow
  private val failures = new RunTimeFailures(task.failureTexts, input, store)
  private val recorder = new TraceRecorder(program, store, input, failures)
  private lazy val matcher: Matcher = new RecordedMatcher(
    new PikeMatcher(
      task.clause.automaton,
      task.clause.conditions.registers,
      input,
      task.limits,
      task.rowsPerMatch.showsTimeouts,
      // A pruned path would hide the condition that it fails on.
      MatcherTuning(firstWaste = Long.MaxValue / 2),
      recorder
    )
  )
  private val window: Option[WithinWindow] =
    task.clause.window.map(new WithinWindow(_, store, input))
  private var search: TableSearch = _

  override def hasNext: Boolean = {
    while (recorder.isEmpty && (if (search == null) nextPartition() else advance())) {}
    !recorder.isEmpty
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more steps")
    recorder.take()
  }

  /** Loads the next partition; false if there is none. */
  private def nextPartition(): Boolean = {
    val loaded = failures.guard(0L)(reader.next())
    if (loaded) {
      input.reset()
      window.foreach(_.reset(0L))
      recorder.beginPartition()
      search = failures.guard(0L) {
        // Unmatched rows are results too, so that a failed attempt ends an `advance`.
        new TableSearch(store.length, matcher, task.skip, window, unmatchedRows = true)
      }
    } else free()
    loaded
  }

  private def advance(): Boolean = {
    input.matchNumber = search.currentMatchNumber
    val isFound =
      try failures.guard(search.start)(search.advance())
      catch {
        // The trace shows it, and the search ends there as the query would.
        case _: ExpressionFailure => false
      }
    if (!isFound) search = null
    true
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
   */
  def apply(
      program: TraceProgram,
      sort: SortSpec,
      rows: Iterator[InternalRow],
      rowLimit: Int
  ): TraceIterator = {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val threshold = program.task.spillThreshold
    val store = new RowStore(program.task.clause.schema, resources, threshold)
    val buffer = new RowSortingBuffer(sort, resources, threshold)
    def free(): Unit = {
      store.free()
      buffer.free()
    }
    resources.onCompletion(() => free())
    val limited = rows.zipWithIndex.map { case (row, index) =>
      if (index >= rowLimit) throw RuntimeErrors.traceRows(rowLimit)
      row
    }
    val sorted = SortedInput.ofRows(limited, buffer)(())
    new TraceIterator(program, sorted, store, resources, () => free())
  }
}
