package org.apache.spark.sql.matchrecognize

import org.apache.spark.ShuffleDependency
import org.apache.spark.shuffle.checksum.RowBasedChecksum
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.internal.SQLConf

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
