package io.matchrecognize.execution.shuffle

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.BlockSums
import org.apache.spark.unsafe.Platform

import io.matchrecognize.execution.rows.RowChunk
import io.matchrecognize.execution.rows.RowChunk.copyWords

/**
 * Writes a block, as the second field of a row whose first one is a number.
 *
 * A block is a number of rows, the sum of their hashes or 0, then its columns. A column is:
 *
 *   - one int, the number of its NULLs; unless it is 0, a bit for each row, of 1 for NULL;
 *   - numbers: of a column of fixed width its fields as they are in an UnsafeRow, of another column
 *     the sizes of its values. Each is kept as its difference from the least one, in as few of 0,
 *     1, 2, 4 or 8 bytes as the largest needs: one long, one int, and the differences;
 *   - of a column of variable length, the bytes of its values, without NULLs and padding.
 */
private[shuffle] final class BlockOutput {
  import BlockOutput._

  private var bytes = new Array[Byte](FirstBytes)
  private var end = 0
  private val row = new UnsafeRow(2)

  /** Begins a block of `rows` rows. */
  def begin(rows: Int): Unit = {
    end = HeaderBytes
    reserve(BlockOutput.StartBytes)
    Platform.putInt(bytes, at, rows)
    end += BlockOutput.StartBytes
  }

  /** Ends the block; the row that has it, which is reused. */
  def finish(number: Int, sum: Long): UnsafeRow = {
    reserve(8)
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + HeaderBytes + BlockSums.Offset, sum)
    Platform.putLong(bytes, at, 0L)
    val size = end - HeaderBytes
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET, 0L)
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET + 8L, number.toLong)
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET + 16L, (HeaderBytes.toLong << 32) | size)
    row.pointTo(bytes, HeaderBytes + ((size + 7) & ~7))
    if (bytes.length > KeptBytes) bytes = new Array[Byte](FirstBytes)
    row
  }

  /** Gives up a large block that has been read. */
  def free(): Unit = row.pointTo(bytes, 0)

  private def at: Long = Platform.BYTE_ARRAY_OFFSET.toLong + end

  private def reserve(more: Int): Unit = {
    val needed = end.toLong + more + 8
    if (needed > bytes.length)
      bytes = Arrays.copyOf(bytes, RowChunk.grownSize(bytes.length, needed))
  }

  /** Writes which of the first `length` rows are NULL: those with a byte other than 0. */
  def putNulls(nulls: Array[Byte], length: Int, count: Int): Unit = {
    val words = if (count == 0) 0 else (length + 63) >> 6
    reserve(4 + words * 8)
    Platform.putInt(bytes, at, count)
    end += 4
    var w = 0
    while (w < words) {
      var word = 0L
      var i = w << 6
      val until = math.min(i + 64, length)
      while (i < until) {
        if (nulls(i) != 0) word |= 1L << (i & 63)
        i += 1
      }
      Platform.putLong(bytes, at, word)
      end += 8
      w += 1
    }
  }

  /** Writes the first `length` numbers, which are between `least` and `largest`. */
  def putNumbers(numbers: Array[Long], length: Int, least: Long, largest: Long): Unit = {
    val width = widthOf(largest - least)
    // All eight bytes have as many values with and without a difference.
    val base = if (width == 8) 0L else least
    reserve(12 + length * width)
    Platform.putLong(bytes, at, base)
    Platform.putInt(bytes, at + 8, width)
    end += 12
    val to = at
    var i = 0
    width match {
      case 0 =>
      case 1 =>
        while (i < length) {
          Platform.putByte(bytes, to + i, (numbers(i) - base).toByte)
          i += 1
        }
      case 2 =>
        while (i < length) {
          Platform.putShort(bytes, to + 2L * i, (numbers(i) - base).toShort)
          i += 1
        }
      case 4 =>
        while (i < length) {
          Platform.putInt(bytes, to + 4L * i, (numbers(i) - base).toInt)
          i += 1
        }
      case _ =>
        Platform.copyMemory(numbers, Platform.LONG_ARRAY_OFFSET, bytes, to, 8L * length)
    }
    end += length * width
  }

  /** Makes the space for `size` bytes, written by `putBytes`, and for the block's end. */
  def reserveBytes(size: Int): Unit = reserve(size + 8)

  /** Writes a value; at least eight bytes after it can be read. */
  def putBytes(from: Array[Byte], start: Int, size: Int): Unit = {
    // The next value overwrites the padding.
    copyWords(from, Platform.BYTE_ARRAY_OFFSET.toLong + start, bytes, at, (size + 7) & ~7)
    end += size
  }
}

private[shuffle] object BlockOutput {
  private final val FirstBytes = 1 << 16
  private final val KeptBytes = 1 << 22
  final val MaxBytes: Long = Int.MaxValue - 64L

  /** Of an UnsafeRow with two fields. */
  private final val HeaderBytes = 24

  /** Of the number of rows and the sum of their hashes. */
  final val StartBytes: Int = BlockSums.Offset + 8

  /** Bytes of an unsigned number. */
  private def widthOf(range: Long): Int =
    if (range == 0) 0
    else if ((range & ~0xffL) == 0) 1
    else if ((range & ~0xffffL) == 0) 2
    else if ((range & ~0xffffffffL) == 0) 4
    else 8
}

/**
 * Reads what [[BlockOutput]] wrote, column by column.
 *
 * @param row
 *   the row that has the block; it must not change meanwhile
 */
private[shuffle] final class BlockInput(row: UnsafeRow) {
  private val base = row.getBaseObject
  private var at = row.getBaseOffset + (row.getLong(1) >>> 32)

  /** The number of rows, with which a block begins. */
  def getLength(): Int = {
    val length = getInt()
    at += BlockOutput.StartBytes - 4
    length
  }

  private def getInt(): Int = {
    val value = Platform.getInt(base, at)
    at += 4
    value
  }

  /** A bit for each of `length` rows, of 1 for NULL; null if no row is NULL. */
  def getNulls(length: Int): Array[Long] =
    if (getInt() == 0) null
    else {
      val nulls = new Array[Long]((length + 63) >> 6)
      Platform.copyMemory(base, at, nulls, Platform.LONG_ARRAY_OFFSET, nulls.length * 8L)
      at += nulls.length * 8L
      nulls
    }

  def getNumbers(length: Int): Array[Long] = {
    val numbers = new Array[Long](length)
    val least = Platform.getLong(base, at)
    val width = Platform.getInt(base, at + 8)
    val from = at + 12
    var i = 0
    width match {
      case 0 => Arrays.fill(numbers, least)
      case 1 =>
        while (i < length) {
          numbers(i) = least + (Platform.getByte(base, from + i) & 0xffL)
          i += 1
        }
      case 2 =>
        while (i < length) {
          numbers(i) = least + (Platform.getShort(base, from + 2L * i) & 0xffffL)
          i += 1
        }
      case 4 =>
        while (i < length) {
          numbers(i) = least + (Platform.getInt(base, from + 4L * i) & 0xffffffffL)
          i += 1
        }
      case _ =>
        Platform.copyMemory(base, from, numbers, Platform.LONG_ARRAY_OFFSET, 8L * length)
    }
    at = from + length.toLong * width
    numbers
  }

  /** The next bytes, with a word more after them. */
  def getBytes(size: Int): Array[Byte] = {
    val bytes = new Array[Byte](size + 8)
    Platform.copyMemory(base, at, bytes, Platform.BYTE_ARRAY_OFFSET, size.toLong)
    at += size
    bytes
  }
}
