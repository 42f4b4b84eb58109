package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SupportsNonDeterministicExpression}
import org.apache.spark.sql.catalyst.trees.UnaryLike

/**
 * Sits below the watermark of a stream and passes only rows whose event time is not too far ahead
 * of the clock; the others would advance the watermark. Rows without a time pass.
 *
 * @param now
 *   the micro-batch's timestamp, of the type of `eventTime`
 * @param drop
 *   whether a row beyond the limit is dropped and counted; otherwise it ends the query
 */
final case class EventTimeGuard(
    eventTime: Attribute,
    now: Expression,
    maxAheadMicros: Long,
    drop: Boolean,
    child: LogicalPlan
) extends LogicalPlan
    with UnaryLike[LogicalPlan]
    with SupportsNonDeterministicExpression {
  override def output: Seq[Attribute] = child.output
  // The timestamp of a batch is non-deterministic. Not a UnaryNode, because Spark would compute
  // `now` in a Project below one whose output is that of its child.
  override def allowNonDeterministicExpression: Boolean = true
  override protected def withNewChildInternal(newChild: LogicalPlan): EventTimeGuard =
    copy(child = newChild)
}
