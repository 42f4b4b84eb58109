package org.apache.spark.sql.matchrecognize

import org.apache.spark.ShuffleDependency
import org.apache.spark.rdd.RDD
import org.apache.spark.shuffle.checksum.RowBasedChecksum
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.internal.SQLConf

/**
 * Spark's exchange with a checksum of the rows in blocks. Spark makes the checksums with the
 * shuffle, so they are replaced right after it, in one of an exchange of Spark's own.
 */
trait BlockShuffle extends ShuffleExchangeExec {
  @transient private val plain: ShuffleExchangeExec = copy()

  override lazy val metrics: Map[String, SQLMetric] = plain.metrics
  override private[sql] lazy val readMetrics: Map[String, SQLMetric] = plain.readMetrics

  @transient override lazy val inputRDD: RDD[InternalRow] = plain.inputRDD

  @transient override lazy val shuffleDependency: ShuffleDependency[Int, InternalRow, InternalRow] =
    BlockChecksum.in(plain.shuffleDependency, conf)

  override protected def withNewChildInternal(newChild: SparkPlan): BlockExchange =
    BlockExchange(this, outputPartitioning, newChild)
}

/** The checksum of the rows of one shuffle partition that are written in blocks. */
final class BlockChecksum extends RowBasedChecksum {
  private var sum = 0L

  override def calculateRowChecksum(key: Any, value: Any): Long =
    BlockSums.of(value.asInstanceOf[UnsafeRow])

  override def update(key: Any, value: Any): Unit = sum += calculateRowChecksum(key, value)

  override def getValue: Long = sum
}

object BlockChecksum {

  /** Makes a shuffle, which has not begun, use it instead of Spark's own, if blocks have sums. */
  def in(
      shuffle: ShuffleDependency[Int, InternalRow, InternalRow],
      conf: SQLConf
  ): ShuffleDependency[Int, InternalRow, InternalRow] = {
    val checksums = shuffle.rowBasedChecksums
    if (BlockSums.areRead(conf)) checksums.indices.foreach(checksums(_) = new BlockChecksum)
    shuffle
  }
}
