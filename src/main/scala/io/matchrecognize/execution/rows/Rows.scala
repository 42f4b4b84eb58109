package io.matchrecognize.execution.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.DataType

/** The kept columns of the rows of one partition, numbered from 0 and readable in any order. */
trait Rows {

  /** Number of rows known so far. */
  def length: Long

  /** Raw eight bytes of a fixed-width column of the store. */
  def fixed(column: Int, row: Long): Long

  def isNullFixed(column: Int, row: Long): Boolean

  /**
   * Writes columns of fixed width of a row to `ordinals` of another one, which has no NULLs yet.
   */
  def putFixed(row: Long, columns: Array[Int], to: UnsafeRow, ordinals: Array[Int]): Unit

  /** The variable-length columns of a row, valid until the next call. */
  def variable(row: Long): UnsafeRow

  /**
   * The chunk that has a row; null unless all have as many rows, but the last one, and a number
   * that divides `RowChunk.MaxRows`.
   */
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

/**
 * Spark's memory manager gave no memory and nothing was left to spill.
 *
 * @param bytes
 *   those that the store needs at once
 * @param isForRows
 *   whether the store needs them for rows, not for what is kept beside these
 */
final class RowStoreFull(val bytes: Long, val isForRows: Boolean = false)
    extends RuntimeException(s"no memory for $bytes bytes of rows")

/** Rows that are made one by one, none before it is asked for. */
trait RowsOnDemand extends Iterator[InternalRow] {
  private var made: InternalRow = _
  private var isEnded = false
  private var isBegun = false

  /** Whether a row has been asked for. */
  final def hasBegun: Boolean = isBegun

  /** The next row; null after the last one, and then it is not called again. */
  protected def make(): InternalRow

  override def hasNext: Boolean = {
    if (made == null && !isEnded) {
      isBegun = true
      made = make()
      isEnded = made == null
    }
    made != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    val row = made
    made = null
    row
  }
}

/** Rows as UnsafeRows, which most operators produce; others are valid until the next one. */
final class ToUnsafe(columns: Seq[Attribute]) {
  private lazy val projection =
    UnsafeProjection.create(columns.map(_.dataType).toArray[DataType])

  def apply(row: InternalRow): UnsafeRow = row match {
    case unsafe: UnsafeRow => unsafe
    case other => projection(other)
  }
}
