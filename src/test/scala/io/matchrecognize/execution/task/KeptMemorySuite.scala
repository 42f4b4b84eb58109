package io.matchrecognize.execution.task

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, SparkOutOfMemoryError}
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.QuerySuite
import io.matchrecognize.streaming.InTask

/** Memory that cannot be spilled: of Spark's account, once it is more than a little. */
class KeptMemorySuite extends QuerySuite {
  test("what is kept is counted, and given back")(InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val memory = resources.memoryManager
    val kept = new KeptMemory(resources)
    (0 until 20).foreach(_ => kept.keep(1000L))
    assert(memory.getMemoryConsumptionForThisTask == 0L)
    (20 until 20000).foreach(_ => kept.keep(1000L))
    assert(memory.getMemoryConsumptionForThisTask > (18L << 20))
    (0 until 10000).foreach(_ => kept.drop(1000L))
    assert(memory.getMemoryConsumptionForThisTask < (12L << 20))
    (10000 until 20000).foreach(_ => kept.drop(1000L))
    assert(memory.getMemoryConsumptionForThisTask <= (1L << 20))
  })

  test("without memory it is Spark's own error")(InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val hoard = new MemoryConsumer(resources.memoryManager, 1 << 20, MemoryMode.ON_HEAP) {
      override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
    }
    hoard.acquireMemory(Long.MaxValue / 2): Unit
    hoard.freeMemory(4L << 20)
    val kept = new KeptMemory(resources)
    intercept[SparkOutOfMemoryError]((0 until 20000).foreach(_ => kept.keep(1000L)))
    hoard.freeMemory(hoard.getUsed)
  })
}
