package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.rows.{RowsOnDemand, ToUnsafe}
import io.matchrecognize.execution.task.TaskMemory

/**
 * Makes blocks of the rows of a map task, each with the number of its shuffle partition.
 *
 * Rows are buffered up to a number of rows, up to `MaxBytes`, and as far as Spark's memory manager
 * has memory. Then blocks are written of all of them, so short memory means short blocks.
 *
 * Use: `add` rows until one does not fit, `finish`, `nextBlock` until it returns null, and again.
 *
 * @param partitionOf
 *   a row's partition; null if there is one only
 */
private[shuffle] final class BlockWriter(
    val buffer: BlockBuffer,
    partitionOf: UnsafeProjection,
    numberOf: Array[Int],
    resources: TaskResources,
    rowMetric: SQLMetric,
    blockMetric: SQLMetric
) {
  // The buffer is small, and its blocks can be written only where they are asked for: no spilling.
  val memory: TaskMemory = new TaskMemory(resources)

  /** Whether no other row fits, so that none need be made while a large one is in memory. */
  def isFull: Boolean = buffer.isFull || memory.getUsed > MaxBytes

  /** Buffers a row; false if it does not fit. The first one always does. */
  def add(row: UnsafeRow): Boolean = !isFull && {
    val more = buffer.growth(row)
    val fits = isGranted(more)
    if (!fits && buffer.length == 0) memory.must(more)
    val isAdded = fits || buffer.length == 0
    if (isAdded) {
      if (more > 0) buffer.grow(row)
      buffer.add(row, if (partitionOf == null) 0 else partitionOf(row).getInt(0))
    }
    isAdded
  }

  private def isGranted(bytes: Long): Boolean =
    bytes == 0 || (memory.getUsed + bytes <= MaxBytes && memory.take(bytes))

  /** Orders the rows for `nextBlock`. */
  def finish(): Unit = {
    resources.checkCancelled()
    rowMetric += buffer.length.toLong
    buffer.sort()
  }

  /** The next block, which is reused; null after the last one, when rows can be added again. */
  def nextBlock(): UnsafeRow = {
    val block = buffer.nextBlock(numberOf)
    if (block != null) blockMetric += 1
    else clear()
    block
  }

  private def clear(): Unit = {
    buffer.clear()
    if (memory.getUsed > MaxBytes) free()
  }

  /** Gives up the memory of rows that are written. */
  def free(): Unit = {
    buffer.shrink()
    memory.freeAll()
  }

  /** Largest size of the buffer, unless one row is larger. */
  private final val MaxBytes = 16L << 20
}

/** The blocks of rows that arrive one by one. */
private[shuffle] final class BlocksOfRows(
    input: Iterator[InternalRow],
    writer: BlockWriter,
    toUnsafe: ToUnsafe
) extends RowsOnDemand {
  // The row that did not fit any more.
  private var waiting: UnsafeRow = _
  private var isWriting = false

  override protected def make(): InternalRow = {
    var block: UnsafeRow = null
    while (block == null && (isWriting || fill())) {
      block = writer.nextBlock()
      isWriting = block != null
    }
    block
  }

  /** Buffers rows; false if there are none left. */
  private def fill(): Boolean = {
    if (waiting != null) {
      writer.add(waiting)
      waiting = null
    }
    while (waiting == null && !writer.isFull && input.hasNext) {
      val row = toUnsafe(input.next())
      if (!writer.add(row)) waiting = row
    }
    isWriting = writer.buffer.length > 0
    if (isWriting) writer.finish() else writer.free()
    isWriting
  }
}
