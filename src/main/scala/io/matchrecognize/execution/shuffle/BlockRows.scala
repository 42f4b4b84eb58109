package io.matchrecognize.execution.shuffle

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.unsafe.Platform

import io.matchrecognize.execution.rows.RowChunk.copyWords
import io.matchrecognize.execution.rows.StoreSchema

/**
 * The rows of blocks, one after the other. A row is valid until the next one is asked for.
 *
 * @param blocks
 *   rows whose second field is a block
 */
private[shuffle] final class BlockRows(
    schema: StoreSchema,
    blocks: Iterator[InternalRow],
    rowMetric: SQLMetric
) extends Iterator[InternalRow] {
  import BlockRows._

  private val fields = schema.fixed.length + schema.variable.length
  private val bitSetBytes = UnsafeRow.calculateBitSetWidthInBytes(fields)
  private val fixedBytes = bitSetBytes + fields * 8
  private val slotOf = (schema.fixed ++ schema.variable).map(i => bitSetBytes + i * 8L)
  private val ordinalOf = schema.fixed ++ schema.variable

  private val in = new BlockInput
  // By column, those of fixed width first: fields or sizes of the values.
  private val numbers = Array.fill(fields)(Array.emptyLongArray)
  private val nulls = Array.fill(fields)(Array.emptyLongArray)
  private val hasNulls = new Array[Boolean](fields)
  private var isAnyNull = false
  private val offsets = new Array[Long](fields)
  private var capacity = 0
  private var count = 0
  private var at = 0

  private val row = new UnsafeRow(fields)
  private var buffer = new Array[Byte](fixedBytes + FirstBytes)

  override def hasNext: Boolean = {
    while (at == count && blocks.hasNext) open(blocks.next().asInstanceOf[UnsafeRow])
    at < count
  }

  private def open(block: UnsafeRow): Unit = {
    count = in.begin(block)
    at = 0
    rowMetric += count.toLong
    if (count > capacity) grow(count)
    isAnyNull = false
    var c = 0
    while (c < fields) {
      hasNulls(c) = in.getNulls(nulls(c), count)
      isAnyNull |= hasNulls(c)
      in.getNumbers(numbers(c), count)
      if (c >= schema.fixed.length) offsets(c) = in.skipBytes(totalSize(c))
      c += 1
    }
  }

  private def grow(rows: Int): Unit = {
    capacity = math.max(rows, math.min(capacity * 2, BlockBuffer.BlockRows))
    var c = 0
    while (c < fields) {
      numbers(c) = new Array[Long](capacity)
      nulls(c) = new Array[Long]((capacity + 63) >> 6)
      c += 1
    }
  }

  private def isNull(column: Int, at: Int): Boolean =
    hasNulls(column) && (nulls(column)(at >> 6) & (1L << (at & 63))) != 0

  private def totalSize(column: Int): Long = {
    val sizes = numbers(column)
    var total = 0L
    var i = 0
    while (i < count) {
      if (!isNull(column, i)) total += sizes(i)
      i += 1
    }
    total
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    var i = 0
    while (i < bitSetBytes) {
      Platform.putLong(buffer, Start + i, 0L)
      i += 8
    }
    var c = 0
    while (c < schema.fixed.length) {
      Platform.putLong(buffer, Start + slotOf(c), numbers(c)(at))
      c += 1
    }
    var end = fixedBytes
    while (c < fields) {
      end = putValue(c, end)
      c += 1
    }
    if (isAnyNull) putNulls()
    row.pointTo(buffer, end)
    at += 1
    row
  }

  /** Copies a value of variable length to the end of the row; the new end. */
  private def putValue(column: Int, end: Int): Int =
    if (isNull(column, at)) end
    else {
      val size = numbers(column)(at).toInt
      val padded = (size + 7) & ~7
      if (end.toLong + padded > buffer.length)
        buffer = Arrays.copyOf(buffer, math.max(end + padded, buffer.length * 2))
      // A row's padding is zeros, and no byte after the value may be read.
      if (padded > size) Platform.putLong(buffer, Start + end + padded - 8, 0L)
      val whole = size & ~7
      copyWords(in.bytes, offsets(column), buffer, Start + end, whole)
      var i = whole
      while (i < size) {
        Platform.putByte(buffer, Start + end + i, Platform.getByte(in.bytes, offsets(column) + i))
        i += 1
      }
      Platform.putLong(buffer, Start + slotOf(column), (end.toLong << 32) | size)
      offsets(column) += size
      end + padded
    }

  private def putNulls(): Unit = {
    var c = 0
    while (c < fields) {
      if (isNull(c, at)) {
        val word = Start + (ordinalOf(c) >> 6) * 8L
        Platform.putLong(buffer, word, Platform.getLong(buffer, word) | (1L << (ordinalOf(c) & 63)))
        Platform.putLong(buffer, Start + slotOf(c), 0L)
      }
      c += 1
    }
  }
}

private[shuffle] object BlockRows {
  private final val FirstBytes = 1 << 10
  private final val Start = Platform.BYTE_ARRAY_OFFSET.toLong
}
