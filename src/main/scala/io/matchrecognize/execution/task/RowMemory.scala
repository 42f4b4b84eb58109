package io.matchrecognize.execution.task

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.matchrecognize.TaskResources

/** Holds rows of a task in arrays of its own, which count as memory that Spark manages. */
abstract class RowMemory(resources: TaskResources)
    extends MemoryConsumer(
      resources.memoryManager,
      resources.memoryManager.pageSizeBytes,
      MemoryMode.ON_HEAP
    ) {
  private var peak = 0L

  /** Largest number of bytes held at a time. */
  def peakMemory: Long = peak

  /** Ends the task if it was killed. */
  def checkCancelled(): Unit = resources.checkCancelled()

  /** All of the bytes, or none of them. */
  protected def acquire(bytes: Long): Boolean = bytes == 0 || {
    // Nobody would give it back after the task's end.
    checkCancelled()
    val got = acquireMemory(bytes)
    if (got < bytes) freeMemory(got)
    else peak = math.max(peak, getUsed)
    got >= bytes
  }

  /** At most `bytes`, as many as there are; returns how many. */
  protected def acquireSome(bytes: Long): Long = {
    checkCancelled()
    val got = if (bytes == 0) 0L else acquireMemory(bytes)
    peak = math.max(peak, getUsed)
    got
  }

  // Another consumer of the task sees it when it is asked to spill.
  @volatile private var isForCache = false

  /** The same for what can be done without: no rows of the clause are spilled for it. */
  protected def acquireForCache(bytes: Long): Boolean = {
    isForCache = true
    try acquire(bytes)
    finally isForCache = false
  }

  /** Whether who asks to spill can do without the memory. */
  protected def isForCache(trigger: MemoryConsumer): Boolean = trigger match {
    case rows: RowMemory => rows.isForCache
    case _ => false
  }

  /** Fails with Spark's own error of operators that get no memory. */
  protected def acquireOrFail(bytes: Long): Unit = if (!acquire(bytes)) {
    freeArray(allocateArray((bytes + 7) / 8))
    // Not refused after all.
    if (!acquire(bytes)) throw new IllegalStateException(s"no memory for $bytes bytes of rows")
  }
}
