package io.matchrecognize.streaming

import scala.collection.mutable
import scala.util.Random

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
import io.matchrecognize.streaming.task.{CachedTable, StreamMetrics, StreamProgram, StreamTasks}

/** A task in the order of arrival: when it asks for rows, and what it keeps in memory. */
class ArrivalTaskSuite extends QuerySuite {
  private final val Second = 1000000L
  private val toUnsafe = UnsafeProjection.create(Array[DataType](LongType, TimestampType))
  private val wide = UnsafeProjection.create(Array[DataType](LongType, StringType))
  private val text = UTF8String.fromString("x" * 50000)

  private def row(g: Long, second: Long): InternalRow =
    toUnsafe(InternalRow(g, second * Second)).copy()

  private def row(value: Long): UnsafeRow = wide(InternalRow(value, text)).copy()

  private def program(
      late: Long,
      ready: Long,
      isRealTime: Boolean,
      measure: String = "A.ts"
  ): StreamProgram = {
    spark
      .sql("SELECT id AS g, timestamp_seconds(id) AS ts, string(id) AS s FROM range(3)")
      .createOrReplaceTempView("t")
    val frame = spark.sql(s"""SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
      MEASURES $measure AS a, COUNT(B.*) AS b ONE ROW PER MATCH SHOW TIMEOUT MATCHES
      PATTERN (A B{2}) WITHIN INTERVAL 10 SECONDS)""")
    val node = matchNodes(frame).head
    val spec = ClauseSpec(node.clause, node.measureOutput, node.child.output, node.output)
    StreamProgram.of(Seq(spec), late * Second, ready * Second, inOrderOfArrival = true, isRealTime)
  }

  private def taken(
      table: MemoryTable,
      late: Long,
      ready: Long,
      rows: Seq[InternalRow],
      isRealTime: Boolean = true
  )(onRow: InternalRow => Unit, onResult: InternalRow => Unit): StreamMetrics = {
    val metrics = new StreamMetrics(SQLMetrics.createMetric(spark.sparkContext, _))
    val compiled = program(late, ready, isRealTime)
    InTask(spark) {
      val resources = new TaskResources(TaskContext.get(), _ => ())
      val asked = rows.iterator.map { row =>
        onRow(row)
        row
      }
      StreamTasks.of(compiled, asked, table, resources, 0, metrics, () => ()).foreach(onResult)
      assert(resources.memoryManager.getMemoryConsumptionForThisTask == 0)
    }
    metrics
  }

  test("a match is returned before the next row is asked for, what the watermark decides first") {
    val events = mutable.ArrayBuffer.empty[String]
    def run(table: MemoryTable, late: Long, ready: Long, rows: InternalRow*): StreamMetrics =
      taken(table, late, ready, rows)(
        row => events += s"row ${row.getLong(0)}",
        row => events += s"result ${row.getLong(0)}"
      )
    val table = new MemoryTable
    val metrics =
      run(
        table,
        0,
        0,
        Seq((1, 1), (2, 2), (1, 3), (1, 4), (2, 5), (2, 6), (3, 7)).map { case (g, second) =>
          row(g.toLong, second.toLong)
        }: _*
      )
    assert(
      events == Seq(
        "row 1",
        "row 2",
        "row 1",
        "row 1",
        "result 1",
        "row 2",
        "row 2",
        "result 2",
        "row 3"
      )
    )
    assert(metrics.receivedRows.value == 7 && metrics.matches.value == 2)
    events.clear()
    // The attempt of 3 has ended for all rows that are not late; that of 4 ends with the batch.
    run(table, 20, 40, row(4, 21), row(5, 35)): Unit
    assert(events == Seq("result 3", "row 4", "row 5", "result 4"))
  }

  test("in a micro-batch the rows of a key are searched together, however they are mixed") {
    val events = mutable.ArrayBuffer.empty[String]
    val table = new MemoryTable
    val mixed = Seq((1, 1), (2, 2), (1, 3), (2, 3), (1, 4), (3, 5), (2, 6)).map {
      case (g, second) => row(g.toLong, second.toLong)
    }
    val metrics = taken(table, 0, 0, mixed, isRealTime = false)(
      row => events += s"row ${row.getLong(0)}",
      row => events += s"result ${row.getLong(0)}"
    )
    assert(events.take(7) == Seq(1, 2, 1, 2, 1, 3, 2).map(g => s"row $g"))
    assert(events.drop(7).sorted == Seq("result 1", "result 2"))
    assert(metrics.receivedRows.value == 7 && metrics.pendingRows.value == 0)
    // A head of each key, the directory and its deadlines.
    assert(metrics.updatedEntries.value == 5 && table.writes == 5)
    events.clear()
    taken(table, 20, 40, Seq(row(4, 21), row(5, 35)), isRealTime = false)(
      row => events += s"row ${row.getLong(0)}",
      row => events += s"result ${row.getLong(0)}"
    ): Unit
    assert(events.take(2) == Seq("row 4", "row 5"))
    assert(events.drop(2).sorted == Seq("result 3", "result 4"))
  }

  test("rows of one key leave the memory while more of them arrive, and not each by itself") {
    val table = new MemoryTable
    val metrics = new StreamMetrics(SQLMetrics.createMetric(spark.sparkContext, _))
    val compiled = program(0, 0, isRealTime = true, measure = "LENGTH(A.s)")
    val ofText = UnsafeProjection.create(Array[DataType](LongType, TimestampType, StringType))
    var most = 0L
    val count = 3000
    InTask(spark) {
      val resources = new TaskResources(TaskContext.get(), _ => ())
      val rows = Iterator.tabulate(count) { i =>
        most = most.max(resources.memoryManager.getMemoryConsumptionForThisTask)
        ofText(InternalRow(7L, (1000 + i) * Second, text))
      }
      val task = StreamTasks.of(compiled, rows, table, resources, 0, metrics, () => ())
      assert(task.size == count / 3 && metrics.matches.value == count / 3)
    }
    assert(most > text.numBytes && most < count * text.numBytes / 3L)
    assert(metrics.updatedEntries.value < 10)
  }

  test("keys whose deadline was reached are let go of before a row is asked for") {
    val table = new MemoryTable
    val keys = 30000
    taken(table, 0, 0, (1 to keys).map(g => row(g.toLong, 1)))(_ => (), _ => ()): Unit
    var results = 0
    var left = Long.MaxValue
    val metrics = taken(table, 100, 100, Seq(row(0, 101)))(
      _ => {
        val manager = new TaskResources(TaskContext.get(), _ => ()).memoryManager
        val others = new MemoryConsumer(manager, 1 << 20, MemoryMode.ON_HEAP) {
          override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
        }
        // Cached entries leave the memory for others, keys that are to be searched do not.
        others.acquireMemory(1L << 50): Unit
        others.freeMemory(others.getUsed)
        left = manager.getMemoryConsumptionForThisTask
      },
      _ => results += 1
    )
    assert(results == keys && metrics.keys.value == 1)
    assert(left < keys * 50L)
  }

  test("the time of work is counted, without that of waiting for rows") {
    val rows = (1 to 3000).map(i => row(i % 10L, 1000L + i))
    val waited = 1500L
    var asked = 0
    val start = System.nanoTime
    val metrics = taken(new MemoryTable, 0, 0, rows)(
      _ => {
        asked += 1
        if (asked % 1000 == 0) Thread.sleep(waited / 3)
      },
      _ => ()
    )
    val whole = (System.nanoTime - start) / 1000000
    assert(metrics.updateTime.value > 0 && metrics.updateTime.value <= whole - waited)
  }

  test("a cached table is the table, whatever its size and who needs the memory") {
    val random = new Random(7)
    for (most <- Seq(0L, 1L << 20, 1L << 24)) InTask(spark) {
      val resources = new TaskResources(TaskContext.get(), _ => ())
      val (direct, below) = (new MemoryTable, new MemoryTable)
      val cached = new CachedTable(below, resources, most)
      val others = new MemoryConsumer(resources.memoryManager, 1 << 20, MemoryMode.ON_HEAP) {
        override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
      }
      (1 to 3000).foreach { i =>
        val key = row(random.nextInt(50).toLong)
        random.nextInt(4) match {
          case 0 =>
            cached.remove(key)
            direct.remove(key)
          case 1 => assert(cached.get(key) == direct.get(key))
          case _ =>
            cached.put(key, row(i.toLong))
            direct.put(key, row(i.toLong))
        }
        if (i % 500 == 0) {
          val before = resources.memoryManager.getMemoryConsumptionForThisTask
          if (most == 1L << 24) assert(before > (1L << 20))
          others.acquireMemory(1L << 50): Unit
          others.freeMemory(others.getUsed)
          assert(resources.memoryManager.getMemoryConsumptionForThisTask == 0)
        }
      }
      cached.close()
      (0L until 50L).foreach(k => assert(below.get(row(k)) == direct.get(row(k))))
      assert(below.size == direct.size)
      if (most == 1L << 24) assert(cached.updates + cached.removals < 1000)
      assert(resources.memoryManager.getMemoryConsumptionForThisTask == 0)
    }
  }
}
