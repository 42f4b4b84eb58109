package io.matchrecognize

import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.{Tag, tagobjects}

import io.matchrecognize.execution.plan.MatchRecognizeExec

/** Runs queries in the shared session and inspects their plans. */
abstract class QuerySuite extends AnyFunSuite with SharedSession {

  /** The tag of tests that only `make test-slow` has. */
  protected val Slow: Tag = tagobjects.Slow

  protected def rows(sql: String): Seq[Row] = spark.sql(sql).collect().toSeq

  /** Keeps the rows of a view that many queries read, in their partitions. */
  protected def keep(view: String): Unit =
    withConf("spark.sql.adaptive.enabled" -> "false")(spark.catalog.cacheTable(view))

  /** The executed plan, with adaptive stages unwrapped. */
  protected def executed(frame: DataFrame): SparkPlan =
    frame.asInstanceOf[ClassicDataset[Row]].queryExecution.executedPlan

  protected def nodes(plan: SparkPlan): Seq[SparkPlan] = {
    val children = plan match {
      case adaptive: AdaptiveSparkPlanExec => Seq(adaptive.executedPlan)
      case stage: QueryStageExec => Seq(stage.plan)
      case other => other.children
    }
    plan +: children.flatMap(nodes)
  }

  protected def matchNodes(frame: DataFrame): Seq[MatchRecognizeExec] =
    nodes(executed(frame)).collect { case node: MatchRecognizeExec => node }

  /** Runs a query of one clause, and returns the metrics of the clause. */
  protected def countedMetrics(
      frame: DataFrame,
      inputRows: Long,
      partitions: Long
  ): Map[String, Long] = {
    val matches = frame.collect().length
    val metrics = matchNodes(frame).head.metrics.map { case (k, v) => k -> v.value }
    assert(metrics("numInputRows") == inputRows)
    assert(metrics("numMatches") == matches)
    assert(metrics("numOutputRows") == matches)
    assert(metrics("numPartitions") == partitions)
    assert(metrics("matchTime") > 0)
    metrics
  }
}
