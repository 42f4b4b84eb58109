package io.matchrecognize.streaming.operator

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.operators.stateful.EventTimeWatermarkExec

import io.matchrecognize.plans.MatchRecognize

/** The stateful operator of this Spark version. */
object StreamOperators {

  def isClause(plan: SparkPlan): Boolean = plan.isInstanceOf[StreamMatchRecognizeExec]

  /** Whether it reads a stream that has a watermark. */
  def hasWatermark(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[EventTimeWatermarkExec])

  def plan(node: MatchRecognize, child: SparkPlan): SparkPlan =
    new StreamMatchRecognizeExec(
      node.clause,
      node.measureOutput,
      node.stream.get,
      node.output,
      StreamBatch(None, None, None, None),
      child
    )
}
