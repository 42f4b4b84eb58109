package io.matchrecognize.execution.limit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection}

import io.matchrecognize.execution.compile.WithinProgram
import io.matchrecognize.execution.pointer.{PointerRow, PointerSource}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.{AttemptLimit, WorkMeter}

/**
 * The limits of WITHIN: a start row and the rows after it whose leading ORDER BY key is inside the
 * bound.
 *
 * Keys ascend, so a limit has no gaps, and its end moves with its start: all limits of a partition
 * together cost one pass over the keys. Only months can move an end back, by a few days or a change
 * of clocks, since several days have the same last day of the next month.
 *
 * A row whose key is NULL or NaN is alone within its limit and is within no other, wherever NULLS
 * FIRST or LAST put it.
 */
class WithinLimit(program: WithinProgram, store: Rows, source: PointerSource) extends AttemptLimit {
  private val limit = WithinArithmetic.of(program.key.dataType, program.bound, program.timeZone)
  private val pointerRow = new PointerRow(program.fields, 1, store, source)
  private val (projection, ordinal) = program.key match {
    case reference: BoundReference => (null, reference.ordinal)
    case expression => (UnsafeProjection.create(Seq(expression)), 0)
  }
  private val work = new WorkMeter(store.checkCancelled _)
  private var last = 0L

  /**
   * Begins a partition whose rows are in the store.
   *
   * @param inside
   *   the end of an earlier limit, from which the search for the next end starts; 0 for none
   */
  def reset(inside: Long): Unit = last = inside

  /** For `reset` when the partition continues with more rows. */
  def inside: Long = last

  override def end(start: Long): Long =
    if (!limit.begin(key(start), ordinal)) start + 1
    else {
      if (last <= start) last = start + 1
      val rows = store.length
      while (last < rows && admits(last)) last += 1
      while (last > start + 1 && !admits(last - 1)) last -= 1
      last
    }

  /** Whether a row after `start` is beyond its limit. */
  def isBeyond(start: Long, row: Long): Boolean =
    !limit.begin(key(start), ordinal) || !admits(row)

  /** The last time within the limit of `start`, in microseconds. */
  def lastTime(start: Long): Long = {
    limit.begin(key(start), ordinal)
    limit.lastTime
  }

  private def admits(row: Long): Boolean = {
    work.add(1)
    limit.admits(key(row), ordinal)
  }

  private def key(row: Long): InternalRow = {
    pointerRow.pointers(0) = row
    if (projection == null) pointerRow else projection(pointerRow)
  }
}
