package io.matchrecognize.execution.search

import org.apache.spark.sql.execution.metric.SQLMetric

/** SQL metrics of the operator, by their names. */
final class MatchMetrics(metric: String => SQLMetric) extends Serializable {
  val inputRows: SQLMetric = metric("numInputRows")
  val outputRows: SQLMetric = metric("numOutputRows")
  val matches: SQLMetric = metric("numMatches")
  val partitions: SQLMetric = metric("numPartitions")
  val threads: SQLMetric = metric("numThreads")
  val sortTime: SQLMetric = metric("sortTime")
  val matchTime: SQLMetric = metric("matchTime")
  val peakMemory: SQLMetric = metric("peakMemory")
  val spillSize: SQLMetric = metric("spillSize")
}
