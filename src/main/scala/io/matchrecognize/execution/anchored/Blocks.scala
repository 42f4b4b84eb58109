package io.matchrecognize.execution.anchored

import java.util.Arrays

import io.matchrecognize.execution.anchored.Blocks._
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.Truth

/**
 * The rows of a partition in blocks of 64, these in blocks of 64 blocks, and so on. Level 1 has the
 * blocks of rows. What is known about a block is computed when it is asked for.
 *
 * @param store
 *   accounts for bytes before they are allocated
 */
private[anchored] abstract class Blocks(bytesPerBlock: Long, store: Rows) {
  protected var rows = 0L
  // For each level, for each block: 0 or what `summarise` returned.
  private var known = new Array[Array[Byte]](0)

  /** Begins a partition. */
  def reset(partitionRows: Long): Unit = {
    known.indices.foreach { level =>
      Arrays.fill(known(level), 0, blocksOf(level + 1).min(known(level).length), 0.toByte)
    }
    rows = partitionRows
    var level = 0
    while (blocksOf(level + 1) > 0 && (level == 0 || blocksOf(level) > 1)) {
      val blocks = blocksOf(level + 1)
      if (level == known.length) known = Arrays.copyOf(known, level + 1)
      val room = if (known(level) == null) 0 else known(level).length
      if (room < blocks) {
        val larger = blocks.max(room * 2)
        store.reserve((larger - room) * (bytesPerBlock + 1))
        known(level) = new Array[Byte](larger)
        grow(level, larger)
      }
      level += 1
    }
  }

  /** Rows of the partition. */
  def length: Long = rows

  /** Blocks of a level in the partition. */
  def blocksOf(level: Int): Int = ((rows + (1L << (level * Bits)) - 1) >>> (level * Bits)).toInt

  /** What is known about a block, never 0. */
  final def state(level: Int, block: Int): Int = {
    val states = known(level - 1)
    if (states(block) == 0) {
      store.checkCancelled()
      if (level > 1) {
        var child = block << Bits
        val end = blocksOf(level - 1).min(child + Size)
        while (child < end) {
          state(level - 1, child)
          child += 1
        }
      }
      states(block) = summarise(level, block).toByte
    }
    states(block).toInt
  }

  /** Makes room for the blocks of a level, numbered from 0. */
  protected def grow(level: Int, blocks: Int): Unit

  /** Computes what is known about a block from its rows or, above level 1, its known children. */
  protected def summarise(level: Int, block: Int): Int
}

private[anchored] object Blocks {
  final val Bits = 6
  final val Size = 64

  /** The condition is TRUE on no row, on some or perhaps some, on all rows. */
  final val No = 1
  final val Some = 2
  final val All = 3
}

/**
 * On which rows a row-local condition is TRUE.
 *
 * @param test
 *   its [[io.matchrecognize.matcher.Truth]] on a row
 */
private[anchored] final class TestBlocks(test: Long => Int, store: Rows) extends Blocks(16, store) {
  private var possible = new Array[Long](0)
  private var certain = new Array[Long](0)

  /** Rows of a block, one bit each, where the condition is TRUE or fails. */
  def possibleIn(block: Int): Long = {
    state(1, block)
    possible(block)
  }

  /** Rows where it is TRUE. */
  def certainIn(block: Int): Long = {
    state(1, block)
    certain(block)
  }

  override protected def grow(level: Int, blocks: Int): Unit = if (level == 0) {
    possible = new Array[Long](blocks)
    certain = new Array[Long](blocks)
  }

  override protected def summarise(level: Int, block: Int): Int =
    if (level == 1) {
      val first = block.toLong << Bits
      val count = (rows - first).min(Size.toLong).toInt
      var may = 0L
      var is = 0L
      var i = 0
      while (i < count) {
        val truth = test(first + i)
        if (truth != Truth.False) may |= 1L << i
        if (truth == Truth.True) is |= 1L << i
        i += 1
      }
      possible(block) = may
      certain(block) = is
      if (may == 0) No else if (java.lang.Long.bitCount(is) == count) All else Blocks.Some
    } else {
      val first = block << Bits
      val end = blocksOf(level - 1).min(first + Size)
      val kind = state(level - 1, first)
      var child = first + 1
      while (child < end && state(level - 1, child) == kind) child += 1
      if (child == end) kind else Blocks.Some
    }
}

/** The smallest and largest value of the rows that have one. */
private[anchored] final class ValueBlocks(
    isNull: Long => Boolean,
    value: Long => Long,
    store: Rows
) extends Blocks(16, store) {
  private var minima = new Array[Array[Long]](0)
  private var maxima = new Array[Array[Long]](0)

  def isNullAt(row: Long): Boolean = isNull(row)

  def valueAt(row: Long): Long = value(row)

  /** Whether all rows of a block have a value. */
  def isComplete(level: Int, block: Int): Boolean = state(level, block) == Complete

  /** The smallest value of a block; larger than the largest if its rows have none. */
  def least(level: Int, block: Int): Long = {
    state(level, block)
    minima(level - 1)(block)
  }

  def most(level: Int, block: Int): Long = {
    state(level, block)
    maxima(level - 1)(block)
  }

  private final val Complete = 1
  private final val WithNulls = 2

  override protected def grow(level: Int, blocks: Int): Unit = {
    if (level == minima.length) {
      minima = Arrays.copyOf(minima, level + 1)
      maxima = Arrays.copyOf(maxima, level + 1)
    }
    minima(level) = new Array[Long](blocks)
    maxima(level) = new Array[Long](blocks)
  }

  override protected def summarise(level: Int, block: Int): Int = {
    var least = Long.MaxValue
    var most = Long.MinValue
    var kind = Complete
    if (level == 1) {
      var row = block.toLong << Bits
      val end = rows.min(row + Size)
      while (row < end) {
        if (isNull(row)) kind = WithNulls
        else {
          val v = value(row)
          least = least.min(v)
          most = most.max(v)
        }
        row += 1
      }
    } else {
      var child = block << Bits
      val end = blocksOf(level - 1).min(child + Size)
      while (child < end) {
        least = least.min(minima(level - 2)(child))
        most = most.max(maxima(level - 2)(child))
        if (state(level - 1, child) == WithNulls) kind = WithNulls
        child += 1
      }
    }
    minima(level - 1)(block) = least
    maxima(level - 1)(block) = most
    kind
  }
}
