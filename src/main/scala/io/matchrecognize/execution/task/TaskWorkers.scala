package io.matchrecognize.execution.task

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.matchrecognize.TaskResources

/**
 * Threads that work on a large partition of a task at the same time. They live as long as a call of
 * `run`, so none is left when a task ends, however it ends.
 *
 * @param count
 *   how many there are, the task's own among them
 * @param minRows
 *   smaller partitions are left to the task's own
 * @param onUse
 *   called before they are started
 */
final class TaskWorkers(
    val count: Int,
    minRows: Long,
    resources: TaskResources,
    onUse: () => Unit
) {

  /** Whether they are to be used for a partition. */
  def areFor(rows: Long): Boolean = count > 1 && rows >= minRows

  /** Calls `work` with the number of each thread in that thread; raises the first failure. */
  def run(work: Int => Unit): Unit = {
    onUse()
    resources.inThreads(count)(work)
  }

  /** Calls `work` with the number of a thread and of an item, for each item once. */
  def each(items: Int)(work: (Int, Int) => Unit): Unit = {
    val next = new AtomicInteger
    run { thread =>
      var item = next.getAndIncrement()
      while (item < items) {
        resources.checkCancelled()
        try work(thread, item)
        catch {
          case e: Throwable =>
            next.set(items)
            throw e
        }
        item = next.getAndIncrement()
      }
    }
  }
}

object TaskWorkers {

  /** The task's own thread only. */
  val none: TaskWorkers = new TaskWorkers(1, 0L, null, () => ())
}
