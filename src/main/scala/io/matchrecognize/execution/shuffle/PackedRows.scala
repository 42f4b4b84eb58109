package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.task.WaitingRows

/**
 * The blocks of rows that arrive from the whole-stage code around them. That code writes values to
 * the columns of the buffer itself, while they have room. The overflow arrives here: the buffer
 * grows, or the rows wait until its blocks are written.
 */
final class PackedRows private[shuffle] (writer: BlockWriter, waiting: WaitingRows) {
  private val buffer = writer.buffer

  /** Begins with the rows that wait. */
  def begin(): Unit = while (isFull && writer.add(waiting.peek)) waiting.poll(): Unit

  /** Whether rows wait until blocks are written. */
  def isFull: Boolean = !waiting.isEmpty

  /** Rows in the buffer. */
  def length: Int = buffer.length

  /** Rows that the arrays have space for. */
  def space: Int = buffer.space

  def partitions: Array[Int] = buffer.partitionsOfRows

  def values(column: Int): Array[Long] = buffer.column(column).values

  def nulls(column: Int): Array[Byte] = buffer.column(column).nulls

  /** Writes a value of variable length of the row at `at`, or NULL; false if it does not fit. */
  def put(number: Int, text: UTF8String, at: Int): Boolean = {
    val column = buffer.variableColumn(number)
    val fits = writer.makeSpace(column, if (text == null) 0 else text.numBytes)
    if (fits) column.put(text, at)
    fits
  }

  /** The same of a field of another row. */
  def put(number: Int, row: UnsafeRow, ordinal: Int, at: Int): Boolean = {
    val column = buffer.variableColumn(number)
    val fits = writer.makeSpace(column, row.getLong(ordinal).toInt)
    if (fits) column.put(row, ordinal, at)
    fits
  }

  /** Takes a row that was not written, after `length` rows; the arrays may be others then. */
  def add(row: UnsafeRow, length: Int): Unit = {
    buffer.setLength(length)
    if (isFull || !writer.add(row)) waiting.add(row)
  }

  /** Ends the rows, `length` of them, for `next`. */
  def finish(length: Int): Unit = {
    buffer.setLength(length)
    writer.finish()
  }

  /** The next block, which is reused; null after the last one. */
  def next(): UnsafeRow = writer.nextBlock()

  /** Frees memory after the last block. */
  def close(): Unit = writer.free()
}
