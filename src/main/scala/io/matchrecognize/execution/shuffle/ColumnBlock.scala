package io.matchrecognize.execution.shuffle

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods

import io.matchrecognize.execution.rows.RowChunk.copyWords
import io.matchrecognize.execution.rows.{RowChunk, StoreSchema}
import io.matchrecognize.execution.task.HeapArrays

/**
 * The rows of a block, readable in any order. Arrays are by the ordinals of the columns. Rows that
 * did not arrive in blocks are whole UnsafeRows in the only column of theirs.
 *
 * @param fields
 *   by column and row what an UnsafeRow has in its eight bytes: the value, or the offset and size
 *   of a value of variable length in `bytes`
 * @param nulls
 *   by column a bit for each row, of 1 for NULL; null if no row is NULL
 * @param bytes
 *   by column the values of variable length, and a word more
 * @param hasRows
 *   whether the only column has whole rows, which are appended to it
 */
final class ColumnBlock private (
    private var rows: Int,
    val fields: Array[Array[Long]],
    val nulls: Array[Array[Long]],
    val bytes: Array[Array[Byte]],
    val hasRows: Boolean = false
) {
  import ColumnBlock._

  def length: Int = rows

  /** Adds a whole row, whose place in the bytes is given, to a block of such rows. */
  private[execution] def append(place: Long): Unit = {
    fields(0)(rows) = place
    rows += 1
  }

  def isNull(column: Int, row: Int): Boolean = {
    val bits = nulls(column)
    bits != null && (bits(row >> 6) & (1L << (row & 63))) != 0
  }

  /** Bytes that the block takes, which are more than those of its values if it has few rows. */
  def size: Long = {
    var size = ObjectBytes
    fields.foreach(column => size += ColumnBytes + 8L * column.length)
    nulls.foreach(bits => if (bits != null) size += HeapArrays.HeaderBytes + bits.length * 8L)
    bytes.foreach { values =>
      if (values != null) size += HeapArrays.HeaderBytes + HeapArrays.filled(values.length.toLong)
    }
    size
  }
}

object ColumnBlock {

  /** Of the object and its three arrays by column. */
  private final val ObjectBytes = 32L + 3 * HeapArrays.HeaderBytes

  /** Of a column: its place in these arrays, in that of a reader, and its array of fields. */
  private final val ColumnBytes = 4 * 4L + HeapArrays.HeaderBytes

  /** Bytes of a block of whole rows beside its arrays. */
  private[execution] final val RowsBytes: Long = ObjectBytes + ColumnBytes + HeapArrays.HeaderBytes

  /** An empty block of whole rows. */
  private[execution] def ofRows(): ColumnBlock = new ColumnBlock(
    0,
    Array(Array.emptyLongArray),
    Array(null),
    Array(Array.emptyByteArray),
    hasRows = true
  )

  /** Decodes the block that is the second field of a row. */
  def of(schema: StoreSchema, row: UnsafeRow): ColumnBlock = {
    val in = new BlockInput(row)
    val length = in.getLength()
    val columns = schema.fixed.length + schema.variable.length
    val fields = new Array[Array[Long]](columns)
    val nulls = new Array[Array[Long]](columns)
    val bytes = new Array[Array[Byte]](columns)
    val block = new ColumnBlock(length, fields, nulls, bytes)
    schema.fixed.foreach { c =>
      nulls(c) = in.getNulls(length)
      fields(c) = in.getNumbers(length)
    }
    schema.variable.foreach { c =>
      nulls(c) = in.getNulls(length)
      fields(c) = in.getNumbers(length)
      bytes(c) = in.getBytes(place(block, c))
    }
    block
  }

  /** Puts the offsets of a column's values beside their sizes; the size of all. */
  private def place(block: ColumnBlock, column: Int): Int = {
    val fields = block.fields(column)
    var end = 0L
    var i = 0
    while (i < block.length) {
      if (!block.isNull(column, i)) {
        val size = fields(i)
        fields(i) |= end << 32
        end += size
      }
      i += 1
    }
    end.toInt
  }
}

/**
 * Makes UnsafeRows of some columns of blocks; a row is valid until the next call.
 *
 * @param ordinals
 *   the columns; all of them if blocks have whole rows
 * @param places
 *   where they are in the row
 * @param columns
 *   number of the row's columns: nobody reads the others
 */
final class BlockRow(ordinals: Array[Int], places: Array[Int], columns: Int) {
  import BlockRow._

  /** Rows of just these columns. */
  def this(ordinals: Array[Int]) =
    this(ordinals, Array.range(0, ordinals.length), ordinals.length)

  private val bitSetBytes = UnsafeRow.calculateBitSetWidthInBytes(columns)
  private val fixedBytes = RowChunk.bytesOfFields(columns)
  private var buffer = new Array[Byte](fixedBytes + FirstBytes)
  private val row = new UnsafeRow(columns)

  def of(block: ColumnBlock, at: Int): UnsafeRow =
    if (block.hasRows) {
      val place = block.fields(0)(at)
      row.pointTo(block.bytes(0), Start + (place >>> 32), place.toInt)
      row
    } else ofColumns(block, at)

  private def ofColumns(block: ColumnBlock, at: Int): UnsafeRow = {
    RowChunk.clearWords(buffer, Start, bitSetBytes)
    var end = fixedBytes
    var c = 0
    while (c < ordinals.length) {
      val (ordinal, place) = (ordinals(c), places(c))
      var field = block.fields(ordinal)(at)
      if (block.isNull(ordinal, at)) {
        BitSetMethods.set(buffer, Start, place)
        field = 0L
      } else {
        val values = block.bytes(ordinal)
        if (values != null) {
          val size = field.toInt
          putBytes(values, (field >>> 32).toInt, size, end)
          field = (end.toLong << 32) | size
          end += (size + 7) & ~7
        }
      }
      Platform.putLong(buffer, Start + bitSetBytes + place * 8L, field)
      c += 1
    }
    row.pointTo(buffer, end)
    row
  }

  /** Copies a value and zeros up to the next word. */
  private def putBytes(values: Array[Byte], from: Int, size: Int, to: Int): Unit = {
    val padded = (size + 7) & ~7
    if (to.toLong + padded > buffer.length)
      buffer = Arrays.copyOf(buffer, RowChunk.grownSize(buffer.length, to.toLong + padded))
    copyWords(values, Start + from, buffer, Start + to, padded)
    var i = size
    while (i < padded) {
      Platform.putByte(buffer, Start + to + i, 0)
      i += 1
    }
  }
}

object BlockRow {
  private final val FirstBytes = 1 << 10
  private final val Start = Platform.BYTE_ARRAY_OFFSET.toLong
}
