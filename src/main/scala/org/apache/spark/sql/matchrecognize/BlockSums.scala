package org.apache.spark.sql.matchrecognize

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.Platform

/**
 * Sums of the hashes of rows that were packed into blocks. Spark compares the checksums of what a
 * map task and its rerun have written, in whichever order, to find out whether stages after it have
 * to run again. The same rows in another order are other blocks, so their sum takes the place of
 * the checksum of the blocks.
 */
object BlockSums {

  /** Where a block, the second field of a row, has its sum. */
  final val Offset = 4

  /** Whether Spark computes checksums of rows, which it does from 4.1 on. */
  def areRead(conf: SQLConf): Boolean =
    Seq("enabled", "enableFullRetryOnMismatch", "enableQueryLevelRollbackOnMismatch").exists {
      key =>
        val value = Try(conf.getConfString(s"spark.sql.shuffle.orderIndependentChecksum.$key"))
        value.toOption.exists(_.trim.equalsIgnoreCase("true"))
    }

  /** The sum in the block of a row. */
  def of(row: UnsafeRow): Long =
    Platform.getLong(row.getBaseObject, row.getBaseOffset + (row.getLong(1) >>> 32) + Offset)
}
