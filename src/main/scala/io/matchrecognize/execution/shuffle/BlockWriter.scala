package io.matchrecognize.execution.shuffle

import org.apache.spark.memory.MemoryConsumer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.rows.RowMemory

/**
 * The blocks of the rows of a map task, each with the number of its shuffle partition.
 *
 * Rows are buffered up to a number of rows, up to `MaxBytes`, and as far as Spark's memory manager
 * has memory. Then blocks are written of all of them, so short memory means short blocks.
 *
 * @param partitionOf
 *   a row's partition; null if there is one only
 * @param toUnsafe
 *   for rows that are no UnsafeRows
 */
private[shuffle] final class BlockWriter(
    input: Iterator[InternalRow],
    buffer: BlockBuffer,
    partitionOf: UnsafeProjection,
    numberOf: Array[Int],
    toUnsafe: UnsafeProjection,
    resources: TaskResources,
    rowMetric: SQLMetric,
    blockMetric: SQLMetric
) extends RowMemory(resources)
    with Iterator[InternalRow] {
  import BlockWriter._

  // The row that did not fit any more.
  private var waiting: UnsafeRow = _
  private var isWriting = false
  private var block: UnsafeRow = _

  override def hasNext: Boolean = {
    while (block == null && (isWriting || fill())) {
      block = buffer.nextBlock(numberOf)
      if (block == null) clear()
    }
    block != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more blocks")
    val result = block
    block = null
    blockMetric += 1
    result
  }

  /** Buffers rows and orders them; false if there are none left. */
  private def fill(): Boolean = {
    if (waiting != null) {
      val row = waiting
      waiting = null
      add(row)
    }
    while (waiting == null && !buffer.isFull && input.hasNext)
      add(input.next() match {
        case row: UnsafeRow => row
        case row => toUnsafe(row)
      })
    isWriting = buffer.length > 0
    if (isWriting) {
      resources.checkCancelled()
      rowMetric += buffer.length.toLong
      buffer.sort()
    }
    isWriting
  }

  private def add(row: UnsafeRow): Unit = {
    val more = buffer.growth(row)
    val fits = more == 0 || (getUsed + more <= MaxBytes && acquire(more))
    if (!fits && buffer.length > 0) waiting = row
    else {
      if (!fits) acquireOrFail(more)
      if (more > 0) buffer.grow(row)
      buffer.add(row, if (partitionOf == null) 0 else partitionOf(row).getInt(0))
    }
  }

  private def clear(): Unit = {
    isWriting = false
    buffer.clear()
    if (getUsed > MaxBytes) {
      buffer.shrink()
      freeMemory(getUsed)
    }
  }

  // The buffer is small, and its blocks can be written only where they are asked for.
  override def spill(size: Long, trigger: MemoryConsumer): Long = 0L

  def free(): Unit = freeMemory(getUsed)
}

private[shuffle] object BlockWriter {

  /** Largest size of the buffer, unless one row is larger. */
  private final val MaxBytes = 16L << 20
}
