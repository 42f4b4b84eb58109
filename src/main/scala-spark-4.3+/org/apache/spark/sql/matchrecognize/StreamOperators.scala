package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.operators.stateful.EventTimeWatermarkExec

import io.matchrecognize.plans.{ClauseOptions, MatchRecognize}

/** The stateful operator of this Spark. */
object StreamOperators {

  /** Whether this Spark can run the clause on a stream. */
  val areSupported: Boolean = true

  def isClause(plan: SparkPlan): Boolean = plan.isInstanceOf[StreamMatchRecognizeExec]

  /** Whether it reads a stream that has a watermark. */
  def hasWatermark(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[EventTimeWatermarkExec])

  def plan(clause: MatchRecognize, child: SparkPlan): SparkPlan =
    new StreamMatchRecognizeExec(
      clause.partitionSpec,
      clause.orderSpec,
      clause.measures,
      clause.measureOutput,
      ClauseOptions(clause.rowsPerMatch, clause.afterMatchSkip, clause.pattern, clause.subsets),
      clause.definedVariables,
      clause.conditions,
      clause.within,
      clause.stream.get,
      clause.output,
      StreamBatch(None, None, None, None),
      child
    )
}
