package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.rows.RowStore
import io.matchrecognize.execution.search.ClauseSearch
import io.matchrecognize.execution.truth.TaskConditions
import io.matchrecognize.matcher.MatcherTuning
import io.matchrecognize.matcher.search.{Search, StreamSearch}
import io.matchrecognize.matcher.state.{StateReader, StateWriter}
import io.matchrecognize.streaming.state.{PartitionState, StateLayout}

/**
 * The search of a clause in the partitions of a stream, one partition key after the other. One task
 * has one.
 *
 * Use for a key in a micro-batch: `begin`, `append` for the rows that became ready, in ORDER BY
 * order, `advanceTo` the watermark, `nextRow` until it returns null, `save`. What the rows so far
 * decide is returned once; the rest waits in the key's state.
 *
 * State: the head holds the progress of the search, the open attempt (`PikeMatcher`) and the last
 * rows; see [[StreamRows]] for the others. In the order of arrival it ends with the ORDER BY values
 * of the last row. A key with nothing open, no rows to look back to, no such values and, for
 * MATCH_NUMBER, no match so far leaves none.
 */
final class StreamClauseSearch private (
    program: StreamProgram,
    kept: StreamRows,
    resources: TaskResources,
    partitionIndex: Int,
    tuning: StreamTuning
) extends ClauseSearch(
      program.task,
      0,
      kept,
      new TaskConditions(program.task.conditions, kept, isStream = true),
      resources,
      partitionIndex,
      tuning.matcher
    ) {

  def this(
      program: StreamProgram,
      resources: TaskResources,
      partitionIndex: Int,
      tuning: StreamTuning = StreamTuning()
  ) = this(
    program,
    new StreamRows(
      () => new RowStore(program.clause.schema, resources, program.task.spillThreshold),
      tuning.segmentRows
    ),
    resources,
    partitionIndex,
    tuning
  )

  import DeadlineTimes.Never

  private val within = program.clause.within.map(new WatermarkedWithin(_, rows, input))
  private val deadlines = program.clause.conditions.deadlines.map { found =>
    new DeadlineTimes(found, program.clause.conditions, rows, input)
  }
  private val limit: Option[WatermarkedLimit] =
    (within ++ deadlines).reduceOption(new EarlierLimit(_, _))
  // Lazy, because its first arrays count against the limit and a failure names the partition.
  override protected lazy val search: StreamSearch = new StreamSearch(
    newPikeMatcher(),
    clause.skip,
    limit.orNull,
    clause.rowsPerMatch.showsUnmatchedRows,
    input,
    tuning.matcher
  )
  private val order = Option.when(program.inOrderOfArrival)(new ArrivalOrder(program))
  private val out = new StateWriter

  private var state: PartitionState = _
  private var hasHead = false
  private var found = 0L
  private var timedOut = 0L
  private var outOfOrder = 0L

  /** The deadline for which the operator has queued the key; set by the operator. */
  var queuedDeadline: Long = Never

  resources.onCompletion(() => free())

  /**
   * Begins a key.
   *
   * @param key
   *   the PARTITION BY values, normalised as `GroupingKey` does
   */
  def begin(key: UnsafeRow, state: PartitionState): Unit = {
    this.state = state
    found = 0
    timedOut = 0
    outOfOrder = 0
    queuedDeadline = Never
    rows.begin(state)
    begin(key)
    order.foreach(_.reset())
    val head = state.get(0)
    hasHead = head != null
    failures.guard(0L) {
      if (hasHead) restore(StateLayout.reader(head))
      else {
        within.foreach(_.reset(0))
        search.begin()
      }
    }
    deadlines.foreach(_.reset())
    limit.foreach(_.watermark = Long.MinValue)
  }

  /**
   * Adds the next ready row, which is copied. A row that precedes the last one is an error or
   * dropped and counted, in the order of arrival.
   */
  def append(row: UnsafeRow): Unit =
    order match {
      case Some(order) if !order.accepts(row) => refuse(row, order)
      case _ => failures.guard(search.next)(rows.append(row))
    }

  private def refuse(row: UnsafeRow, order: ArrivalOrder): Unit = {
    if (!program.limits.dropOutOfOrder)
      throw program.limits.outOfOrder(order.of(row), order.last, input.keys)
    outOfOrder += 1
  }

  /** No row of this time, in microseconds, or an earlier one will arrive any more. */
  def advanceTo(watermark: Long): Unit = {
    limit.foreach(_.watermark = watermark)
    order.foreach(_.advanceTo(watermark))
  }

  /**
   * The watermark, in microseconds, that decides something without another row of the key, or by
   * which its state can be removed.
   */
  def deadline: Long = if (isIdle) order.fold(Never)(_.lastTime) else search.waitsUntil

  /** Rows that the key holds. */
  def heldRows: Long = rows.length - firstKept

  /** The number of open start rows, as far as the search has begun them. */
  def openAttempts: Long = search.openStarts

  /** Matches found since `begin`. */
  def matches: Long = found

  /** Paths that timed out since `begin`. */
  def timeOuts: Long = timedOut

  /** Rows dropped since `begin` because they arrived after a row that they precede. */
  def outOfOrderRows: Long = outOfOrder

  /** Writes the key's state, after `nextRow` returned null. */
  def save(): Unit =
    if (isIdle && !isRemembered && order.forall(_.lastTime == Never)) {
      rows.remove()
      if (hasHead) state.remove(0)
    } else {
      out.clear()
      out.putByte(StateLayout.Format)
      out.putLong(queuedDeadline)
      rows.save(firstKept, out)
      search.save(out)
      within.foreach(open => out.putLong(open.inside))
      order.foreach(_.save(out))
      state.put(0, out.toBytes)
    }

  /** After the last partition. */
  def free(): Unit = rows.free()

  private def restore(in: StateReader): Unit = {
    queuedDeadline = in.getLong()
    rows.restore(in)
    search.restore(in)
    within.foreach(_.reset(in.getLong()))
    order.foreach(_.restore(in))
  }

  /** Whether nothing waits for a row. */
  private def isIdle: Boolean = search.next == rows.length

  /** Whether later rows need to know what the key has had. */
  private def isRemembered: Boolean =
    program.remembersRows && rows.length > 0 || program.numbersMatches && search.matchNumber > 0

  private def firstKept: Long = (search.next - program.lookBack).max(0L).min(rows.length)

  override protected def advance(): Boolean = search.advance(rows.length)

  override protected def count(result: Search.Result): Unit =
    if (result == Search.Match) found += 1
    else if (result == Search.TimedOut) timedOut += 1
}

/**
 * Sizes that change what a search costs, never what it finds; tests make them small.
 *
 * @param segmentRows
 *   of [[StreamRows]]
 */
final case class StreamTuning(
    matcher: MatcherTuning = MatcherTuning(),
    segmentRows: Int = StateLayout.SegmentRows
)
