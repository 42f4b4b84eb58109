package io.matchrecognize.execution.task

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, SparkOutOfMemoryError}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.QuerySuite
import io.matchrecognize.streaming.InTask

/** Memory for rows that wait: of Spark's account, once it is more than a little. */
class KeptMemorySuite extends QuerySuite {
  private val toUnsafe = UnsafeProjection.create(Array[DataType](LongType, StringType))
  private def row(i: Long) = toUnsafe(InternalRow(i, UTF8String.fromString("x" * 1000)))

  test("rows that wait are counted, and given back")(InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val memory = resources.memoryManager
    val waiting = new WaitingRows(resources)
    (0L until 20L).foreach(i => waiting.add(row(i)))
    assert(memory.getMemoryConsumptionForThisTask == 0L)
    (20L until 20000L).foreach(i => waiting.add(row(i)))
    assert(memory.getMemoryConsumptionForThisTask > (18L << 20))
    (0L until 20000L).foreach { i =>
      assert(waiting.peek.getLong(0) == i && waiting.poll().getLong(0) == i)
      if (i == 10000L) assert(memory.getMemoryConsumptionForThisTask < (12L << 20))
    }
    assert(waiting.isEmpty && memory.getMemoryConsumptionForThisTask <= (1L << 20))
  })

  test("without memory it is Spark's own error")(InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val hoard = new MemoryConsumer(resources.memoryManager, 1 << 20, MemoryMode.ON_HEAP) {
      override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
    }
    hoard.acquireMemory(Long.MaxValue / 2): Unit
    hoard.freeMemory(4L << 20)
    val waiting = new WaitingRows(resources)
    intercept[SparkOutOfMemoryError]((0L until 20000L).foreach(i => waiting.add(row(i))))
    hoard.freeMemory(hoard.getUsed)
  })
}
