package io.matchrecognize.streaming

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution._
import io.matchrecognize.matcher.MatcherTuning
import io.matchrecognize.matcher.search.{Search, StreamSearch}
import io.matchrecognize.matcher.state.{StateReader, StateWriter}
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.streaming.state.{PartitionState, StateFormat, StateLayout}

/**
 * The search of a clause in the partitions of a stream, one partition key after the other. One task
 * has one.
 *
 * Use for a key in a micro-batch: `begin`, `append` for the rows that became ready, in ORDER BY
 * order, `advanceTo` the watermark, `next` until it gives null, `save`. What the rows so far decide
 * is given out once; the rest waits in the key's state.
 *
 * State: the head holds where the search stands, the open attempt (`PikeMatcher`) and the last
 * rows; see [[StreamRows]] for the others. A key that waits for nothing and looks back to nothing
 * leaves none.
 */
final class PartitionSearch(
    program: StreamProgram,
    resources: TaskResources,
    partitionIndex: Int,
    tuning: KeySearchTuning = KeySearchTuning.default
) extends PartitionRow {
  import PartitionSearch._

  private val clause = program.clause
  private val recent = newStore()
  private val earlier = newStore()
  private val rows = new StreamRows(recent, earlier, tuning.segmentRows)
  private val input = new ConditionEvaluator(clause, rows, resources, truths = null, recent.reserve)
  private val measures = new MeasureEvaluator(clause, None, rows, partitionIndex)
  private val mode = program.task.mode
  private val results = new ResultRows(
    measures,
    mode,
    clause.automaton.hasExclusion,
    () => resources.checkCancelled()
  )
  private val window = clause.window.map(w => new WatermarkedWindow(w, rows, input))
  private val failures = new RunTimeFailures(program.task.failureTexts, this, rows)
  // Its first arrays count for the limit: made where a failure can name the partition.
  private lazy val search = new StreamSearch(
    new PikeMatcher(
      clause.automaton,
      clause.conditions.registers,
      input,
      program.task.limits,
      mode.timeouts,
      tuning.matcher
    ),
    program.task.skip,
    window.orNull,
    mode.unmatchedRows,
    input,
    tuning.matcher
  )
  private val out = new StateWriter

  private var key: UnsafeRow = _
  private var state: PartitionState = _
  private var hasHead = false
  private var found = 0L
  private var timedOut = 0L

  /** When the state says that the operator looks at the key again; the operator's own. */
  var queuedDeadline: Long = Never

  resources.onCompletion { () =>
    recent.free()
    earlier.free()
  }

  override def firstRow: UnsafeRow = key

  /**
   * Begins the work on a key.
   *
   * @param key
   *   the PARTITION BY values, normalised as `GroupingKey` does
   */
  def begin(key: UnsafeRow, state: PartitionState): Unit = {
    this.key = key
    this.state = state
    found = 0
    timedOut = 0
    queuedDeadline = Never
    rows.begin(state)
    input.reset(key)
    measures.keys = key
    val head = state.get(0)
    hasHead = head != null
    failures.guard(0L) {
      if (hasHead) restore(StateFormat.reader(head))
      else {
        window.foreach(_.begin(0))
        search.begin()
      }
    }
  }

  /** The next row that is ready; it is copied. */
  def append(row: UnsafeRow): Unit = failures.guard(search.next)(rows.append(row))

  /** No row of this time, in microseconds, or an earlier one will come any more. */
  def advanceTo(watermark: Long): Unit = window.foreach(_.watermark = watermark)

  /** The next row that is decided, which is reused; null if the rest has to wait. */
  def next(): UnsafeRow = {
    var row = nextOfResult()
    while (row == null && advance()) row = nextOfResult()
    row
  }

  /** The watermark, in microseconds, that decides something without a row of the key. */
  def deadline: Long = window match {
    case Some(open) if search.isWaiting && !open.isClosed(search.next) => open.lastTime(search.next)
    case _ => Never
  }

  /** Rows that the key holds. */
  def heldRows: Long = rows.length - firstKept

  /** Start rows of which it is not known yet whether they match, as far as the search has begun. */
  def openAttempts: Long = search.openStarts

  /** Matches found since `begin`. */
  def matches: Long = found

  /** Paths that timed out since `begin`. */
  def timeOuts: Long = timedOut

  /** Writes the key's state, after `next` gave null. */
  def save(): Unit =
    if (waitsForNothing) {
      rows.remove()
      if (hasHead) state.remove(0)
    } else {
      out.clear()
      out.putByte(StateLayout.Format)
      out.putLong(queuedDeadline)
      rows.save(firstKept, out)
      search.save(out)
      window.foreach(open => out.putLong(open.inside))
      state.put(0, out.toBytes)
    }

  private def restore(in: StateReader): Unit = {
    queuedDeadline = in.getLong()
    rows.restore(in)
    search.restore(in)
    window.foreach(_.begin(in.getLong()))
  }

  private def waitsForNothing: Boolean =
    search.next == rows.length && !(rows.length > 0 && program.isEndless)

  private def firstKept: Long = (search.next - program.lookBack).max(0L).min(rows.length)

  private def nextOfResult(): UnsafeRow =
    try results.next()
    catch { case NonFatal(e) => throw failures.inExpression(e, search.start) }

  private def advance(): Boolean = {
    // MATCH_NUMBER() in DEFINE: `advance` may make attempts for one number only, until it matches.
    input.matchNumber = search.currentMatchNumber
    val isFound =
      try failures.guard(search.next)(search.advance(rows.length))
      catch { case NonFatal(e) => throw failures.inExpression(e, search.next) }
    isFound && takeUp()
  }

  /** False if a measure reads a row that has not come yet. */
  private def takeUp(): Boolean =
    try {
      val isComplete = !program.looksAhead || canShow()
      if (isComplete) {
        if (search.kind == Search.Match) found += 1
        else if (search.kind == Search.TimedOut) timedOut += 1
        results.begin(search)
      } else search.putBack()
      isComplete
    } catch { case NonFatal(e) => throw failures.inExpression(e, search.start) }

  private def canShow(): Boolean = {
    measures.isAhead = false
    results.begin(search)
    while (results.next() != null) {}
    !measures.isAhead
  }

  private def newStore(): RowStore = new RowStore(
    clause.schema,
    resources.memoryManager,
    resources,
    program.task.spillThreshold
  )
}

object PartitionSearch {

  /** No watermark decides anything. */
  final val Never = Long.MaxValue
}

/**
 * Sizes that change what a search costs, never what it finds; tests make them small.
 *
 * @param segmentRows
 *   rows of an entry of [[StreamRows]]; the same for all of a checkpoint
 */
final case class KeySearchTuning(matcher: MatcherTuning, segmentRows: Int)

object KeySearchTuning {
  val default: KeySearchTuning = KeySearchTuning(MatcherTuning.default, segmentRows = 256)
}
