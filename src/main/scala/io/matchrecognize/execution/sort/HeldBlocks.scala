package io.matchrecognize.execution.sort

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.execution.rows.{RowChunk, RowStore, StoreSchema}
import io.matchrecognize.execution.shuffle.{BlockRow, ColumnBlock}

/**
 * Rows in the blocks in which they arrived. An address is the number of a block and of a row in it.
 *
 * @param columns
 *   number of the rows' columns
 * @param keys
 *   ordinals of the columns that the sort reads
 */
final class HeldBlocks(columns: Int, keys: Array[Int]) extends HeldRows {
  import HeldBlocks._

  private var blocks = new Array[ColumnBlock](FirstBlocks)
  private var count = 0

  override def isFull: Boolean = count == MaxBlocks

  /** Adds a block; the address of its first row. */
  def add(block: ColumnBlock): Int = {
    if (count == blocks.length) blocks = Arrays.copyOf(blocks, count * 2)
    blocks(count) = block
    count += 1
    (count - 1) << RowShift
  }

  override def cursor(): RowCursor = new RowCursor {
    private val row = new BlockRow(keys)
    override def at(address: Int): UnsafeRow =
      row.of(blocks(address >>> RowShift), address & RowMask)
  }

  override def inOrder(places: Array[Int], ends: Array[Int]): BlocksInOrder =
    new BlocksInOrder(Arrays.copyOf(blocks, count), places, ends, columns, 0)

  override def clear(): Unit = {
    blocks = new Array[ColumnBlock](FirstBlocks)
    count = 0
  }
}

private[sort] object HeldBlocks {
  private final val FirstBlocks = 16

  /** A block has at most 2^12 rows. */
  final val RowShift = 12
  final val RowMask: Int = (1 << RowShift) - 1
  private final val MaxBlocks = 1 << (32 - RowShift)

  final val TouchedRows = 64

  /** Bytes of variable length that are copied at a time, unless one row has more. */
  final val CopiedBytes: Long = 1L << 19
}

/** Rows of blocks in order, as rows or, partition by partition, as columns. */
final class BlocksInOrder(
    private var blocks: Array[ColumnBlock],
    private var places: Array[Int],
    private var ends: Array[Int],
    columns: Int,
    from: Int
) extends MemoryRows {
  import HeldBlocks._

  private var at = from
  private var partition = 0
  private var touched = 0
  private var touchedUntil = 0
  private var copiedBytes = 0L
  private val all = Array.range(0, columns)
  // By column and block: fewer steps to a value than by way of the block, and each may be a miss.
  private var fields = Array.tabulate(columns)(c => blocks.map(_.fields(c)))
  private val row = new BlockRow(all)

  override def memory: Long =
    blocks.iterator.map(_.size).sum + places.length * 4L + (if (ends == null) 0
                                                            else ends.length * 4L)

  override def rest: SortedRows = new BlocksInOrder(blocks, places, null, columns, at)

  override def forget(): Unit = {
    blocks = null
    places = null
    ends = null
    fields = null
  }

  override def next(): UnsafeRow =
    if (at == places.length) null
    else {
      at += 1
      show(row, at - 1)
    }

  private def show(row: BlockRow, position: Int): UnsafeRow =
    row.of(blocks(places(position) >>> RowShift), places(position) & RowMask)

  /** Whether `nextPartition` may be called. */
  def hasPartitions: Boolean = ends != null

  /** The first row of the next partition, which is not read by this; null if there is none. */
  def peek(): UnsafeRow =
    if (at == places.length) null
    else {
      // Many small partitions: all columns of the rows of some.
      if (at >= touchedUntil) {
        touchedUntil = math.min(at + TouchedRows, places.length)
        touched += touch(at, touchedUntil - at, all)
      }
      show(row, at)
    }

  /** Moves on to the next partition; the position after its last row. */
  def nextPartition(): Int = {
    partition += 1
    ends(partition - 1)
  }

  def position: Int = at

  /**
   * How many of the next rows, before the position `end`, are to be copied at a time; at least one.
   *
   * @param ordinals
   *   the columns of variable length
   */
  def copied(limit: Int, end: Int, ordinals: Array[Int]): Int = {
    val rows = math.min(limit, end - at)
    if (ordinals.isEmpty) rows
    else {
      val some = math.min(rows, TouchedRows)
      touched += touch(at, some, ordinals)
      copiedBytes = variableBytes(at, some, ordinals)
      if (copiedBytes <= CopiedBytes) some
      else {
        copiedBytes = variableBytes(at, 1, ordinals)
        1
      }
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
    at += rows
  }

  /** The bytes that a chunk needs for columns of variable length of some rows. */
  private def variableBytes(first: Int, rows: Int, ordinals: Array[Int]): Long = {
    var sum = fixedBytes(ordinals) * rows
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

  private def fixedBytes(ordinals: Array[Int]): Long =
    UnsafeRow.calculateBitSetWidthInBytes(ordinals.length) + ordinals.length * 8L

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
