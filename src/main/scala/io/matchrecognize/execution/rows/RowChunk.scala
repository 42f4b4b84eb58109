package io.matchrecognize.execution.rows

import java.io.{DataInputStream, DataOutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods

import io.matchrecognize.execution.task.HeapArrays
import io.matchrecognize.matcher.MatchInput
import io.matchrecognize.matcher.state.{StateBytes, StateReader, StateWriter}

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

  /** Of chunks of whole rows, all of which `RowChunk.putWhole` appends. */
  val WholeRows: StoreSchema = StoreSchema(Array.empty, Array.empty, Array(0))

  /** @param ordinals the columns to keep */
  def of(ordinals: Seq[Int], types: Int => DataType, nullable: Int => Boolean): StoreSchema = {
    val (fixed, variable) = ordinals.distinct.partition(i => UnsafeRow.isFixedLength(types(i)))
    StoreSchema(fixed.toArray, fixed.map(nullable).toArray, variable.toArray)
  }
}

/**
 * The kept columns of up to `maxRows` rows: one long and, if the column is nullable, one null byte
 * for each fixed-width value; the variable-length values of a row as one UnsafeRow in `bytes`. A
 * chunk of wide rows takes fewer: none after the row with which `bytes` reaches a limit.
 *
 * @param firstRows
 *   rows that there is room for at first
 * @param firstBytes
 *   size of the byte area at first
 */
final class RowChunk(schema: StoreSchema, firstRows: Int, maxRows: Int, firstBytes: Int) {
  val longs: Array[Array[Long]] = Array.fill(schema.fixed.length)(new Array[Long](firstRows))
  val nulls: Array[Array[Byte]] =
    schema.fixedNullable.map(nullable => if (nullable) new Array[Byte](firstRows) else null)
  private var bytes: Array[Byte] = if (hasVariable) new Array[Byte](firstBytes) else null
  private var offsets: Array[Int] = if (hasVariable) new Array[Int](firstRows + 1) else null
  private var count = 0
  private var capacity = firstRows
  private var limit = maxRows

  /** The number in the partition of the first row. */
  var first = 0L

  private def hasVariable: Boolean = schema.variable.length > 0

  def length: Int = count

  /** How many rows can be added before the arrays have to grow or the chunk is full. */
  def room: Int = math.min(capacity, limit) - count

  def isFull: Boolean = count >= limit

  def contains(row: Long): Boolean = row >= first && row - first < count

  def indexOf(row: Long): Int = (row - first).toInt

  // Asked for with each partition.
  private var fixedSize = RowChunk.fixedSize(schema, capacity)

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
    limit = maxRows
    first = 0L
  }

  private def grownRows: Int = math.min(capacity * 2, maxRows)

  /** Bytes to be acquired before `growRows`. */
  def growthOfRows: Long = RowChunk.fixedSize(schema, grownRows) - fixedSize

  /** Makes room for twice as many rows, unless the chunk takes fewer. */
  def growRows(): Unit = {
    capacity = grownRows
    fixedSize = RowChunk.fixedSize(schema, capacity)
    longs.indices.foreach { c =>
      longs(c) = Arrays.copyOf(longs(c), capacity)
      if (nulls(c) != null) nulls(c) = Arrays.copyOf(nulls(c), capacity)
    }
    if (hasVariable) offsets = Arrays.copyOf(offsets, capacity + 1)
  }

  /** Says how many rows there are, after they were written to the arrays. */
  def setLength(length: Int): Unit = count = length

  /** Whether a row with so many bytes of variable length can be appended. */
  def hasSpace(more: Long): Boolean =
    room > 0 && (bytes == null || offsets(count) + more <= bytes.length)

  /** The size that the byte area has to grow to for more bytes; 0 if it is large enough. */
  def grownSize(more: Long): Int =
    if (bytes == null || offsets(count) + more <= bytes.length) 0
    else RowChunk.grownSize(bytes.length, offsets(count) + more)

  def grow(size: Int): Unit = bytes = Arrays.copyOf(bytes, size)

  /** Appends the kept columns; see `hasSpace` for the bytes of `RowChunk.bytesOf`. */
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
    RowChunk.clearWords(bytes, base, bitSet)
    val first = RowChunk.bytesOfFields(fields)
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
        BitSetMethods.set(bytes, base, f)
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

  /** Appends a whole row, to a chunk of such rows. */
  def putWhole(row: UnsafeRow): Unit = {
    putVariable(row)
    count += 1
  }

  /**
   * Writes a row for `load`. Of a value of fixed width the difference from the one before is
   * written, or the value, whichever is shorter, or all of its bytes if both are long; after a byte
   * for each four that says which.
   *
   * @param before
   *   the row that was written last
   */
  def save(index: Int, before: SavedRow, out: StateWriter): Unit = {
    var c = 0
    var forms = 0
    while (c < longs.length) {
      if ((c & 3) == 0) {
        forms = out.skip(1)
        out.array(forms) = 0
      }
      val value = longs(c)(index)
      val difference = value - before.longs(c)
      val form =
        if (nulls(c) != null && nulls(c)(index) != 0) RowChunk.Null
        else if (StateBytes.isShort(difference)) {
          val isNearer = StateBytes.size(difference) < StateBytes.size(value)
          if (isNearer || !StateBytes.isShort(value)) RowChunk.Difference else RowChunk.Short
        } else if (StateBytes.isShort(value)) RowChunk.Short
        else RowChunk.Whole
      out.array(forms) = (out.array(forms) | form << (c & 3) * 2).toByte
      if (form == RowChunk.Difference) out.putShort(difference)
      else if (form == RowChunk.Short) out.putShort(value)
      else if (form == RowChunk.Whole) out.putFixed(value)
      if (form != RowChunk.Null) before.longs(c) = value
      c += 1
    }
    if (bytes != null) {
      val from = offsets(index)
      val size = offsets(index + 1) - from
      out.putInt(size)
      out.putDifferences(bytes, from, size, before.bytes, 0, before.length)
      before.take(bytes, from, size)
    }
  }

  /**
   * Appends a row that `save` wrote.
   *
   * @param before
   *   as for `save`
   * @param growTo
   *   makes the byte area larger
   */
  def load(in: StateReader, before: SavedRow, growTo: Int => Unit): Unit = {
    var c = 0
    var forms = 0
    while (c < longs.length) {
      if ((c & 3) == 0) forms = in.getByte()
      val form = forms >> (c & 3) * 2 & 3
      if (form == RowChunk.Difference) before.longs(c) += in.getShort()
      else if (form == RowChunk.Short) before.longs(c) = in.getShort()
      else if (form == RowChunk.Whole) before.longs(c) = in.getFixed()
      longs(c)(count) = before.longs(c)
      if (nulls(c) != null) nulls(c)(count) = if (form == RowChunk.Null) 1 else 0
      c += 1
    }
    if (bytes != null) {
      val size = in.getInt()
      val grown = grownSize(size.toLong)
      if (grown > 0) growTo(grown)
      val from = offsets(count)
      in.getDifferences(bytes, from, size, before.bytes, 0, before.length)
      before.take(bytes, from, size)
      endRow(from + size)
    }
    count += 1
  }

  /** Writes columns of fixed width to `ordinals` of a row that has no NULLs yet. */
  def putFixed(index: Int, columns: Array[Int], to: UnsafeRow, ordinals: Array[Int]): Unit = {
    val bitSet = UnsafeRow.calculateBitSetWidthInBytes(to.numFields)
    var i = 0
    while (i < columns.length) {
      val column = columns(i)
      if (nulls(column) != null && nulls(column)(index) != 0) to.setNullAt(ordinals(i))
      else {
        val place = to.getBaseOffset + bitSet + ordinals(i) * 8L
        Platform.putLong(to.getBaseObject, place, longs(column)(index))
      }
      i += 1
    }
  }

  /** Points `target` at the variable-length columns of a row. */
  def pointTo(index: Int, target: UnsafeRow): Unit =
    target.pointTo(
      bytes,
      Platform.BYTE_ARRAY_OFFSET.toLong + offsets(index),
      offsets(index + 1) - offsets(index)
    )

  def write(out: DataOutputStream, buffer: Array[Byte]): Unit = {
    out.writeInt(count)
    longs.foreach { column =>
      RowChunk.inOrder(buffer).asLongBuffer.put(column, 0, count)
      out.write(buffer, 0, count * 8)
    }
    nulls.foreach(column => if (column != null) out.write(column, 0, count))
    if (bytes != null) {
      RowChunk.inOrder(buffer).asIntBuffer.put(offsets, 0, count + 1)
      out.write(buffer, 0, (count + 1) * 4)
      out.write(bytes, 0, offsets(count))
    }
  }

  def read(in: DataInputStream, buffer: Array[Byte]): Unit = {
    count = in.readInt()
    longs.foreach { column =>
      in.readFully(buffer, 0, count * 8)
      RowChunk.inOrder(buffer).asLongBuffer.get(column, 0, count)
    }
    nulls.foreach(column => if (column != null) in.readFully(column, 0, count))
    if (bytes != null) {
      in.readFully(buffer, 0, (count + 1) * 4)
      RowChunk.inOrder(buffer).asIntBuffer.get(offsets, 0, count + 1)
      in.readFully(bytes, 0, offsets(count))
    }
  }
}

/** The row that was saved or loaded last, of which the next one is the difference. */
final class SavedRow(columns: Int) {
  val longs = new Array[Long](columns)

  /** The first of its bytes of variable length. */
  val bytes = new Array[Byte](SavedRow.MaxBytes)
  var length = 0

  def clear(): Unit = {
    Arrays.fill(longs, 0L)
    length = 0
  }

  def take(from: Array[Byte], at: Int, size: Int): Unit = {
    length = math.min(size, SavedRow.MaxBytes)
    System.arraycopy(from, at, bytes, 0, length)
  }
}

private object SavedRow {
  final val MaxBytes = 128
}

object RowChunk {

  // Forms of a value of fixed width among saved bytes.
  private final val Difference = 0
  private final val Short = 1
  private final val Whole = 2
  private final val Null = 3

  private def inOrder(buffer: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(buffer).order(ByteOrder.nativeOrder)

  /** Writes a whole row as a chunk of such rows that has no other. */
  def writeWhole(row: UnsafeRow, out: DataOutputStream, buffer: Array[Byte]): Unit = {
    out.writeInt(1)
    inOrder(buffer).asIntBuffer.put(0).put(row.getSizeInBytes): Unit
    out.write(buffer, 0, 8)
    row.writeToStream(out, buffer)
  }

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

  /** Sets `size` bytes to 0, as few as the NULL bits of a row have. */
  def clearWords(bytes: Array[Byte], offset: Long, size: Int): Unit = {
    var i = 0
    while (i < size) {
      Platform.putLong(bytes, offset + i, 0L)
      i += 8
    }
  }

  /** Bytes of an UnsafeRow without its values of variable length. */
  def bytesOfFields(columns: Int): Int =
    UnsafeRow.calculateBitSetWidthInBytes(columns) + columns * 8

  /** Chunks have 2^12 rows, unless these are wide or the spill threshold asks for fewer. */
  final val Shift = MatchInput.BlockBits
  final val MaxRows: Int = 1 << Shift
  final val Mask: Int = MaxRows - 1

  /** Bytes of the buffer that `write` and `read` need. */
  final val BufferBytes: Int = MaxRows * 8

  final val FirstBytes: Int = 1 << 16
  final val MaxBytes: Long = Int.MaxValue - 16L
  private final val KeptBytes = 4L << 20

  /** Of the columns of fixed width. */
  private final val FixedBytes = KeptBytes / 2

  // What a chunk begins with is this part of what it may have.
  private final val FirstShift = 6

  /** A chunk whose byte area has as many bytes in use gets no more rows. */
  final val ByteLimit: Long = KeptBytes - 1024

  /** A size that an array can have. */
  def checked(size: Long): Long =
    if (size <= MaxBytes) size
    else throw new IllegalStateException("one row exceeds two gigabytes")

  /**
   * The size to grow a byte area to, at least `needed` bytes: twice as large only if it is small.
   */
  def grownSize(size: Int, needed: Long): Int = {
    val wanted = math.max(checked(needed), math.min(size * 2L, math.max(ByteLimit, size / 8 * 9L)))
    math.min(HeapArrays.filled(wanted), MaxBytes).toInt
  }

  /** Binary logarithm of a chunk's rows, such that at least two chunks fit under the threshold. */
  def shift(schema: StoreSchema, spillThreshold: Int): Int = {
    val rows = math.min(spillThreshold / 2L, FixedBytes / math.max(rowBytes(schema), 1L))
    math.min(Shift, 63 - java.lang.Long.numberOfLeadingZeros(math.max(rows, 1L)))
  }

  /** About the least that a chunk takes that has a row of so many bytes. */
  def leastSize(row: Long): Long = row + 4L * FirstBytes

  /** At most what a row takes of a chunk's byte area. */
  def bytesOf(schema: StoreSchema, row: UnsafeRow): Long =
    row.getSizeInBytes + schema.variable.length * 8L + 8

  /** Rows that the first chunk of so many has room for when it is made. */
  def firstRows(chunkRows: Int): Int = math.max(chunkRows >> FirstShift, 1)

  /** Bytes of a chunk's arrays with a byte area of a size. */
  def size(schema: StoreSchema, capacity: Int, bytes: Long): Long =
    fixedSize(schema, capacity) + (if (schema.variable.isEmpty) 0L else HeapArrays.filled(bytes))

  private def fixedSize(schema: StoreSchema, capacity: Int): Long =
    rowBytes(schema) * capacity + (schema.fixed.length * 2 + 1) * HeapArrays.HeaderBytes

  private def rowBytes(schema: StoreSchema): Long =
    schema.fixed.length * 8L + schema.fixedNullable.count(identity) +
      (if (schema.variable.isEmpty) 0 else 4)
}
