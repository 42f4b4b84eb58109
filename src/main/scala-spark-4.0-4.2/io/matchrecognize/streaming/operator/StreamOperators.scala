package io.matchrecognize.streaming.operator

import org.apache.spark.sql.execution.SparkPlan

import io.matchrecognize.plans.MatchRecognize

/** The stateful operator is built for Spark 4.3 and newer. */
object StreamOperators {

  def isClause(plan: SparkPlan): Boolean = false

  def hasWatermark(plan: SparkPlan): Boolean = false

  def plan(clause: MatchRecognize, child: SparkPlan): SparkPlan =
    throw new IllegalStateException(s"$clause over ${child.nodeName}")
}
