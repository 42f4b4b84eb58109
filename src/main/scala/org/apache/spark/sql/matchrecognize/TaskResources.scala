package org.apache.spark.sql.matchrecognize

import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.{SparkContext, SparkEnv, TaskContext, TaskKilledException}

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

  def reportPeakMemory(bytes: Long): Unit = context.taskMetrics().incPeakExecutionMemory(bytes)

  /** How many tasks the executor runs at a time, as far as its configuration says so. */
  def slots: Int = {
    val conf = SparkEnv.get.conf
    val master = conf.get("spark.master", "")
    val cores =
      if (master == "local" || master.startsWith("local[")) SparkContext.numDriverCores(master)
      else conf.getInt("spark.executor.cores", 1)
    val available = math.min(cores, Runtime.getRuntime.availableProcessors)
    math.max(1, (available / conf.getDouble("spark.task.cpus", 1.0)).toInt)
  }

  /**
   * Calls `work(0)` in this thread and `work(1)` to `work(count - 1)` in others, as threads of the
   * same task, and returns when all have ended; raises the first failure. An interrupt is kept
   * until then: who kills a task says so before it interrupts, so the threads end by
   * `checkCancelled`. The same holds if the system has no thread left: those that were started end
   * first, since they use what the task frees.
   */
  def inThreads(count: Int, newThread: (Runnable, String) => Thread = new Thread(_, _))(
      work: Int => Unit
  ): Unit = {
    val failures = new ConcurrentLinkedQueue[Throwable]
    def call(number: Int): Unit =
      try work(number)
      catch { case e: Throwable => failures.add(e): Unit }
    val others = (1 until count).map { number =>
      val thread = newThread(
        () => {
          TaskContext.setTaskContext(context)
          try call(number)
          finally TaskContext.unset()
        },
        s"${Thread.currentThread.getName}, match_recognize $number"
      )
      thread.setDaemon(true)
      thread.setContextClassLoader(Thread.currentThread.getContextClassLoader)
      thread
    }
    // A thread that was not started is not alive either.
    try others.foreach(_.start())
    catch { case e: Throwable => failures.add(e): Unit }
    if (failures.isEmpty) call(0)
    var wasInterrupted = false
    others.foreach { thread =>
      while (thread.isAlive)
        try thread.join()
        catch { case _: InterruptedException => wasInterrupted = true }
    }
    if (wasInterrupted) Thread.currentThread.interrupt()
    if (!failures.isEmpty) throw failures.peek()
  }
}
