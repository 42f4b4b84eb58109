package io.matchrecognize.streaming

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types.{DataType, LongType, StringType, TimestampType}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.QuerySuite
import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.streaming.state.StateTable
import io.matchrecognize.streaming.task.{StreamMetrics, StreamProgram, StreamTask, StreamTasks}

/** What a task takes from Spark's account of memory. */
class StreamTaskSuite extends QuerySuite {
  private final val Second = 1000000L
  private val keys = 30000
  private val toUnsafe = UnsafeProjection.create(Array[DataType](LongType, TimestampType))

  private def program(watermark: Long): StreamProgram = {
    spark
      .sql("SELECT id AS g, timestamp_seconds(id) AS ts FROM range(3)")
      .createOrReplaceTempView("t")
    val frame = spark.sql("""SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
      MEASURES A.ts AS a PATTERN (A X*? B)
      DEFINE B AS g < 0 AND B.ts <= A.ts + INTERVAL 10 SECONDS)""")
    val node = matchNodes(frame).head
    val spec = ClauseSpec(node.clause, node.measureOutput, node.child.output, node.output)
    StreamProgram.of(Seq(spec), 0, watermark, false, false)
  }

  /** A store that calls `onGet` before a key is read. */
  private def watched(table: MemoryTable, onGet: => Unit): StateTable =
    new StateTable {
      override def get(key: UnsafeRow): UnsafeRow = {
        onGet
        table.get(key)
      }
      override def put(key: UnsafeRow, value: UnsafeRow): Unit = table.put(key, value)
      override def remove(key: UnsafeRow): Unit = table.remove(key)
    }

  private def newTask(
      program: StreamProgram,
      table: StateTable,
      rows: Iterator[InternalRow],
      resources: TaskResources
  ): StreamTask = {
    val metrics = new StreamMetrics(SQLMetrics.createMetric(spark.sparkContext, _))
    StreamTasks.of(program, rows, table, resources, 0, metrics, () => ())
  }

  /** The most memory while partitions are searched; a task that is done has returned it. */
  private def mostMemory(
      program: StreamProgram,
      table: MemoryTable,
      rows: Iterator[InternalRow]
  ): Long = InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    var most = 0L
    def look(): Unit = most = most.max(resources.memoryManager.getMemoryConsumptionForThisTask)
    val looked = rows.map { row =>
      look()
      row
    }
    assert(newTask(program, watched(table, look()), looked, resources).isEmpty)
    most
  }

  test("rows that are to wait are counted before they are written") {
    val rows = Iterator.tabulate(50000)(g => toUnsafe(InternalRow(g.toLong, Second + g)))
    val none = mostMemory(program(1), new MemoryTable, Iterator.empty)
    val waiting = mostMemory(program(1), new MemoryTable, rows)
    assert(waiting > none + 50000 * (24 + 12))
  }

  test("a large row that is to wait makes those that are ready leave the memory") {
    spark
      .sql("SELECT id AS g, timestamp_seconds(id) AS ts, CAST(id AS STRING) AS s FROM range(3)")
      .createOrReplaceTempView("t")
    val frame = spark.sql("""SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
      MEASURES LENGTH(A.s) AS n PATTERN (A))""")
    val node = matchNodes(frame).head
    val spec = ClauseSpec(node.clause, node.measureOutput, node.child.output, node.output)
    val wide = UnsafeProjection.create(Array[DataType](LongType, TimestampType, StringType))
    def row(second: Int, length: Int): InternalRow =
      wide(InternalRow(second % 7L, second * Second, UTF8String.fromString("x" * length)))
    val ready = 10000
    InTask(spark) {
      val resources = new TaskResources(TaskContext.get(), _ => ())
      val others = new MemoryConsumer(resources.memoryManager, 1 << 20, MemoryMode.ON_HEAP) {
        override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
      }
      val rows = Iterator.tabulate(ready + 1) { i =>
        if (i < ready) row(1 + i, 1000)
        else {
          // In the thread of the rows it would get the memory of those that are ready.
          val thread = new Thread(() => others.acquireMemory(1L << 50): Unit)
          thread.start()
          thread.join()
          row(ready + 100, 5 << 20)
        }
      }
      val program = StreamProgram.of(Seq(spec), 0, ready * Second, false, false)
      val task = newTask(program, new MemoryTable, rows, resources)
      assert(task.hasNext)
      others.freeMemory(others.getUsed)
      assert(task.size == ready)
    }
  }

  test("a store that is done with keeps no memory of a task that goes on to the next one") {
    val bounded = program(5 * Second)
    InTask(spark) {
      val resources = new TaskResources(TaskContext.get(), _ => ())
      (1 to 3).foreach { _ =>
        val table = new MemoryTable
        val rows = Iterator.tabulate(100)(g => toUnsafe(InternalRow(g.toLong, Second)))
        assert(newTask(bounded, table, rows, resources).isEmpty)
        assert(table.size > 100)
        assert(resources.memoryManager.getMemoryConsumptionForThisTask == 0)
      }
    }
  }

  test("keys whose deadlines are due are counted") {
    val table = new MemoryTable
    val rows = Iterator.tabulate(keys)(g => toUnsafe(InternalRow(g.toLong, Second)))
    mostMemory(program(5 * Second), table, rows): Unit
    assert(table.size >= keys)
    val none = mostMemory(program(7 * Second), table, Iterator.empty)
    val due = mostMemory(program(20 * Second), table, Iterator.empty)
    assert(table.size < 10)
    assert(due > none + keys * 100L)
  }
}
