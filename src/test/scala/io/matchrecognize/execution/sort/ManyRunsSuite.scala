package io.matchrecognize.execution.sort

import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.tagobjects.Slow

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
