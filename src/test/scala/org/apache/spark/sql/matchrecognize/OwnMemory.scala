package org.apache.spark.sql.matchrecognize

import java.util.Properties

import org.apache.spark.executor.TaskMetrics
import org.apache.spark.memory.{TaskMemoryManager, UnifiedMemoryManager}
import org.apache.spark.{SparkConf, TaskContext, TaskContextImpl}

/**
 * Memory that a test has for itself. That of a real task also depends on other tasks and on stored
 * blocks: what a broadcast held is free again whenever the collector finds it unused.
 */
object OwnMemory {

  /** The context of the only task that has so much memory. */
  def context(bytes: Long): TaskContext = {
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
}
