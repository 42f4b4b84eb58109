package io.matchrecognize.execution.task

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, SparkOutOfMemoryError}
import org.apache.spark.sql.matchrecognize.{OwnMemory, TaskResources}

import io.matchrecognize.QuerySuite
import io.matchrecognize.streaming.InTask

/** Memory that cannot be spilled: of Spark's account, once it is more than a little. */
class TaskMemorySuite extends QuerySuite {
  test("what is kept is counted, and given back")(InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val memory = resources.memoryManager
    val kept = new TaskMemory(resources, TaskMemory.Little)
    (0 until 20).foreach(_ => kept.must(1000L))
    assert(memory.getMemoryConsumptionForThisTask == 0L)
    (20 until 20000).foreach(_ => kept.must(1000L))
    assert(memory.getMemoryConsumptionForThisTask > (18L << 20))
    (0 until 10000).foreach(_ => kept.free(1000L))
    assert(memory.getMemoryConsumptionForThisTask < (12L << 20))
    (10000 until 20000).foreach(_ => kept.free(1000L))
    assert(memory.getMemoryConsumptionForThisTask <= (1L << 20))
  })

  test("without memory it is Spark's own error")(InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val hoard = new MemoryConsumer(resources.memoryManager, 1 << 20, MemoryMode.ON_HEAP) {
      override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
    }
    hoard.acquireMemory(Long.MaxValue / 2): Unit
    hoard.freeMemory(4L << 20)
    val kept = new TaskMemory(resources, TaskMemory.Little)
    intercept[SparkOutOfMemoryError]((0 until 20000).foreach(_ => kept.must(1000L)))
    hoard.freeMemory(hoard.getUsed)
  })

  /** Another operator, which takes all memory but some. */
  private final class Hoard(resources: TaskResources)
      extends MemoryConsumer(resources.memoryManager, 1 << 20, MemoryMode.ON_HEAP) {
    override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
    def leave(bytes: Long): Unit = {
      acquireMemory(Long.MaxValue / 2): Unit
      freeMemory(bytes)
    }
  }

  test("what must be is taken from caches at last, which get none before that is made up for") {
    val resources = new TaskResources(OwnMemory.context(64L << 20), _ => ())
    val hoard = new Hoard(resources)
    val memory = new TaskMemory(resources)
    hoard.leave(1000)
    assert(memory.take(100) && memory.may(500) && !memory.may(401) && memory.may(400))
    assert(!memory.take(1) && memory.getUsed == 1000 && memory.missing == 0)
    intercept[SparkOutOfMemoryError](memory.must(1))
    assert(memory.borrow(600) && !memory.borrow(301) && memory.missing == 600)
    hoard.leave(1000)
    // None for caches, though there is some.
    assert(!memory.may(1))
    memory.free(50)
    memory.release(500)
    assert(memory.getUsed == 1000 && memory.missing == 50)
    memory.free(150)
    assert(memory.getUsed == 900 && memory.missing == 0 && memory.may(1000))
    memory.freeAll()
    assert(memory.getUsed == 0)
    hoard.freeMemory(hoard.getUsed)
  }

  test("another consumer gets what is spilled or lent, a cache of the plugin nothing") {
    val resources = new TaskResources(OwnMemory.context(64L << 20), _ => ())
    val hoard = new Hoard(resources)
    lazy val memory: TaskMemory =
      new TaskMemory(resources, spillFor = (size, _) => memory.free(math.min(size, 300L)))
    val other = new TaskMemory(resources)
    hoard.leave(1000)
    assert(memory.take(800) && memory.may(200))
    assert(!other.may(100) && memory.getUsed == 1000)
    assert(other.take(100) && memory.getUsed == 900 && memory.missing == 0)
    memory.lend(1000)
    assert(memory.getUsed == 700 && memory.missing == 200)
    assert(other.takeSome(500) == 500 && other.peakMemory == 600)
    memory.freeAll()
    other.freeAll()
    hoard.freeMemory(hoard.getUsed)
  }

  test("what is spilled for a request is what it is granted, and nothing is returned twice") {
    val resources = new TaskResources(OwnMemory.context(64L << 20), _ => ())
    val hoard = new Hoard(resources)
    var spilled = 0L
    lazy val memory: TaskMemory = new TaskMemory(
      resources,
      spillFor = (size, _) => {
        spilled += size
        memory.free(size)
      }
    )
    hoard.leave(1000)
    assert(memory.take(800) && memory.take(300))
    assert(spilled == 100 && memory.getUsed == 1000 && memory.missing == 0)
    memory.freeAll()
    memory.free(300)
    memory.release(300)
    assert(memory.getUsed == 0 && memory.take(1) && memory.getUsed == 1)
    memory.freeAll()
    hoard.freeMemory(hoard.getUsed)
  }
}
