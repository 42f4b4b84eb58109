package io.matchrecognize.execution.task

import org.apache.spark.memory.MemoryConsumer
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
