package io.matchrecognize.streaming.operator

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import io.matchrecognize.shims.Stateful.EventTimeWatermarkExec

/**
 * What is below an operator, also in exchanges that are read a second time: for Spark these are
 * leaves.
 */
object InputPlan {
  def exists(plan: SparkPlan)(holds: SparkPlan => Boolean): Boolean = plan.exists {
    case reused: ReusedExchangeExec => exists(reused.child)(holds)
    case other => holds(other)
  }

  /** Whether a stream is read from an exchange a second time; a table may be. */
  def reusesStream(plan: SparkPlan): Boolean = plan.exists {
    case reused: ReusedExchangeExec =>
      exists(reused.child)(_.isInstanceOf[EventTimeWatermarkExec])
    case _ => false
  }
}
