package org.apache.spark.sql.matchrecognize

import java.util.Properties

import org.apache.spark.executor.TaskMetrics
import org.apache.spark.memory.{TaskMemoryManager, UnifiedMemoryManager}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.{SparkConf, TaskContext, TaskContextImpl}

/**
 * Memory that a test has for itself. That of a real task also depends on other tasks and on stored
 * blocks: what a broadcast held is free again whenever the collector finds it unused.
 */
object OwnMemory {

  /** The context of the only task that has so much memory. */
  def context(bytes: Long): TaskContext = newContext(bytes)

  private def newContext(bytes: Long): TaskContextImpl = {
    val memory = new UnifiedMemoryManager(new SparkConf(false), bytes, 0L, 1)
    new TaskContextImpl(
      0,
      0,
      0,
      0L,
      0,
      1,
      new TaskMemoryManager(memory, 0L),
      new Properties,
      null,
      TaskMetrics.empty,
      1,
      Map.empty
    )
  }

  /** Reads the first partition of rows that need no shuffle, as a task that has so much memory. */
  def read[T](bytes: Long, rows: RDD[InternalRow])(body: Iterator[InternalRow] => T): T = {
    val context = newContext(bytes)
    TaskContext.setTaskContext(context)
    try
      try body(rows.iterator(rows.partitions.head, context))
      finally context.markTaskCompleted(None)
    finally TaskContext.unset()
  }

  /** Runs in another thread of a task, as the threads of Spark that feed Python do. */
  def thread(context: TaskContext)(body: => Unit): Thread = {
    val thread = new Thread(() => {
      TaskContext.setTaskContext(context)
      body
    })
    thread.start()
    thread
  }
}
