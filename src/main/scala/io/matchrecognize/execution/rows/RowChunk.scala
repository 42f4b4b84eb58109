package io.matchrecognize.execution.rows

import java.io.{DataInputStream, DataOutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform

import io.matchrecognize.execution.task.HeapArrays
import io.matchrecognize.matcher.MatchInput
import io.matchrecognize.matcher.state.{StateReader, StateWriter}

/**
 * Which columns of the input rows the store keeps. Columns of fixed width (at most eight bytes) go
 * to vectors, the others to one byte area per chunk.
 *
 * @param fixed
 *   ordinals in the input row of the fixed-width columns kept
 * @param variable
 *   ordinals in the input row of the other columns kept
 */
final case class StoreSchema(
    fixed: Array[Int],
    fixedNullable: Array[Boolean],
    variable: Array[Int]
)

object StoreSchema {

  /** @param ordinals the columns to keep */
  def of(ordinals: Seq[Int], types: Int => DataType, nullable: Int => Boolean): StoreSchema = {
    val (fixed, variable) = ordinals.distinct.partition(i => UnsafeRow.isFixedLength(types(i)))
    StoreSchema(fixed.toArray, fixed.map(nullable).toArray, variable.toArray)
  }
}

/**
 * The kept columns of up to `capacity` rows: one long and, if the column is nullable, one null byte
 * for each fixed-width value; the variable-length values of a row as one UnsafeRow in `bytes`. A
 * chunk of wide rows takes fewer: none after the row with which `bytes` reaches a limit.
 *
 * @param firstBytes
 *   size of the byte area at first
 */
final class RowChunk(schema: StoreSchema, val capacity: Int, firstBytes: Int) {
  val longs: Array[Array[Long]] = Array.fill(schema.fixed.length)(new Array[Long](capacity))
  val nulls: Array[Array[Byte]] =
    schema.fixedNullable.map(nullable => if (nullable) new Array[Byte](capacity) else null)
  private var bytes: Array[Byte] = if (hasVariable) new Array[Byte](firstBytes) else null
  private val offsets: Array[Int] = if (hasVariable) new Array[Int](capacity + 1) else null
  private var count = 0
  private var limit = capacity

  /** The number in the partition of the first row. */
  var first = 0L

  private def hasVariable: Boolean = schema.variable.length > 0

  def length: Int = count

  /** How many rows the chunk takes. */
  def room: Int = limit

  def isFull: Boolean = count >= limit

  def contains(row: Long): Boolean = row >= first && row - first < count

  def indexOf(row: Long): Int = (row - first).toInt

  // Asked for with each partition.
  private val fixedSize = RowChunk.fixedSize(schema, capacity)

  /** Bytes of the arrays. */
  def size: Long = fixedSize + HeapArrays.filled(byteArea.toLong)

  /** Bytes of the byte area. */
  def byteArea: Int = if (bytes == null) 0 else bytes.length

  /** Bytes of the byte area that are in use. */
  def usedBytes: Int = if (bytes == null) 0 else offsets(count)

  /** Whether the chunk may be kept for the next partition. */
  def isSmall: Boolean = size <= RowChunk.KeptBytes

  def clear(): Unit = {
    count = 0
    limit = capacity
    first = 0L
  }

  /** Says how many rows there are, after they were written to the arrays. */
  def setLength(length: Int): Unit = count = length

  /** The size that the byte area has to grow to before `append(row)`; 0 if it is large enough. */
  def grownSize(row: UnsafeRow): Int =
    grownSize(row.getSizeInBytes + schema.variable.length * 8L + 8)

  /** The same for more bytes. */
  def grownSize(more: Long): Int =
    if (bytes == null) 0
    else {
      val needed = offsets(count) + more
      if (needed <= bytes.length) 0 else RowChunk.grownSize(bytes.length, needed)
    }

  def grow(size: Int): Unit = bytes = Arrays.copyOf(bytes, size)

  /** Appends the kept columns; the byte area has to be large enough, see `grownSize`. */
  def append(row: UnsafeRow): Unit = {
    var c = 0
    while (c < longs.length) {
      val ordinal = schema.fixed(c)
      longs(c)(count) = row.getLong(ordinal)
      if (nulls(c) != null) nulls(c)(count) = if (row.isNullAt(ordinal)) 1 else 0
      c += 1
    }
    if (bytes != null) appendVariable(row)
    count += 1
  }

  private def appendVariable(row: UnsafeRow): Unit = {
    val start = offsets(count)
    val fields = schema.variable.length
    val bitSet = UnsafeRow.calculateBitSetWidthInBytes(fields)
    val base = Platform.BYTE_ARRAY_OFFSET.toLong + start
    var i = 0
    while (i < bitSet) {
      Platform.putLong(bytes, base + i, 0L)
      i += 8
    }
    val first = bitSet + fields * 8
    var cursor = first
    // Where the row's values begin, and where the next one does if they are in one piece.
    var from = 0L
    var next = 0L
    var inOnePiece = true
    var f = 0
    while (f < fields) {
      val ordinal = schema.variable(f)
      val slot = base + bitSet + f * 8L
      if (row.isNullAt(ordinal)) {
        val word = base + (f >> 6) * 8L
        Platform.putLong(bytes, word, Platform.getLong(bytes, word) | (1L << (f & 63)))
        Platform.putLong(bytes, slot, 0L)
      } else {
        val offsetAndSize = row.getLong(ordinal)
        val (offset, length) = (offsetAndSize >>> 32, offsetAndSize.toInt)
        if (cursor == first) from = offset else inOnePiece &= offset == next
        next = offset + padded(length)
        Platform.putLong(bytes, slot, (cursor.toLong << 32) | length)
        cursor += padded(length)
      }
      f += 1
    }
    if (inOnePiece) copyValue(row, from, base + first, cursor - first)
    else copyValues(row, base + first)
    endRow(start + cursor)
  }

  private def endRow(end: Int): Unit = {
    offsets(count + 1) = end
    if (end >= RowChunk.ByteLimit) limit = count + 1
  }

  private def copyValues(row: UnsafeRow, target: Long): Unit = {
    var to = target
    var f = 0
    while (f < schema.variable.length) {
      val ordinal = schema.variable(f)
      if (!row.isNullAt(ordinal)) {
        val offsetAndSize = row.getLong(ordinal)
        val size = padded(offsetAndSize.toInt)
        copyValue(row, offsetAndSize >>> 32, to, size)
        to += size
      }
      f += 1
    }
  }

  // The row pads its values with zeros as well.
  private def copyValue(row: UnsafeRow, offset: Long, to: Long, size: Int): Unit =
    RowChunk.copyWords(row.getBaseObject, row.getBaseOffset + offset, bytes, to, size)

  private def padded(length: Int): Int = (length + 7) & ~7

  /** Writes the variable-length columns, all that the row has, of the row after the last one. */
  def putVariable(columns: UnsafeRow): Unit = {
    val (start, size) = (offsets(count), columns.getSizeInBytes)
    RowChunk.copyWords(
      columns.getBaseObject,
      columns.getBaseOffset,
      bytes,
      Platform.BYTE_ARRAY_OFFSET.toLong + start,
      size
    )
    endRow(start + size)
  }

  /** Writes a row for `load`. */
  def save(index: Int, out: StateWriter): Unit = {
    var c = 0
    while (c < longs.length) {
      out.putFixed(longs(c)(index))
      if (nulls(c) != null) out.putByte(nulls(c)(index).toInt)
      c += 1
    }
    if (bytes != null) {
      val size = offsets(index + 1) - offsets(index)
      out.putInt(size)
      out.putRaw(bytes, offsets(index), size)
    }
  }

  /**
   * Appends a row that `save` wrote.
   *
   * @param growTo
   *   makes the byte area larger
   */
  def load(in: StateReader, growTo: Int => Unit): Unit = {
    var c = 0
    while (c < longs.length) {
      longs(c)(count) = in.getFixed()
      if (nulls(c) != null) nulls(c)(count) = in.getByte().toByte
      c += 1
    }
    if (bytes != null) {
      val size = in.getInt()
      val grown = grownSize(size.toLong)
      if (grown > 0) growTo(grown)
      System.arraycopy(in.array, in.skip(size), bytes, offsets(count), size)
      endRow(offsets(count) + size)
    }
    count += 1
  }

  /** Points `target` at the variable-length columns of a row. */
  def pointTo(index: Int, target: UnsafeRow): Unit =
    target.pointTo(
      bytes,
      Platform.BYTE_ARRAY_OFFSET.toLong + offsets(index),
      offsets(index + 1) - offsets(index)
    )

  private def longsOf(buffer: Array[Byte]) =
    ByteBuffer.wrap(buffer).order(ByteOrder.nativeOrder).asLongBuffer

  def write(out: DataOutputStream, buffer: Array[Byte]): Unit = {
    out.writeInt(count)
    longs.foreach { column =>
      longsOf(buffer).put(column, 0, count)
      out.write(buffer, 0, count * 8)
    }
    nulls.foreach(column => if (column != null) out.write(column, 0, count))
    if (bytes != null) {
      (0 to count).foreach(i => out.writeInt(offsets(i)))
      out.write(bytes, 0, offsets(count))
    }
  }

  def read(in: DataInputStream, buffer: Array[Byte]): Unit = {
    count = in.readInt()
    longs.foreach { column =>
      in.readFully(buffer, 0, count * 8)
      longsOf(buffer).get(column, 0, count)
    }
    nulls.foreach(column => if (column != null) in.readFully(column, 0, count))
    if (bytes != null) {
      (0 to count).foreach(i => offsets(i) = in.readInt())
      in.readFully(bytes, 0, offsets(count))
    }
  }
}

object RowChunk {

  /** Copies `size` bytes, a multiple of eight; for few words a loop is cheaper than a call. */
  def copyWords(from: AnyRef, fromOffset: Long, to: AnyRef, toOffset: Long, size: Int): Unit =
    if (size <= LoopBytes) {
      var i = 0
      while (i < size) {
        Platform.putLong(to, toOffset + i, Platform.getLong(from, fromOffset + i))
        i += 8
      }
    } else Platform.copyMemory(from, fromOffset, to, toOffset, size.toLong)

  private final val LoopBytes = 64

  /** Chunks have 2^12 rows, unless rows are wide or the spill threshold asks for smaller ones. */
  final val Shift = MatchInput.BlockBits
  final val MaxRows: Int = 1 << Shift
  final val Mask: Int = MaxRows - 1
  final val FirstBytes: Int = 1 << 16
  final val MaxBytes: Long = Int.MaxValue - 16L
  private final val KeptBytes = 4L << 20

  /** A chunk whose byte area has as many bytes in use gets no more rows. */
  final val ByteLimit: Long = KeptBytes - 1024

  /** A size that an array can have. */
  def checked(size: Long): Long =
    if (size <= MaxBytes) size
    else throw new IllegalStateException("one row exceeds two gigabytes")

  /** The size to grow a byte area to, at least `needed` bytes. */
  def grownSize(size: Int, needed: Long): Int = {
    val wanted = math.max(checked(needed), math.min(size * 2L, ByteLimit))
    math.min(HeapArrays.filled(wanted), MaxBytes).toInt
  }

  /** Binary logarithm of a chunk's rows, such that at least two fit under the threshold. */
  def shift(spillThreshold: Int): Int =
    math.min(Shift, 31 - Integer.numberOfLeadingZeros(math.max(spillThreshold / 2, 1)))

  /** Bytes of a chunk's arrays with a byte area of a size. */
  def size(schema: StoreSchema, capacity: Int, bytes: Long): Long =
    fixedSize(schema, capacity) + (if (schema.variable.isEmpty) 0L else HeapArrays.filled(bytes))

  private def fixedSize(schema: StoreSchema, capacity: Int): Long =
    schema.fixed.length * 8L * capacity +
      schema.fixedNullable.count(identity).toLong * capacity +
      (if (schema.variable.isEmpty) 0 else 4L * (capacity + 1))
}
