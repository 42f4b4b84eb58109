package io.matchrecognize.execution.rows

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types.{DataType, LongType}

import io.matchrecognize.QuerySuite
import io.matchrecognize.streaming.InTask

class RowStoreSuite extends QuerySuite {
  private val schema = StoreSchema.of(Seq(0), _ => LongType, _ => false)

  test("a thread that asks for memory holds no lock that spilling takes")(InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val (memory, store) = (resources.memoryManager, new RowStore(schema, resources, Int.MaxValue))
    val other = new MemoryConsumer(memory, 1 << 20, MemoryMode.ON_HEAP) {
      override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
    }
    val toUnsafe = UnsafeProjection.create(Array[DataType](LongType))
    def append(): Unit = store.append(toUnsafe(InternalRow(store.length)))
    (0 until RowChunk.Rows * 3).foreach(_ => append())

    /** Spills as Spark does for another consumer, while a thread waits for memory. */
    def spilledDuring(request: => Unit): Long = {
      @volatile var freed = -1L
      val asking = daemon(request)
      val spilling = daemon(memory.synchronized {
        asking.start()
        while (asking.isAlive && asking.getState != Thread.State.BLOCKED) Thread.onSpinWait()
        freed = store.spill(1L, other)
      })
      spilling.start()
      spilling.join(60000)
      asking.join(60000)
      assert(!spilling.isAlive && !asking.isAlive, "each waits for the other")
      freed
    }

    assert(spilledDuring(append()) > 0)
    assert(spilledDuring(assert(store.fixed(0, 5) == 5)) > 0)
    assert(store.length == RowChunk.Rows * 3 + 1)
    assert((0L until store.length).forall(row => store.fixed(0, row) == row))
    store.free()
  })

  private def daemon(body: => Unit): Thread = {
    val thread = new Thread(() => body)
    thread.setDaemon(true)
    thread
  }
}
