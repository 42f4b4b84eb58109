package io.matchrecognize.execution.search

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/**
 * SQL metrics of the operator, by their names.
 *
 * @param patterns
 *   how many of its clauses have a metric of their own
 */
final class MatchMetrics(metric: String => SQLMetric, patterns: Int = 0) extends Serializable {
  val inputRows: SQLMetric = metric("numInputRows")
  val outputRows: SQLMetric = metric("numOutputRows")
  val matches: SQLMetric = metric("numMatches")
  private val matchesOf = Array.tabulate(patterns)(i => metric(MatchMetrics.ofPattern(i)))
  val partitions: SQLMetric = metric("numPartitions")
  val sortTime: SQLMetric = metric("sortTime")
  val matchTime: SQLMetric = metric("matchTime")
  val peakMemory: SQLMetric = metric("peakMemory")
  val spillSize: SQLMetric = metric("spillSize")

  /** Counts a match of a clause. */
  def addMatch(number: Int): Unit = {
    matches += 1
    if (number < matchesOf.length) matchesOf(number) += 1
  }
}

object MatchMetrics {

  private def ofPattern(number: Int): String = s"numMatches${number + 1}"

  /**
   * The metrics of an operator that searches tables.
   *
   * @param patterns
   *   the names of clauses that have a metric of their own
   */
  def create(context: SparkContext, patterns: Seq[String] = Nil): Map[String, SQLMetric] = Map(
    "numInputRows" -> SQLMetrics.createMetric(context, "number of input rows"),
    "numOutputRows" -> SQLMetrics.createMetric(context, "number of output rows"),
    "numMatches" -> SQLMetrics.createMetric(context, "number of matches"),
    "numPartitions" -> SQLMetrics.createMetric(context, "number of row pattern partitions"),
    "sortTime" -> SQLMetrics.createNanoTimingMetric(context, "sort time"),
    "matchTime" -> SQLMetrics.createNanoTimingMetric(context, "time in pattern matching", -1L),
    "peakMemory" -> SQLMetrics.createSizeMetric(context, "peak memory", -1L),
    "spillSize" -> SQLMetrics.createSizeMetric(context, "spill size", -1L)
  ) ++ patterns.zipWithIndex.map { case (name, i) =>
    ofPattern(i) -> SQLMetrics.createMetric(context, s"number of matches of $name")
  }
}
