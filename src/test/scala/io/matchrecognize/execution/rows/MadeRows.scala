package io.matchrecognize.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows of a test, whose values are made when they are read; memory is always granted. */
private[matchrecognize] trait MadeRows extends Rows {

  /** How often somebody looked whether the task was cancelled. */
  var checks = 0L

  override def isNullFixed(column: Int, row: Long): Boolean = false
  override def putFixed(r: Long, from: Array[Int], to: UnsafeRow, ordinals: Array[Int]): Unit =
    throw new IllegalStateException
  override def variable(row: Long): UnsafeRow = throw new IllegalStateException
  override def reserve(bytes: Long): Unit = ()
  override def tryReserve(bytes: Long): Boolean = true
  override def release(bytes: Long): Unit = ()
  override def checkCancelled(): Unit = checks += 1
}
