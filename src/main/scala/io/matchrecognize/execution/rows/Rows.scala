package io.matchrecognize.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The kept columns of the rows of one partition, numbered from 0 and readable in any order. */
trait Rows {

  /** Number of rows known so far. */
  def length: Long

  /** Raw eight bytes of a fixed-width column of the store. */
  def fixed(column: Int, row: Long): Long

  def isNullFixed(column: Int, row: Long): Boolean

  /** The variable-length columns of a row, valid until the next call. */
  def variable(row: Long): UnsafeRow

  /** The chunk of `RowChunk.MaxRows` rows that has a row; null if there are no such chunks. */
  def chunk(row: Long): RowChunk = null

  /** Acquires memory of the task for what is kept beside the rows. */
  def reserve(bytes: Long): Unit

  /** The same for what can be done without; false if there is none. */
  def tryReserve(bytes: Long): Boolean

  /** Returns memory that was acquired by either of these. */
  def release(bytes: Long): Unit

  /** Ends the task if it was killed. */
  def checkCancelled(): Unit
}

/** Spark's memory manager gave no memory and nothing was left to spill. */
final class RowStoreFull(val bytes: Long)
    extends RuntimeException(s"no memory for $bytes bytes of rows")
