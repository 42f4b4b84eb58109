package io.matchrecognize.execution.sort

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

import io.matchrecognize.execution.rows.RowChunk.copyWords
import io.matchrecognize.execution.rows.{RowChunk, RowStore, StoreSchema}
import io.matchrecognize.execution.shuffle.{BlockRow, ColumnBlock}
import io.matchrecognize.execution.task.HeapArrays

/**
 * Rows in blocks: those in which they arrived, or blocks of whole rows to which they are appended
 * one by one. An address is the number of a block and of a row in it.
 *
 * @param columns
 *   number of the rows' columns
 * @param keys
 *   ordinals of the columns that the sort reads; of all columns if rows are whole
 */
final class HeldBlocks(columns: Int, keys: Array[Int]) {
  import HeldBlocks._

  private var blocks = new Array[ColumnBlock](FirstBlocks)
  private var count = 0
  // Bytes of the rows of the last block, if it has whole ones.
  private var end = 0

  /** Whether all addresses are in use, so that no block can be added. */
  def isFull: Boolean = count == MaxBlocks

  /** Adds a block; the address of its first row. */
  def add(block: ColumnBlock): Int = {
    if (count == blocks.length) blocks = Arrays.copyOf(blocks, count * 2)
    blocks(count) = block
    count += 1
    (count - 1) << RowShift
  }

  private def last: ColumnBlock = blocks(count - 1)

  /** Bytes to be acquired before a row of `size` bytes is appended. */
  def growth(size: Int): Long = {
    val needed = padded(size)
    if (isNew(needed)) ColumnBlock.RowsBytes + FirstRows * 8L + newBytes(needed)
    else (grownRows - last.fields(0).length) * 8L + grownBytes(needed) - last.bytes(0).length
  }

  private def isNew(needed: Long): Boolean =
    count == 0 || last.length > RowMask || end + needed > math.max(last.bytes(0).length, BlockBytes)

  // The first block is small until more is needed; a larger row has a block of its own.
  private def newBytes(needed: Long): Long =
    if (needed > BlockBytes) math.min(HeapArrays.filled(needed), RowChunk.MaxBytes)
    else if (count > 0) BlockBytes.toLong
    else math.max(FirstBytes.toLong, java.lang.Long.highestOneBit(needed) * 2)

  private def grownRows: Int = {
    val space = last.fields(0).length
    if (last.length < space) space else space * 2
  }

  private def grownBytes(needed: Long): Long = {
    val space = last.bytes(0).length
    if (end + needed <= space) space.toLong
    else math.min(BlockBytes.toLong, math.max(space * 2L, end + needed))
  }

  private def padded(size: Int): Long = RowChunk.checked((size + 7L) & ~7L)

  /** Makes the space that `growth` asked for. */
  def grow(size: Int): Unit = {
    val needed = padded(size)
    if (isNew(needed)) {
      val bytes = newBytes(needed)
      add(ColumnBlock.ofRows()): Unit
      last.fields(0) = new Array[Long](FirstRows)
      last.bytes(0) = new Array[Byte](bytes.toInt)
      end = 0
    } else {
      val rows = grownRows
      if (rows > last.fields(0).length) last.fields(0) = Arrays.copyOf(last.fields(0), rows)
      val bytes = grownBytes(needed).toInt
      if (bytes > last.bytes(0).length) last.bytes(0) = Arrays.copyOf(last.bytes(0), bytes)
    }
  }

  /** Copies a row, after `grow`, and the bytes up to the next word; its address. */
  def append(base: AnyRef, offset: Long, size: Int): Int = {
    val block = last
    val to = Platform.BYTE_ARRAY_OFFSET.toLong + end
    copyWords(base, offset, block.bytes(0), to, (size + 7) & ~7)
    block.append((end.toLong << 32) | size)
    end += (size + 7) & ~7
    ((count - 1) << RowShift) | (block.length - 1)
  }

  /** Whether the row at an address has these bytes. */
  def isEqual(address: Int, base: AnyRef, offset: Long, size: Int): Boolean = {
    val block = blocks(address >>> RowShift)
    val place = block.fields(0)(address & RowMask)
    val start = Platform.BYTE_ARRAY_OFFSET + (place >>> 32)
    place.toInt == size &&
    ByteArrayMethods.arrayEquals(block.bytes(0), start, base, offset, size.toLong)
  }

  /** Shows one row at a time, with the columns that the sort reads. */
  def cursor(): Int => UnsafeRow = {
    val row = new BlockRow(keys)
    address => row.of(blocks(address >>> RowShift), address & RowMask)
  }

  /**
   * The rows in an order.
   *
   * @param places
   *   their addresses
   * @param ends
   *   where the partitions end in `places`; null if that is not known
   */
  def inOrder(places: Array[Int], ends: Array[Int]): BlocksInOrder =
    new BlocksInOrder(Arrays.copyOf(blocks, count), places, ends, columns, keys, 0)

  /** Forgets all rows. */
  def clear(): Unit = {
    blocks = new Array[ColumnBlock](FirstBlocks)
    count = 0
    end = 0
  }
}

private[sort] object HeldBlocks {
  private final val FirstBlocks = 16

  // Of blocks of whole rows.
  private final val FirstRows = 64
  private final val FirstBytes = 1 << 13
  private final val BlockBytes = 1 << 18

  /** A block has at most 2^12 rows. */
  final val RowShift = 12
  final val RowMask: Int = (1 << RowShift) - 1
  private final val MaxBlocks = 1 << (32 - RowShift)

  final val TouchedRows = 64

  /** Bytes of variable length that are copied at a time, unless one row has more. */
  final val CopiedBytes: Long = 1L << 19
}

/** Rows of blocks in order, as rows or, partition by partition, for the store. */
final class BlocksInOrder(
    private var blocks: Array[ColumnBlock],
    private var places: Array[Int],
    private var ends: Array[Int],
    columns: Int,
    keys: Array[Int],
    from: Int
) extends SortedRows {
  import HeldBlocks._

  private var at = from
  private var partition = 0
  private var touched = 0
  private var touchedUntil = 0
  private var copiedBytes = 0L
  private val hasRows = blocks.nonEmpty && blocks(0).hasRows
  private val all = if (hasRows) Array(0) else Array.range(0, columns)
  // By column and block: fewer steps to a value than by way of the block, and each may be a miss.
  private var fields = all.map(c => blocks.map(_.fields(c)))
  private val row = new BlockRow(Array.range(0, columns))
  private val keyRow = new BlockRow(keys, keys, columns)

  /** Bytes of the rows and of their order. */
  def memory: Long =
    blocks.iterator.map(_.size).sum + places.length * 4L + Option(ends).fold(0)(_.length) * 4L

  /** The rows not read yet, which leaves the row that was read last as it is. */
  def rest: SortedRows = new BlocksInOrder(blocks, places, null, columns, keys, at)

  /** Gives up the rows, whoever still refers to this. */
  def forget(): Unit = {
    blocks = null
    places = null
    ends = null
    fields = null
  }

  override def next(): UnsafeRow =
    if (at == places.length) null
    else {
      touchSome()
      at += 1
      show(row, at - 1)
    }

  private def show(row: BlockRow, position: Int): UnsafeRow =
    row.of(blocks(places(position) >>> RowShift), places(position) & RowMask)

  /** Whether `nextPartition` may be called. */
  def hasPartitions: Boolean = ends != null

  /**
   * The first row of the next partition, with the columns that the sort reads, which is not read by
   * this; null if there is none.
   */
  def peek(): UnsafeRow =
    if (at == places.length) null
    else {
      touchSome()
      show(keyRow, at)
    }

  // Many small partitions: all columns of the rows of some.
  private def touchSome(): Unit = if (at >= touchedUntil) {
    touchedUntil = math.min(at + TouchedRows, places.length)
    touched += touch(at, touchedUntil - at, all)
  }

  /** Moves on to the next partition; the position after its last row. */
  def nextPartition(): Int = {
    partition += 1
    ends(partition - 1)
  }

  def position: Int = at

  /** Whether all rows were read or copied. */
  def isDone: Boolean = at == places.length

  /**
   * How many of the next rows, before the position `end`, are to be copied at a time; at least one.
   *
   * @param ordinals
   *   the columns of variable length
   */
  def copied(limit: Int, end: Int, ordinals: Array[Int]): Int = {
    val rows = math.min(limit, end - at)
    if (ordinals.isEmpty && !hasRows) rows
    else {
      // A whole row has more bytes than its columns of variable length.
      val read = if (hasRows) all else ordinals
      val some = math.min(rows, TouchedRows)
      touched += touch(at, some, read)
      copiedBytes = variableBytes(at, some, read)
      var fitting = some
      while (fitting > 1 && copiedBytes > CopiedBytes) {
        fitting -= 1
        copiedBytes -= variableBytes(at + fitting, 1, read)
      }
      fitting
    }
  }

  /**
   * The bytes that a chunk needs for the columns of variable length of rows that `copied` found.
   */
  def bytesCopied: Long = copiedBytes

  /**
   * Appends the next rows to the last chunk of a store, which has to have room for them and for
   * their columns of variable length.
   *
   * @param variable
   *   rows of the store's columns of variable length; null if it has none
   */
  def copy(rows: Int, store: RowStore, schema: StoreSchema, variable: BlockRow): Unit = {
    if (hasRows) {
      var i = 0
      while (i < rows) {
        store.put(show(row, at + i))
        i += 1
      }
    } else copyColumns(rows, store, schema, variable)
    at += rows
  }

  private def copyColumns(
      rows: Int,
      store: RowStore,
      schema: StoreSchema,
      variable: BlockRow
  ): Unit = {
    val chunk = store.open()
    val to = chunk.length
    copyFixed(at, rows, chunk, to, schema)
    if (variable == null) store.written(to + rows)
    else {
      var i = 0
      while (i < rows) {
        chunk.putVariable(show(variable, at + i))
        store.written(to + i + 1)
        i += 1
      }
    }
  }

  /** The bytes that a chunk needs for columns of variable length of some rows. */
  private def variableBytes(first: Int, rows: Int, ordinals: Array[Int]): Long = {
    var sum = RowChunk.bytesOfFields(ordinals.length).toLong * rows
    var c = 0
    while (c < ordinals.length) {
      var i = 0
      while (i < rows) {
        val place = places(first + i)
        val block = blocks(place >>> RowShift)
        if (!block.isNull(ordinals(c), place & RowMask)) {
          val size = fields(ordinals(c))(place >>> RowShift)(place & RowMask).toInt
          sum += (size + 7) & ~7
        }
        i += 1
      }
      c += 1
    }
    sum
  }

  private def copyFixed(
      first: Int,
      rows: Int,
      chunk: RowChunk,
      to: Int,
      schema: StoreSchema
  ): Unit = {
    var c = 0
    while (c < schema.fixed.length) {
      val target = chunk.longs(c)
      val ordinal = schema.fixed(c)
      val from = fields(ordinal)
      var i = 0
      while (i < rows) {
        val place = places(first + i)
        target(to + i) = from(place >>> RowShift)(place & RowMask)
        i += 1
      }
      if (chunk.nulls(c) != null) copyNulls(first, rows, ordinal, chunk.nulls(c), to)
      c += 1
    }
  }

  // Rows are spread over all blocks: reading a little of some at a time overlaps the cache misses.
  private def touch(first: Int, rows: Int, ordinals: Array[Int]): Int = {
    var sum = 0
    var c = 0
    while (c < ordinals.length) {
      val ordinal = ordinals(c)
      var i = 0
      while (i < rows) {
        val place = places(first + i)
        val field = fields(ordinal)(place >>> RowShift)(place & RowMask)
        val values = blocks(place >>> RowShift).bytes(ordinal)
        sum += (if (values == null) field.toInt else values((field >>> 32).toInt).toInt)
        i += 1
      }
      c += 1
    }
    sum
  }

  private def copyNulls(first: Int, rows: Int, ordinal: Int, target: Array[Byte], to: Int): Unit = {
    var i = 0
    while (i < rows) {
      val place = places(first + i)
      target(to + i) = if (blocks(place >>> RowShift).isNull(ordinal, place & RowMask)) 1 else 0
      i += 1
    }
  }
}
