package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * Stands below the watermark of a stream and lets only rows through whose event time is not too far
 * ahead of the clock; the watermark would follow the others. Rows without a time pass.
 *
 * @param now
 *   the micro-batch's timestamp, of the type of `eventTime`
 * @param drop
 *   whether a row beyond the limit is dropped and counted; else it ends the query
 */
final case class EventTimeGuard(
    eventTime: Attribute,
    now: Expression,
    maxAheadMicros: Long,
    drop: Boolean,
    child: LogicalPlan
) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): EventTimeGuard =
    copy(child = newChild)
}
