package io.matchrecognize.streaming

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.QuerySuite
import io.matchrecognize.streaming.task.{KeyNumbers, ReadyRows}

class ReadyRowsSuite extends QuerySuite {
  private val g = AttributeReference("g", StringType)()
  private val ts = AttributeReference("ts", TimestampType)()
  private val v = AttributeReference("v", IntegerType)()
  private val input = Seq(g, ts, v)

  /** Key, time and value of each row, in the order in which they are returned. */
  private def sorted(
      rows: Seq[(String, Long, Int)],
      order: Seq[SortOrder],
      keys: Seq[Expression] = Seq(g),
      maxKeys: Int = 1000
  ): Seq[(String, Long, Int)] = InTask(spark) {
    filled(rows, order, keys, maxKeys)
      .sorted()
      .map(r => (if (r.isNullAt(0)) null else r.getString(0), r.getLong(1), r.getInt(2)))
      .toArray
      .toSeq
  }

  private def filled(
      rows: Seq[(String, Long, Int)],
      order: Seq[SortOrder],
      keys: Seq[Expression],
      maxKeys: Int
  ): ReadyRows = {
    val ready = new ReadyRows(
      input,
      keys,
      order,
      1,
      rows.map(_._2).min,
      rows.map(_._2).max,
      new TaskResources(TaskContext.get(), _ => ()),
      maxKeys
    )
    val toUnsafe = UnsafeProjection.create(input.map(_.dataType).toArray[DataType])
    rows.foreach { case (key, time, value) =>
      val text = if (key == null) null else UTF8String.fromString(key)
      ready.add(toUnsafe(InternalRow(text, time, value)))
    }
    ready
  }

  private def random(seed: Int, count: Int, keys: Int, span: Long): Seq[(String, Long, Int)] = {
    val random = new Random(seed)
    Seq.fill(count) {
      val key = random.nextInt(keys)
      val time = 1700000000000000L + math.abs(random.nextLong() % span)
      (if (key == 0) null else s"key $key", time, random.nextInt(100))
    }
  }

  private val ascending = SortOrder(ts, Ascending)
  private val descending = SortOrder(v, Descending)

  for {
    span <- Seq(10L, 1000000L, 1L << 50)
    maxKeys <- Seq(5, 1000)
    tie <- Seq(false, true)
  } test(s"each key once, its rows in order: times $span apart, $maxKeys numbers, ties $tie") {
    val rows = random(7, 3000, 40, span)
    val order = if (tie) Seq(ascending, descending) else Seq(ascending)
    val result = sorted(rows, order, maxKeys = maxKeys)
    val keys = result.map(_._1)
    val changes = keys.zip(keys.drop(1)).count { case (a, b) => a != b } + 1
    assert(changes == keys.distinct.length, "a key's rows stand together")
    assert(result.sortBy(_.hashCode) == rows.sortBy(_.hashCode), "all rows")
    result.groupBy(_._1).values.foreach { part =>
      val times = part.map(_._2)
      assert(times == times.sorted)
      if (tie) assert(part == part.sortBy(r => (r._2, -r._3)))
    }
  }

  test("without keys all rows are of one partition") {
    val rows = random(8, 1000, 40, 1000000L)
    assert(sorted(rows, Seq(ascending, descending), Nil).map(_._2) == rows.map(_._2).sorted)
  }

  test("the rows of a small batch take no page of Spark's size")(InTask(spark) {
    val memory = new TaskResources(TaskContext.get(), _ => ()).memoryManager
    val before = memory.getMemoryConsumptionForThisTask
    filled(random(10, 100, 40, 10L), Seq(ascending), Seq(g), maxKeys = 5)
    val taken = memory.getMemoryConsumptionForThisTask - before
    assert(taken > 0 && taken <= (4L << 20))
    assert(memory.pageSizeBytes() > taken)
  })

  test("numbers of keys")(InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val numbers = new KeyNumbers(1000, 1 << 20, resources)
    val model = mutable.HashMap.empty[String, Int]
    val toUnsafe = UnsafeProjection.create(Array[DataType](StringType))
    val random = new Random(9)
    for (_ <- 0 until 20000) {
      val text = "k" * random.nextInt(30) + random.nextInt(100)
      val number = numbers.of(toUnsafe(InternalRow(UTF8String.fromString(text))))
      val known = model.get(text)
      if (known.isEmpty && model.size < 1000) model.update(text, model.size)
      assert(number == model.getOrElse(text, -1))
    }
    val few = new KeyNumbers(1000, 50, resources)
    val taken = (0 until 10).map(i => few.of(toUnsafe(InternalRow(UTF8String.fromString(s"$i")))))
    assert(taken == Seq(0, 1) ++ Seq.fill(8)(-1))
  })

  test("a key without memory gets no number later, either")(InTask(spark) {
    val resources = new TaskResources(TaskContext.get(), _ => ())
    val numbers = new KeyNumbers(1000, 1 << 20, resources)
    val hog = new MemoryConsumer(resources.memoryManager, 1 << 20, MemoryMode.ON_HEAP) {
      override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
    }
    val toUnsafe = UnsafeProjection.create(Array[DataType](StringType))
    def numberOf(text: String) = numbers.of(toUnsafe(InternalRow(UTF8String.fromString(text))))
    val taken = hog.acquireMemory(1L << 50)
    assert(numberOf("a") == -1)
    hog.freeMemory(taken)
    assert(numberOf("a") == -1 && numberOf("b") == -1)
  })
}
