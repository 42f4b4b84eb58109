package io.matchrecognize.execution.shuffle

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.execution.rows.StoreSchema

/**
 * Rows of a map task in columns, in the order of their arrival, each with the number of the shuffle
 * partition that it goes to. When the buffer is full, a counting sort orders them by partition, and
 * the rows of each become blocks: in the order of arrival, of at most `BlockRows` rows.
 *
 * @param hasSums
 *   whether blocks have the sum of their rows' hashes, see `BlockSums`
 */
private[shuffle] final class BlockBuffer(
    schema: StoreSchema,
    partitions: Int,
    hasSums: Boolean = false
) {
  import BlockBuffer._

  private val fixed =
    schema.fixed.zip(schema.fixedNullable).map { case (i, nullable) =>
      new FixedColumn(i, nullable)
    }
  private val variable = schema.variable.map(_ => new VariableColumn)
  private val rowBytes =
    fixed.length * 8L + schema.fixedNullable.count(identity) + variable.length * 8L + OrderBytes
  private val maxRows =
    math.max(MinRows, math.min(partitions.toLong * PartitionRows, MaxRows).toInt)

  private var targets = Array.emptyIntArray
  private var capacity = 0
  private var count = 0
  resize(FirstRows)

  // Since `sort`: the rows by partition, and the rows and partition of the next block.
  private var order: Array[Int] = _
  private val ends = new Array[Int](partitions)
  private var next = 0
  private var target = 0
  private val hashes = if (hasSums) new RowHashes(BlockRows) else null
  private val numbers = new BlockNumbers(BlockRows, hashes)
  private val out = new BlockOutput

  def length: Int = count

  def isFull: Boolean = count == maxRows

  /** Bytes to be acquired before `add(row)`. */
  def growth(row: UnsafeRow): Long = {
    var more = if (count == capacity) (nextCapacity - capacity) * rowBytes else 0L
    var c = 0
    while (c < variable.length) {
      more += variable(c).growth(sizeOf(row, c))
      c += 1
    }
    more
  }

  // A NULL has a size of 0 here.
  private def sizeOf(row: UnsafeRow, column: Int): Int = row.getLong(schema.variable(column)).toInt

  private def nextCapacity: Int = math.min(capacity * 2, maxRows)

  /** Makes the space that `growth` asked for. */
  def grow(row: UnsafeRow): Unit = {
    if (count == capacity) resize(nextCapacity)
    variable.indices.foreach(c => variable(c).grow(variable(c).growth(sizeOf(row, c))))
  }

  private def resize(rows: Int): Unit = {
    capacity = rows
    targets = Arrays.copyOf(targets, rows)
    fixed.foreach(_.resize(rows))
    variable.foreach(_.resize(rows))
  }

  /** Adds a row that goes to a partition. */
  def add(row: UnsafeRow, partition: Int): Unit = {
    targets(count) = partition
    var c = 0
    while (c < fixed.length) {
      fixed(c).put(row, count)
      c += 1
    }
    c = 0
    while (c < variable.length) {
      variable(c).put(row, schema.variable(c), count)
      c += 1
    }
    count += 1
  }

  /** Orders the rows for `nextBlock`; no more can be added until `clear`. */
  def sort(): Unit = {
    Arrays.fill(ends, 0)
    var i = 0
    while (i < count) {
      ends(targets(i)) += 1
      i += 1
    }
    var end = 0
    var p = 0
    while (p < partitions) {
      val rows = ends(p)
      ends(p) = end
      end += rows
      p += 1
    }
    order = new Array[Int](count)
    i = 0
    while (i < count) {
      val to = ends(targets(i))
      ends(targets(i)) = to + 1
      order(to) = i
      i += 1
    }
    next = 0
    target = 0
  }

  /**
   * The next block, as the second field of a row, which is reused; null after the last one.
   *
   * @param numberOf
   *   the first field, by partition
   */
  def nextBlock(numberOf: Array[Int]): UnsafeRow =
    if (next == count) null
    else {
      while (ends(target) == next) target += 1
      val until = blockEnd()
      val rows = until - next
      out.begin(rows)
      if (hasSums) hashes.begin(rows)
      fixed.foreach(_.write(order, next, until, numbers, out))
      variable.foreach(_.write(order, next, until, numbers, hashes, out))
      next = until
      out.finish(numberOf(target), if (hasSums) hashes.sum(rows) else 0L)
    }

  private def blockEnd(): Int = {
    val limit = math.min(ends(target), next + BlockRows)
    if (variable.isEmpty) limit
    else {
      var bytes = variableBytes(next)
      var at = next + 1
      while (at < limit && { bytes += variableBytes(at); bytes <= BlockBytes }) at += 1
      at
    }
  }

  private def variableBytes(at: Int): Long = {
    var bytes = 0L
    var c = 0
    while (c < variable.length) {
      bytes += variable(c).size(order(at))
      c += 1
    }
    bytes
  }

  /** Forgets all rows. */
  def clear(): Unit = {
    order = null
    count = 0
    next = 0
    out.free()
    variable.foreach(_.clear())
  }

  /** Gives up the arrays of forgotten rows. */
  def shrink(): Unit = {
    resize(FirstRows)
    variable.foreach(_.shrink())
  }
}

private[shuffle] object BlockBuffer {

  /** Largest number of rows of a block. */
  final val BlockRows: Int = 1 << 12

  /**
   * Largest number of bytes of a block's values of variable length, unless one row has more. They
   * are one array in a heap whose regions have a megabyte or more, see `HeapArrays`.
   */
  final val BlockBytes: Long = 480L << 10

  /** Rows in memory at first, which are few enough not to be accounted for. */
  final val FirstRows = 64

  // Rows of a buffer: with many partitions more, since their blocks would be short.
  private final val MinRows = 1 << 15
  private final val PartitionRows = 1L << 10
  private final val MaxRows = 1L << 22

  /** Of a row: its partition and its place in the order. */
  private final val OrderBytes = 8L
}
