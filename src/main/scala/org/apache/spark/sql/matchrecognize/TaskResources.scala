package org.apache.spark.sql.matchrecognize

import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.{SparkEnv, TaskContext, TaskKilledException}

/**
 * What the operator needs from its task and only packages of Spark may use.
 *
 * @param onSpill
 *   called with the bytes freed
 */
final class TaskResources(context: TaskContext, onSpill: Long => Unit) {
  @volatile private var hasEnded = false

  def memoryManager: TaskMemoryManager = context.taskMemoryManager()

  def createSpillFile(bufferSize: Int): SpillFile = {
    val env = SparkEnv.get
    val (id, file) = env.blockManager.diskBlockManager.createTempLocalBlock()
    new SpillFile(id, file, bufferSize, env.serializerManager)
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

  /**
   * Ends the task if it was killed. If it has ended, which Spark's threads that feed Python are not
   * waited for, ends the thread that still reads its rows: what it acquired now would be lost.
   */
  def checkCancelled(): Unit = {
    context.killTaskIfInterrupted()
    if (hasEnded) throw new TaskKilledException("the task has ended")
  }

  def onCompletion(action: () => Unit): Unit =
    context.addTaskCompletionListener[Unit] { _ =>
      hasEnded = true
      action()
    }

  /**
   * Runs `action` when the task has ended without an error, before what `onCompletion` runs then.
   */
  def onSuccess(action: () => Unit): Unit =
    context.addTaskCompletionListener[Unit] { ended =>
      if (!ended.isFailed() && !ended.isInterrupted()) action()
    }

  def reportPeakMemory(bytes: Long): Unit = context.taskMetrics().incPeakExecutionMemory(bytes)
}
