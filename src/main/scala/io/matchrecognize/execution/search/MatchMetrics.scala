package io.matchrecognize.execution.search

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** SQL metrics of the operator, by their names. */
final class MatchMetrics(metric: String => SQLMetric) extends Serializable {
  val inputRows: SQLMetric = metric("numInputRows")
  val outputRows: SQLMetric = metric("numOutputRows")
  val matches: SQLMetric = metric("numMatches")
  val partitions: SQLMetric = metric("numPartitions")
  val sortTime: SQLMetric = metric("sortTime")
  val matchTime: SQLMetric = metric("matchTime")
  val peakMemory: SQLMetric = metric("peakMemory")
  val spillSize: SQLMetric = metric("spillSize")
}

object MatchMetrics {

  /** The metrics of an operator that searches tables. */
  def create(context: SparkContext): Map[String, SQLMetric] = Map(
    "numInputRows" -> SQLMetrics.createMetric(context, "number of input rows"),
    "numOutputRows" -> SQLMetrics.createMetric(context, "number of output rows"),
    "numMatches" -> SQLMetrics.createMetric(context, "number of matches"),
    "numPartitions" -> SQLMetrics.createMetric(context, "number of row pattern partitions"),
    "sortTime" -> SQLMetrics.createNanoTimingMetric(context, "sort time"),
    "matchTime" -> SQLMetrics.createNanoTimingMetric(context, "time in pattern matching", -1L),
    "peakMemory" -> SQLMetrics.createSizeMetric(context, "peak memory", -1L),
    "spillSize" -> SQLMetrics.createSizeMetric(context, "spill size", -1L)
  )
}
