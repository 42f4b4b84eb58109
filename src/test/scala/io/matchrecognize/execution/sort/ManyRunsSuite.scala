package io.matchrecognize.execution.sort

import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.matchrecognize.{OwnMemory, TaskResources}
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.rows.{RowStore, StoreSchema}
import io.matchrecognize.streaming.InTask

/** More runs than there is memory for, or small ones. */
class ManyRunsSuite extends SortingSuite {

  test("many runs and memory for ten records: each row is written a few times") {
    InTask(spark) {
      val columns = Seq(
        AttributeReference("k", IntegerType, nullable = false)(),
        AttributeReference("t", StringType)(),
        AttributeReference("number", IntegerType, nullable = false)()
      )
      val spec = SortSpec(columns, Nil, Nil, Seq(SortOrder(columns.head, Ascending)))
      val toUnsafe = UnsafeProjection.create(columns.map(_.dataType).toArray)
      val random = new Random(seed)
      val text = UTF8String.fromString("x" * 40000)
      // Few keys, so that most rows have ties in other runs.
      val rows = Seq.tabulate(3000)(i => toUnsafe(InternalRow(random.nextInt(100), text, i)).copy())
      val metrics = TaskContext.get().taskMetrics()
      def written: Long = metrics.diskBytesSpilled
      val (before, buffer) = (written, newBuffer(spec, 3))
      // With the last rows in memory there are a thousand runs.
      rows.foreach(buffer.insert)
      val data = written - before
      val rest = newBuffer(spec, 1)
      val hoarded = rest.memory.acquireMemory(Long.MaxValue / 2)
      rest.memory.freeMemory(1300000L)
      assert(read(spec, buffer, -1) == expected(spec, rows))
      val times = (written - before).toDouble / data
      assert(times > 2 && times < 4, data)
      buffer.free()
      rest.memory.freeMemory(hoarded - 1300000L)
    }
  }

  test("the merge leaves memory for partitions of wide rows, however many runs there are") {
    val columns = Seq(
      AttributeReference("k", IntegerType, nullable = false)(),
      AttributeReference("t", StringType)()
    )
    val spec = SortSpec(columns, Nil, Nil, Seq(SortOrder(columns.head, Ascending)))
    val toUnsafe = UnsafeProjection.create(columns.map(_.dataType).toArray)
    val text = UTF8String.fromString("x" * (1 << 20))
    val schema = StoreSchema.of(Seq(0, 1), columns(_).dataType, columns(_).nullable)
    (8 to 20).foreach { rows =>
      val resources = new TaskResources(OwnMemory.context(16L << 20), _ => ())
      // A run for each row.
      val buffer = new SortingBuffer(spec, resources, 1)
      (0 until rows).foreach(i => buffer.insert(toUnsafe(InternalRow(i * 7919 % rows, text))))
      val store = new RowStore(schema, resources, Int.MaxValue)
      val sorted = buffer.sorted()
      (0 until rows).foreach { i =>
        // Partitions of three rows.
        if (i % 3 == 0) store.clear()
        store.append(sorted.next())
        assert(store.fixed(0, store.length - 1) == i && store.fixed(0, 0) == i / 3 * 3, rows)
      }
      assert(sorted.next() == null)
      store.free()
      buffer.free()
    }
  }

  test("twenty thousand runs of three rows", Slow) {
    InTask(spark) {
      val spec = numbersSpec
      val rows = new RandomRows(new Random(seed)).rows(spec.columns, 60000, 1000)
      val buffer = newBuffer(spec, 3)
      rows.foreach(buffer.insert)
      assert(read(spec, buffer, -1) == expected(spec, rows))
      buffer.free()
    }
  }
}
