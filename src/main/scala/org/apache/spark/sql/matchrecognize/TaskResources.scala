package org.apache.spark.sql.matchrecognize

import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.{SparkEnv, TaskContext}

/**
 * What the operator needs from its task and only packages of Spark may use.
 *
 * @param onSpill
 *   called with the bytes freed
 */
final class TaskResources(context: TaskContext, onSpill: Long => Unit) {
  def memoryManager: TaskMemoryManager = context.taskMemoryManager()

  def createSpillFile(bufferSize: Int): SpillFile = {
    val (id, file) = SparkEnv.get.blockManager.diskBlockManager.createTempLocalBlock()
    new SpillFile(id, file, bufferSize)
  }

  /**
   * @param memory
   *   bytes freed in memory
   * @param disk
   *   bytes written
   */
  def recordSpill(memory: Long, disk: Long): Unit = {
    context.taskMetrics().incMemoryBytesSpilled(memory)
    context.taskMetrics().incDiskBytesSpilled(disk)
    onSpill(memory)
  }

  /** Ends the task if it was killed. */
  def checkCancelled(): Unit = context.killTaskIfInterrupted()

  def onCompletion(action: () => Unit): Unit =
    context.addTaskCompletionListener[Unit](_ => action())

  def reportPeakMemory(bytes: Long): Unit = context.taskMetrics().incPeakExecutionMemory(bytes)
}
