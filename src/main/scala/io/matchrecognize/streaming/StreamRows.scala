package io.matchrecognize.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.execution.{RowStore, Rows}
import io.matchrecognize.matcher.{StateReader, StateWriter}

/**
 * The rows of one partition of a stream that a later row can still need, numbered from the first
 * row that ever came.
 *
 * Rows that have come since the last full segment are in memory; full segments of `SegmentRows`
 * rows are entries of the partition's state that are written once and read when one of their rows
 * is asked for, so that an open match of many rows costs a micro-batch no more than its own rows.
 *
 * @param recent
 *   holds the rows from `recentBase` on
 * @param earlier
 *   holds the rows of all segments once one of them was asked for
 */
final class StreamRows(recent: RowStore, earlier: RowStore) extends Rows {
  import StreamRows._

  private var state: KeyState = _
  private var recentBase = 0L
  private var segments = 0
  // Row and entry of the first segment; segments and entries follow each other without a gap.
  private var firstRow = 0L
  private var firstNumber = 1L
  private var areLoaded = false

  override def length: Long = recentBase + recent.length

  override def fixed(column: Int, row: Long): Long =
    if (row >= recentBase) recent.fixed(column, row - recentBase)
    else load().fixed(column, row - firstRow)

  override def isNullFixed(column: Int, row: Long): Boolean =
    if (row >= recentBase) recent.isNullFixed(column, row - recentBase)
    else load().isNullFixed(column, row - firstRow)

  override def variable(row: Long): UnsafeRow =
    if (row >= recentBase) recent.variable(row - recentBase)
    else load().variable(row - firstRow)

  /** Begins a partition of which no row has come. */
  def begin(state: KeyState): Unit = {
    this.state = state
    recent.clear()
    if (areLoaded) earlier.clear()
    areLoaded = false
    recentBase = 0
    segments = 0
    firstRow = 0
    firstNumber = 1
  }

  def append(row: UnsafeRow): Unit = recent.append(row)

  /** Goes on with what `save` wrote, after `begin`. */
  def restore(in: StateReader): Unit = {
    recentBase = in.getLong()
    segments = in.getInt()
    firstRow = recentBase - segments.toLong * SegmentRows
    firstNumber = in.getLong()
    var rows = in.getInt()
    while (rows > 0) {
      recent.load(in)
      rows -= 1
    }
  }

  /** Writes the rows from `keep` on: full segments as entries, the others to `out`. */
  def save(keep: Long, out: StateWriter): Unit = {
    while (segments > 0 && firstRow + SegmentRows <= keep) dropSegment()
    if (segments == 0) firstRow = recentBase.max(keep)
    val rows = length
    var from = if (segments == 0) firstRow else recentBase
    while (rows - from >= SegmentRows) {
      val at = out.length
      saveRows(from, from + SegmentRows, out)
      state.put(firstNumber + segments, out.cut(at))
      segments += 1
      from += SegmentRows
    }
    out.putLong(from)
    out.putInt(segments)
    out.putLong(firstNumber)
    out.putInt((rows - from).toInt)
    saveRows(from, rows, out)
  }

  /** Removes all entries but the head. */
  def remove(): Unit = while (segments > 0) dropSegment()

  private def saveRows(from: Long, to: Long, out: StateWriter): Unit = {
    var row = from
    while (row < to) {
      recent.save(row - recentBase, out)
      row += 1
    }
  }

  private def dropSegment(): Unit = {
    state.remove(firstNumber)
    firstNumber += 1
    firstRow += SegmentRows
    segments -= 1
  }

  private def load(): RowStore = {
    if (!areLoaded) {
      earlier.clear()
      areLoaded = true
      var segment = 0
      while (segment < segments) {
        val in = new StateReader(state.get(firstNumber + segment))
        (0 until SegmentRows).foreach(_ => earlier.load(in))
        segment += 1
      }
    }
    earlier
  }
}

private[streaming] object StreamRows {

  /** Rows of a segment. */
  final val SegmentRows = 256
}
