package org.apache.spark.sql.matchrecognize

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.AccumulatorV2

/** The largest of the tasks' values. */
final class PeakMetric extends SQLMetric("sum", 0L) {
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
