package io.matchrecognize.execution.aggregate

import org.apache.spark.sql.catalyst.InternalRow

/**
 * A sum of BIGINT with the sum of the absolute values that were added. While that one is in range,
 * no partial sum overflows, in whichever order the values are added.
 */
private[execution] final class BoundedSum private (buffer: InternalRow, val magnitude: Long)
    extends AggregateState(buffer, null)

private[execution] object BoundedSum {

  /** The state `after` a row was added to `before`; null if some order might overflow. */
  def of(before: AggregateState, after: AggregateState): BoundedSum = {
    val old = before match {
      case bounded: BoundedSum => bounded.magnitude
      case _ => 0L
    }
    // TRY_SUM is NULL once it has overflowed; before, a sum is NULL only if nothing was added.
    val isLost = after.buffer.isNullAt(0) && !before.buffer.isNullAt(0)
    val added = valueOf(after) - valueOf(before)
    val magnitude = old + math.abs(added)
    if (isLost || added == Long.MinValue || magnitude < 0) null
    else new BoundedSum(after.buffer, magnitude)
  }

  private def valueOf(state: AggregateState): Long =
    if (state.buffer.isNullAt(0)) 0L else state.buffer.getLong(0)
}
