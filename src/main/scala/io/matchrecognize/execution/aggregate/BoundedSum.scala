package io.matchrecognize.execution.aggregate

import org.apache.spark.sql.catalyst.InternalRow

/**
 * A sum of BIGINT with the sum of the absolute values that were added. While that one is in range,
 * no partial sum overflows, in whichever order the values are added.
 */
private[execution] final class BoundedSum private (buffer: InternalRow)
    extends AggregateState(buffer, null) {
  private var magnitude = 0L
}

private[execution] object BoundedSum {

  /**
   * The state with the row that the aggregator's pointer row points to; null if some order of the
   * rows might overflow.
   *
   * @param before
   *   does not change
   */
  def add(aggregator: PatternAggregator, before: AggregateState): BoundedSum = {
    val after = new BoundedSum(aggregator.copyBuffer(before))
    aggregator.update(after)
    val old = before match {
      case bounded: BoundedSum => bounded.magnitude
      case _ => 0L
    }
    // TRY_SUM is NULL once it has overflowed; before, a sum is NULL only if nothing was added.
    val isLost = after.buffer.isNullAt(0) && !before.buffer.isNullAt(0)
    val added = valueOf(after) - valueOf(before)
    after.magnitude = old + math.abs(added)
    if (isLost || added == Long.MinValue || after.magnitude < 0) null else after
  }

  private def valueOf(state: AggregateState): Long =
    if (state.buffer.isNullAt(0)) 0L else state.buffer.getLong(0)
}
