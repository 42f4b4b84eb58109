package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Real-Time Mode, which has no stateful operators before Spark 4.3. */
object RealTimeMode {
  def isUsedBy(plan: LogicalPlan): Boolean = false

  def allowlistKey: String = "spark.sql.streaming.realTimeMode.allowlistCheck"

  def checksAllowlist: Boolean = true
}

/** A node with state in a stream, for which Spark does not ask before 4.3. */
trait StatefulNode extends LogicalPlan
