package io.matchrecognize.execution.task

import java.util.ArrayDeque

import org.apache.spark.memory.MemoryConsumer
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources

/**
 * Counts what a task keeps beside its rows and cannot spill. Little is not counted, so that the
 * memory manager is not asked about each row; much more than it grants is its own error.
 */
class KeptMemory(resources: TaskResources) extends RowMemory(resources) {
  import KeptMemory._

  private var bytes = 0L

  resources.onCompletion(() => free())

  def keep(more: Long): Unit = {
    bytes += more
    if (bytes > getUsed + Step) acquireOrFail(bytes - getUsed)
  }

  /** The same for what can be done without; false if there is no memory. */
  def tryKeep(more: Long): Boolean = {
    val isGranted = bytes + more <= getUsed + Step || acquireForCache(bytes + more - getUsed)
    if (isGranted) bytes += more
    isGranted
  }

  def drop(less: Long): Unit = {
    bytes -= less
    if (getUsed > bytes + Step) freeMemory(getUsed - bytes)
  }

  def free(): Unit = {
    bytes = 0L
    freeMemory(getUsed)
  }

  override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
}

private object KeptMemory {
  private final val Step = 1L << 20
}

/** Copies of rows in the order of their arrival. */
final class WaitingRows(resources: TaskResources) {
  import WaitingRows._

  private val rows = new ArrayDeque[UnsafeRow]
  private val memory = new KeptMemory(resources)

  def isEmpty: Boolean = rows.isEmpty

  def add(row: UnsafeRow): Unit = {
    memory.keep(row.getSizeInBytes + ObjectBytes)
    rows.add(row.copy()): Unit
  }

  /** The first row. */
  def peek: UnsafeRow = rows.peek

  /** Removes the first row. */
  def poll(): UnsafeRow = {
    val row = rows.poll()
    memory.drop(row.getSizeInBytes + ObjectBytes)
    row
  }
}

private object WaitingRows {

  /** Of a row beside its bytes: the objects that hold it. */
  private final val ObjectBytes = 80L
}
