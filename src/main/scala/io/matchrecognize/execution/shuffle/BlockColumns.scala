package io.matchrecognize.execution.shuffle

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import io.matchrecognize.execution.rows.RowChunk.copyWords

/** The numbers of one column of a block, and which of its rows are NULL. */
private[shuffle] final class BlockNumbers(rows: Int, hashes: RowHashes) {
  val values = new Array[Long](rows)
  val nulls = new Array[Byte](rows)

  /** Writes the first `length` rows, `nullCount` of which are NULL. */
  def write(length: Int, nullCount: Int, out: BlockOutput): Unit = {
    if (hashes != null) hashes.addNumbers(values, nulls, nullCount, length)
    var least = Long.MaxValue
    var largest = Long.MinValue
    var i = 0
    while (i < length) {
      if (nullCount == 0 || nulls(i) == 0) {
        if (values(i) < least) least = values(i)
        if (values(i) > largest) largest = values(i)
      }
      i += 1
    }
    if (nullCount == length) {
      least = 0L
      largest = 0L
    }
    if (nullCount > 0) {
      i = 0
      while (i < length) {
        if (nulls(i) != 0) values(i) = least
        i += 1
      }
    }
    out.putNulls(nulls, length, nullCount)
    out.putNumbers(values, length, least, largest)
  }
}

/** A column of the rows of a [[BlockBuffer]], of fixed width. */
private[shuffle] final class FixedColumn(ordinal: Int, isNullable: Boolean) {

  // By row what an UnsafeRow has in its eight bytes.
  private var values: Array[Long] = Array.emptyLongArray

  // By row 1 for NULL, if the column is nullable.
  private var nulls: Array[Byte] = Array.emptyByteArray

  def resize(rows: Int): Unit = {
    values = Arrays.copyOf(values, rows)
    if (isNullable) nulls = Arrays.copyOf(nulls, rows)
  }

  def put(row: UnsafeRow, at: Int): Unit = {
    values(at) = row.getLong(ordinal)
    if (isNullable) nulls(at) = if (row.isNullAt(ordinal)) 1 else 0
  }

  /** Writes the rows from `order(from)` until `order(to)`. */
  def write(
      order: Array[Int],
      from: Int,
      to: Int,
      numbers: BlockNumbers,
      out: BlockOutput
  ): Unit = {
    var i = from
    while (i < to) {
      numbers.values(i - from) = values(order(i))
      i += 1
    }
    var nullCount = 0
    if (isNullable) {
      i = from
      while (i < to) {
        val isNull = nulls(order(i))
        numbers.nulls(i - from) = isNull
        nullCount += isNull
        i += 1
      }
    }
    numbers.write(to - from, nullCount, out)
  }
}

/** A column of the rows of a [[BlockBuffer]], of variable length. */
private[shuffle] final class VariableColumn {
  import VariableColumn._

  private var starts = Array.emptyIntArray
  private var sizes = Array.emptyIntArray
  private var bytes = Array.emptyByteArray
  private var end = 0

  def resize(rows: Int): Unit = {
    starts = Arrays.copyOf(starts, rows)
    sizes = Arrays.copyOf(sizes, rows)
  }

  def clear(): Unit = end = 0

  def shrink(): Unit = bytes = Array.emptyByteArray

  /** Bytes to be acquired before a value of `size` bytes is put. */
  def growth(size: Int): Long = {
    val needed = end.toLong + size + Padding
    if (needed <= bytes.length) 0L
    else math.max(needed, math.max(FirstBytes, bytes.length * 2L)) - bytes.length
  }

  def grow(by: Long): Unit = if (by > 0) {
    if (bytes.length + by > BlockOutput.MaxBytes)
      throw new IllegalStateException("one value exceeds two gigabytes")
    bytes = Arrays.copyOf(bytes, (bytes.length + by).toInt)
  }

  def put(row: UnsafeRow, ordinal: Int, at: Int): Unit =
    if (row.isNullAt(ordinal)) sizes(at) = NullSize
    else {
      val place = row.getLong(ordinal)
      val size = place.toInt
      // The next value overwrites the padding.
      copyWords(
        row.getBaseObject,
        row.getBaseOffset + (place >>> 32),
        bytes,
        Platform.BYTE_ARRAY_OFFSET.toLong + end,
        (size + 7) & ~7
      )
      starts(at) = end
      sizes(at) = size
      end += size
    }

  /** Size of the row's value; 0 if it is NULL. */
  def size(at: Int): Int = math.max(sizes(at), 0)

  /** Writes the rows from `order(from)` until `order(to)`; adds to `hashes` unless it is null. */
  def write(
      order: Array[Int],
      from: Int,
      to: Int,
      numbers: BlockNumbers,
      hashes: RowHashes,
      out: BlockOutput
  ): Unit = {
    var nullCount = 0
    var total = 0
    var i = from
    while (i < to) {
      val size = sizes(order(i))
      val isNull = size == NullSize
      numbers.values(i - from) = size.toLong
      numbers.nulls(i - from) = if (isNull) 1 else 0
      if (isNull) nullCount += 1
      else total += size
      i += 1
    }
    numbers.write(to - from, nullCount, out)
    out.reserveBytes(total)
    i = from
    while (i < to) {
      val row = order(i)
      if (sizes(row) > 0) {
        out.putBytes(bytes, starts(row), sizes(row))
        if (hashes != null) hashes.addBytes(i - from, bytes, starts(row), sizes(row))
      }
      i += 1
    }
  }
}

private[shuffle] object VariableColumn {
  private final val NullSize = -1
  private final val FirstBytes = 1 << 12

  /** Values are copied by whole words. */
  private final val Padding = 8L
}
