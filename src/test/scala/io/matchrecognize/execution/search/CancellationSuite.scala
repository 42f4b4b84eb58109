package io.matchrecognize.execution.search

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.Try

import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.matchrecognize.{OwnMemory, TaskResources}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.{SparkContext, TaskContext, TaskKilledException}

import io.matchrecognize.QuerySuite
import io.matchrecognize.execution.compile.WithinProgram
import io.matchrecognize.execution.condition.{
  ConditionsProgram,
  DeadlineKey,
  DeadlineProgram,
  RowExpression
}
import io.matchrecognize.execution.limit.{TableDeadlines, WithinLimit}
import io.matchrecognize.execution.pointer.{
  PointerBase,
  PointerField,
  PointerProgram,
  PointerSource
}
import io.matchrecognize.execution.rows.{MadeRows, PartitionReader, RowStore, StoreSchema}
import io.matchrecognize.execution.sort.{SortSpec, SortingBuffer}
import io.matchrecognize.streaming.InTask

/**
 * A query that is cancelled ends in whatever phase it is. Nothing here depends on time: a function
 * in the query cancels it and counts how often it is called from then on.
 */
class CancellationSuite extends QuerySuite {
  import CancellationSuite._

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.udf.register("tick", tick)
  }

  /** Cancels the query at the `at`-th call of `tick`; at most `rest` calls may follow. */
  private def cancelled(name: String, at: Long, rest: Long, explained: Boolean = false)(
      clause: String
  ): Unit =
    test(name) {
      val context = spark.sparkContext
      calls.set(0)
      cancelAt = at
      ended = new CountDownLatch(1)
      group = s"cancelled: $name"
      CancellationSuite.context = context
      context.setJobGroup(group, name)
      val failure =
        try
          intercept[Exception] {
            val sql = s"""SELECT * FROM (SELECT id, id % 10 AS v FROM range(0, 200000, 1, 1))
                         |MATCH_RECOGNIZE (ORDER BY id $clause)""".stripMargin
            val run = if (explained) s"SELECT * FROM match_recognize_explain('$sql')" else sql
            spark.sql(run).collect()
          }
        finally context.clearJobGroup()
      assert(failure.getMessage.contains("cancelled"), failure)
      // The driver does not wait for the task.
      assert(ended.await(60, TimeUnit.SECONDS))
      assert(calls.get - at <= rest)
    }

  private val threads = """MEASURES COUNT(*) AS n PATTERN (A B+ C)
    |DEFINE B AS tick(B.id) >= 0 AND COUNT(*) > 0, C AS C.v < 0 AND COUNT(*) > 0""".stripMargin

  cancelled("a search by threads", at = 1000, rest = 300)(threads)

  cancelled("conditions judged on every row", at = 1000, rest = 300, explained = true)(threads)

  cancelled("a search that is explained", at = 201000, rest = 300, explained = true)(threads)

  cancelled("a search with conditions on the first row", at = 1000, rest = 300) {
    "MEASURES COUNT(*) AS n PATTERN (A B+ C) DEFINE B AS tick(B.v) >= A.v - 10, C AS C.v < A.v - 10"
  }

  cancelled("a backward pass", at = 1000, rest = 300) {
    "MEASURES COUNT(*) AS n PATTERN (A B+ C) DEFINE B AS tick(B.id) >= 0, C AS C.id < 0"
  }

  cancelled("tests of blocks of rows", at = 1000, rest = 300) {
    """MEASURES COUNT(*) AS n PATTERN (A B+ C)
      |DEFINE B AS tick(B.id) >= 0 AND B.v <= A.v + 10, C AS C.v < A.v - 10""".stripMargin
  }

  // The second call is that for the threshold, once for each start row.
  cancelled("the scan for a threshold", at = 2, rest = 1) {
    """MEASURES COUNT(*) AS n PATTERN (A B+ C)
      |DEFINE B AS B.v <= A.v + 10 + tick(A.v), C AS C.v < A.v - 10""".stripMargin
  }

  cancelled("the measures of a long match", at = 1000, rest = 300) {
    "MEASURES SUM(tick(A.id)) AS n PATTERN (A+) DEFINE A AS A.id >= 0"
  }

  cancelled("summaries of overlapping matches", at = 1000, rest = 300) {
    """MEASURES MAX(tick(A.id)) AS n AFTER MATCH SKIP TO NEXT ROW
      |PATTERN (A+) DEFINE A AS A.id >= 0""".stripMargin
  }

  Seq("sorts" -> "ORDER BY tick(id) % 1000", "searches" -> "ORDER BY id").foreach {
    case (name, order) =>
      test(s"a thread that reads when the task has ended, and $name") {
        calls.set(0)
        cancelAt = -1
        val frame = spark.sql(
          s"""SELECT * FROM (SELECT id, id % 10 AS v FROM range(0, 500000, 1, 1))
             |MATCH_RECOGNIZE ($order MEASURES COUNT(*) AS n PATTERN (A B+ C)
             |DEFINE B AS tick(B.id) >= 0 AND COUNT(*) > 0,
             |C AS C.v < 0 AND COUNT(*) > 0)""".stripMargin
        )
        // Spark's threads that feed Python read so, and are not waited for after a LIMIT.
        val rdd = frame.asInstanceOf[ClassicDataset[Row]].queryExecution.toRdd
        resume = new CountDownLatch(1)
        try rdd.mapPartitions(leave).count(): Unit
        finally resume.countDown()
        reader.join(TimeUnit.SECONDS.toMillis(120))
        // By its own means, or for want of what the task has freed.
        assert(outcome.isFailure, outcome)
        assert(calls.get >= LeftAt && calls.get <= LeftAt + 5000)
        assert(held.getMemoryConsumptionForThisTask == 0)
      }
  }

  /** Runs a part of the operator in a task that has been killed. */
  private def inKilledTask(body: TaskResources => Any): Unit = {
    var outcome: Try[Any] = null
    val ended = Try(InTask(spark) {
      val context = TaskContext.get()
      context.getClass.getMethod("markInterrupted", classOf[String]).invoke(context, "by a test")
      outcome = Try(body(new TaskResources(context, _ => ())))
    })
    assert(outcome != null, ended)
    assert(outcome.failed.toOption.exists(_.isInstanceOf[TaskKilledException]), outcome)
  }

  private val columns = Seq(
    AttributeReference("id", LongType, nullable = false)(),
    AttributeReference("text", StringType, nullable = false)()
  )
  private def toUnsafe = UnsafeProjection.create(columns.map(_.dataType).toArray[DataType])

  /** Rows without an end, unless they are read too long. */
  private def endless: Iterator[InternalRow] = {
    val convert = toUnsafe
    Iterator.from(0).map { i =>
      if (i > 10000) fail("The rows are still read.")
      // Keys that differ where they are not packed any more.
      convert(InternalRow(i.toLong, UTF8String.fromString(s"the same text ${i * 7919 % 100003}")))
    }
  }

  private def sortBuffer(resources: TaskResources) = {
    val spec = SortSpec(columns, Nil, Nil, Seq(SortOrder(columns(1), Ascending)))
    new SortingBuffer(spec, resources, Int.MaxValue)
  }

  test("rows that are sorted arrive") {
    inKilledTask { resources =>
      val buffer = sortBuffer(resources)
      try endless.foreach(buffer.insert)
      finally buffer.free()
    }
  }

  test("rows are sorted") {
    @volatile var sorted: Try[Any] = null
    Try(InTask(spark) {
      val context = TaskContext.get()
      val buffer = sortBuffer(new TaskResources(context, _ => ()))
      endless.take(10000).foreach(buffer.insert)
      context.getClass.getMethod("markInterrupted", classOf[String]).invoke(context, "by a test")
      sorted = Try(buffer.sorted())
      buffer.free()
    }): Unit
    assert(sorted.failed.toOption.exists(_.isInstanceOf[TaskKilledException]), sorted)
  }

  test("sorted rows, or merged ones, are put into a partition") {
    inKilledTask { resources =>
      val schema = StoreSchema.of(Seq(0, 1), i => columns(i).dataType, _ => false)
      val store = new RowStore(schema, resources, Int.MaxValue)
      try new PartitionReader(endless, columns, Nil, store).next()
      finally store.free()
    }
  }

  /** Rows without end of a task that is killed at one of its looks. */
  private final class KilledRows(look: Int) extends MadeRows {
    override def length: Long = 1L << 40
    override def fixed(column: Int, row: Long): Long = 0L
    override def checkCancelled(): Unit = {
      super.checkCancelled()
      if (checks == look) throw new TaskKilledException
    }
  }

  private val source = new PointerSource {
    override def keys: UnsafeRow = null
    override def matchNumber: Long = 0L
    override def aggregate(index: Int): Any = null
    override def register(number: Int, isFinal: Boolean): Long = -1L
    override def label(row: Long): UTF8String = null
  }

  test("the end of a window of WITHIN") {
    val program = WithinProgram(
      BoundReference(0, LongType, nullable = false),
      Array(PointerField.Fixed(0, 0, LongType)),
      Literal(10L),
      "UTC"
    )
    intercept[TaskKilledException](new WithinLimit(program, new KilledRows(20), source).end(0))
  }

  test("the end of a window of deadlines") {
    val always = RowExpression(
      Literal(true),
      Array(PointerProgram(0, PointerBase.Current, 0)),
      readsTested = true,
      readsFirst = true,
      readsPath = false,
      mayFail = false
    )
    val checks = IndexedSeq(IndexedSeq(always))
    val program = DeadlineProgram(
      DeadlineKey(0, LongType, isDescending = false),
      checks,
      IndexedSeq.empty,
      endsAll = true,
      ""
    )
    val conditions = ConditionsProgram(
      Array.empty,
      1,
      Array.empty,
      Array.empty,
      null,
      Array.empty,
      Some(program)
    )
    val window = new TableDeadlines(program, conditions, new KilledRows(20), source)
    intercept[TaskKilledException](window.end(0))
  }
}

private object CancellationSuite {
  // Of this JVM, as the tasks are: a function is copied on its way to a task.
  val calls = new AtomicLong
  @volatile var cancelAt = 0L
  @volatile var group = ""
  @volatile var context: SparkContext = _
  @volatile var ended: CountDownLatch = _

  // A thread that reads rows of a task, and what the task has when it ends.
  @volatile var reader: Thread = _
  @volatile var outcome: Try[Any] = _
  @volatile var resume: CountDownLatch = _
  final val LeftAt = 20000L
  @volatile var held: TaskMemoryManager = _

  /** Returns from a task whose rows another thread reads. */
  def leave(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val task = TaskContext.get()
    held = new TaskResources(task, _ => ()).memoryManager
    reader = OwnMemory.thread(task) { outcome = Try(rows.size) }
    while (calls.get < LeftAt && reader.isAlive) Thread.sleep(1)
    Iterator.empty
  }

  val tick: Long => Long = { value =>
    val call = calls.incrementAndGet()
    // A reader without an end would disturb other suites.
    if (cancelAt < 0) {
      if (call == LeftAt) resume.await(60, TimeUnit.SECONDS): Unit
      if (call > 20 * LeftAt) throw new IllegalStateException("The rows are still read.")
    } else if (call == cancelAt) {
      val latch = ended
      TaskContext.get().addTaskCompletionListener[Unit](_ => latch.countDown())
      context.cancelJobGroup(group)
      val limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60)
      while (!TaskContext.get().isInterrupted() && System.nanoTime() < limit) Thread.sleep(1)
    }
    value
  }
}
