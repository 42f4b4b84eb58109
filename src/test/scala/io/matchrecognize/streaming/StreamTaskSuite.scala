package io.matchrecognize.streaming

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types.{DataType, LongType, TimestampType}

import io.matchrecognize.QuerySuite
import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.streaming.state.StateTable
import io.matchrecognize.streaming.task.{OperatorProgram, StreamMetrics, StreamTask}

/** What a task takes from Spark's account of memory. */
class StreamTaskSuite extends QuerySuite {
  private final val Second = 1000000L
  private val keys = 30000
  private val toUnsafe = UnsafeProjection.create(Array[DataType](LongType, TimestampType))

  private def program(inferDeadlines: Boolean, watermark: Long): OperatorProgram =
    withConf(MatchRecognizeConf.InferDeadlines.key -> inferDeadlines.toString) {
      spark
        .sql("SELECT id AS g, timestamp_seconds(id) AS ts FROM range(3)")
        .createOrReplaceTempView("t")
      val frame = spark.sql("""SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
        MEASURES A.ts AS a PATTERN (A X*? B)
        DEFINE B AS g < 0 AND B.ts <= A.ts + INTERVAL 10 SECONDS)""")
      val node = matchNodes(frame).head
      val spec = ClauseSpec(node.clause, node.measureOutput, node.child.output, node.output)
      OperatorProgram.of(spec, 0, watermark)
    }

  /** The most memory while partitions are searched; a task that is done has returned it. */
  private def mostMemory(
      program: OperatorProgram,
      table: MemoryTable,
      rows: Iterator[InternalRow]
  ): Long = {
    val metrics = new StreamMetrics(SQLMetrics.createMetric(spark.sparkContext, _))
    InTask(spark) {
      val resources = new TaskResources(TaskContext.get(), _ => ())
      var most = 0L
      val watched = new StateTable {
        override def get(key: UnsafeRow): UnsafeRow = {
          most = most.max(resources.memoryManager.getMemoryConsumptionForThisTask)
          table.get(key)
        }
        override def put(key: UnsafeRow, value: UnsafeRow): Unit = table.put(key, value)
        override def remove(key: UnsafeRow): Unit = table.remove(key)
        override def keys: Iterator[UnsafeRow] = table.keys
      }
      val task = new StreamTask(program, rows, watched, resources, 0, metrics, () => ())
      assert(task.isEmpty)
      most
    }
  }

  test("keys whose deadlines were not known are counted, and so are those that are due") {
    val table = new MemoryTable
    val rows = Iterator.tabulate(keys)(g => toUnsafe(InternalRow(g.toLong, Second)))
    mostMemory(program(inferDeadlines = false, 5 * Second), table, rows): Unit
    assert(table.size >= keys)
    val unqueued = mostMemory(program(inferDeadlines = true, 6 * Second), table, Iterator.empty)
    val none = mostMemory(program(inferDeadlines = true, 7 * Second), table, Iterator.empty)
    val due = mostMemory(program(inferDeadlines = true, 20 * Second), table, Iterator.empty)
    assert(table.size < 10)
    assert(unqueued > none + keys * 100L)
    assert(due > none + keys * 100L)
  }
}
