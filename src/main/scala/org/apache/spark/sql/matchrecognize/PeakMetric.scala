package org.apache.spark.sql.matchrecognize

import org.apache.spark.SparkContext
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.execution.metric.{CustomMetrics, SQLMetric}
import org.apache.spark.util.AccumulatorV2

/** The largest of the tasks' values, in Spark's UI too. */
final class PeakMetric
    extends SQLMetric(CustomMetrics.buildV2CustomMetricTypeName(new PeakOfTasks), 0L) {
  override def copy(): PeakMetric = {
    val same = new PeakMetric
    same.set(value)
    same
  }

  override def merge(other: AccumulatorV2[Long, Long]): Unit = set(math.max(value, other.value))
}

object PeakMetric {
  def of(context: SparkContext, text: String): SQLMetric = {
    val metric = new PeakMetric
    metric.register(context, Some(text))
    metric
  }
}

/** Tells Spark's UI what to make of the tasks' values; it knows the metric by this class's name. */
final class PeakOfTasks extends CustomMetric {
  override def name: String = "peak"
  override def description: String = "largest of the tasks' values"
  override def aggregateTaskMetrics(values: Array[Long]): String =
    values.maxOption.getOrElse(0L).toString
}
