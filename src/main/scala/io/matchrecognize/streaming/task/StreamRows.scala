package io.matchrecognize.streaming.task

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.execution.rows.{RowStore, Rows}
import io.matchrecognize.matcher.state.{StateReader, StateWriter}
import io.matchrecognize.streaming.state.{SearchEntries, StateLayout}

/**
 * The rows of one partition of a stream that a later row can still need, numbered from the first
 * row that ever arrived.
 *
 * Rows since the last full segment are in memory; full segments of `SegmentRows` rows are entries
 * of the partition's state that are written once and read when one of their rows is needed, so that
 * a long open match costs a micro-batch no more than the micro-batch's own rows.
 *
 * @param newStore
 *   called twice
 */
final class StreamRows(newStore: () => RowStore) extends Rows {
  import StateLayout.SegmentRows

  // The rows from `recentBase` on.
  private val recent = newStore()
  // Rows of the segments that have been read.
  private val earlier = newStore()
  private var state: SearchEntries = _
  private var recentBase = 0L
  private var segments = 0
  // Row and entry of the first segment; segments and entries are consecutive.
  private var firstRow = 0L
  private var firstNumber = 1L
  // For each segment its first row in `earlier`, -1 if it has not been read.
  private var places = new Array[Long](0)

  override def length: Long = recentBase + recent.length

  /** The first of the rows since the last full segment. */
  def firstInMemory: Long = recentBase

  override def fixed(column: Int, row: Long): Long =
    if (row >= recentBase) recent.fixed(column, row - recentBase)
    else earlier.fixed(column, loaded(row))

  override def isNullFixed(column: Int, row: Long): Boolean =
    if (row >= recentBase) recent.isNullFixed(column, row - recentBase)
    else earlier.isNullFixed(column, loaded(row))

  override def putFixed(
      row: Long,
      columns: Array[Int],
      to: UnsafeRow,
      ordinals: Array[Int]
  ): Unit =
    if (row >= recentBase) recent.putFixed(row - recentBase, columns, to, ordinals)
    else earlier.putFixed(loaded(row), columns, to, ordinals)

  override def variable(row: Long): UnsafeRow =
    if (row >= recentBase) recent.variable(row - recentBase)
    else earlier.variable(loaded(row))

  override def reserve(bytes: Long): Unit = recent.reserve(bytes)

  override def tryReserve(bytes: Long): Boolean = recent.tryReserve(bytes)

  override def release(bytes: Long): Unit = recent.release(bytes)

  override def checkCancelled(): Unit = recent.checkCancelled()

  /** Begins a partition without rows. */
  def begin(state: SearchEntries): Unit = {
    this.state = state
    recent.clear()
    if (earlier.length > 0) earlier.clear()
    recentBase = 0
    segments = 0
    firstRow = 0
    firstNumber = 1
  }

  def append(row: UnsafeRow): Unit = recent.append(row)

  /** Resumes from what `save` wrote, after `begin`. */
  def restore(in: StateReader): Unit = {
    recentBase = in.getLong()
    segments = in.getInt()
    if (places.length < segments) places = new Array[Long](segments * 2)
    Arrays.fill(places, 0, segments, -1L)
    firstRow = recentBase - segments.toLong * SegmentRows
    firstNumber = in.getLong()
    recent.load(in.getInt(), in)
  }

  /** Writes the rows from `keep` on: full segments as entries, the others to `out`. */
  def save(keep: Long, out: StateWriter): Unit = {
    while (segments > 0 && firstRow + SegmentRows <= keep) dropSegment()
    if (segments == 0) firstRow = recentBase.max(keep)
    val rows = length
    var from = if (segments == 0) firstRow else recentBase
    while (rows - from >= SegmentRows) {
      val at = out.length
      out.putByte(StateLayout.Format)
      recent.save(from - recentBase, from + SegmentRows - recentBase, out)
      state.put(firstNumber + segments, out.cut(at))
      segments += 1
      from += SegmentRows
    }
    out.putLong(from)
    out.putInt(segments)
    out.putLong(firstNumber)
    out.putInt((rows - from).toInt)
    recent.save(from - recentBase, rows - recentBase, out)
  }

  /** At the end of the task. */
  def free(): Unit = {
    recent.free()
    earlier.free()
  }

  /** Removes all entries except the head. */
  def remove(): Unit = while (segments > 0) dropSegment()

  private def dropSegment(): Unit = {
    state.remove(firstNumber)
    firstNumber += 1
    firstRow += SegmentRows
    segments -= 1
  }

  /** The index of a segment's row in `earlier`; reads the segment if necessary. */
  private def loaded(row: Long): Long = {
    val segment = ((row - firstRow) / SegmentRows).toInt
    if (places(segment) < 0) {
      places(segment) = earlier.length
      val in = StateLayout.reader(state.get(firstNumber + segment))
      earlier.load(SegmentRows, in)
    }
    places(segment) + (row - firstRow) % SegmentRows
  }
}
