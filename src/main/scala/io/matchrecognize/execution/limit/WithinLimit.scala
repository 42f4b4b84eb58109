package io.matchrecognize.execution.limit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection}

import io.matchrecognize.execution.compile.WithinProgram
import io.matchrecognize.execution.pointer.{PointerRow, PointerSource}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.AttemptLimit

/**
 * The limits of WITHIN: a start row and the rows after it whose leading ORDER BY key is inside the
 * bound.
 *
 * Keys ascend, so a limit has no gaps, and its end moves with its start: it is searched from the
 * last one. Only months can move an end back, by a few days or a change of clocks, since several
 * days have the same last day of the next month.
 *
 * A row whose key is NULL or NaN is alone within its limit and is within no other, wherever NULLS
 * FIRST or LAST put it.
 */
class WithinLimit(program: WithinProgram, store: Rows, source: PointerSource)
    extends GallopingSearch
    with AttemptLimit {
  private val limit = WithinArithmetic.of(program.key.dataType, program.bound, program.timeZone)
  private val pointerRow = new PointerRow(program.fields, 1, store, source)
  private val (projection, ordinal) = program.key match {
    case reference: BoundReference => (null, reference.ordinal)
    case expression => (UnsafeProjection.create(Seq(expression)), 0)
  }
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
      last = firstBeyond(start + 1, store.length, last)
      last
    }

  /** Whether a row after the start row of the limit is within it. */
  override protected def holds(row: Long): Boolean = limit.admits(key(row), ordinal)

  override protected def checkCancelled(): Unit = store.checkCancelled()

  /** Whether a row after `start` is beyond its limit. */
  def isBeyond(start: Long, row: Long): Boolean =
    !limit.begin(key(start), ordinal) || !holds(row)

  /** The last time within the limit of `start`, in microseconds. */
  def lastTime(start: Long): Long = {
    limit.begin(key(start), ordinal)
    limit.lastTime
  }

  private def key(row: Long): InternalRow = {
    pointerRow.pointers(0) = row
    if (projection == null) pointerRow else projection(pointerRow)
  }
}
