package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.execution.SparkPlan

import io.matchrecognize.plans.MatchRecognize

/** The stateful operator is built for Spark 4.3 and newer. */
object StreamOperators {

  /** Whether this Spark can run the clause on a stream; if not, analysis refuses it. */
  val areSupported: Boolean = false

  def isClause(plan: SparkPlan): Boolean = false

  def hasWatermark(plan: SparkPlan): Boolean = false

  def plan(clause: MatchRecognize, child: SparkPlan): SparkPlan =
    throw new IllegalStateException(s"$clause over ${child.nodeName}")
}
