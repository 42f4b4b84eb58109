package io.matchrecognize.execution.sort

import java.io.IOException

import scala.util.Random

import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.shuffle.Blocks
import io.matchrecognize.execution.task.HeapArrays
import io.matchrecognize.streaming.InTask

/** The sort against Spark's interpreted ordering, in memory and through sorted runs. */
class SortingBufferSuite extends SortingSuite {
  private val cases = sys.props.get("fuzz.sort.cases").fold(60)(_.toInt)

  test(s"$cases random sorts from seed $seed") {
    InTask(spark) {
      (0 until cases).foreach { i =>
        val random = new Random(seed * 1000000007L + i)
        val generator = new RandomRows(random)
        val keys = random.nextInt(4)
        val columns = generator.columns(keys + random.nextInt(3))
        val partitionSpec = columns.take(math.min(keys, random.nextInt(4)))
        val orderSpec = random.shuffle(columns.init).take(random.nextInt(4)).map(generator.order)
        val spec = SortSpec(
          columns,
          partitionSpec,
          random.shuffle(partitionSpec).map(generator.order),
          orderSpec
        )
        val count = Seq(0, 1, 3, 30, 100, 1000, 9000)(random.nextInt(7))
        val rows = generator.rows(columns, count, 1 + random.nextInt(1 + count))
        val threshold = Seq(Int.MaxValue, Int.MaxValue, 1 + count / 3)(random.nextInt(3))
        val spillAt = if (random.nextBoolean()) random.nextInt(count + 1) else -1
        val many = Seq(1 << 14, 1, 300)(random.nextInt(3))
        val inBlocks = random.nextBoolean()
        val other = newBuffer(spec, 1)
        // How many rows, or blocks, arrive between two requests for memory by another operator.
        val spillEach = Seq(Int.MaxValue, 1 + random.nextInt(1 + count))(random.nextInt(2))
        def insertAll[T](buffer: SortingBuffer, rows: Seq[T])(insert: T => Unit): SortingBuffer = {
          rows.zipWithIndex.foreach { case (row, at) =>
            insert(row)
            if ((at + 1) % spillEach == 0) assert(buffer.spill(1L, other) > 0)
          }
          buffer
        }
        val buffer =
          if (inBlocks) {
            val blocks = BlockSortingBuffer(spec, resources, threshold, many, leastRun = 0)
            insertAll(blocks, Blocks.of(columns, rows, 1 + random.nextInt(4096)))(blocks.insert)
          } else {
            val pages = newBuffer(spec, threshold, many)
            insertAll(pages, rows)(pages.insert)
          }
        val found = read(spec, buffer, spillAt)
        val clue = s"case $i: $spec, $count rows, threshold $threshold, many $many, " +
          s"spilled at $spillAt, each $spillEach, in blocks $inBlocks"
        assert(found == expected(spec, rows), clue)
        buffer.free()
        assert(buffer.getUsed == 0, clue)
      }
    }
  }

  test("keys that are expressions") {
    InTask(spark) {
      val random = new Random(seed)
      val generator = new RandomRows(random)
      val columns = Seq("k", "v", "number").map(AttributeReference(_, IntegerType)())
      val key = Remainder(columns.head, Literal(3))
      val order = SortOrder(BitwiseNot(columns(1)), Ascending)
      val spec = SortSpec(columns, Seq(key), Seq(SortOrder(key, Descending)), Seq(order))
      val rows = generator.rows(columns, 500, 50)
      val buffer = newBuffer(spec, 100)
      rows.foreach(buffer.insert)
      assert(read(spec, buffer, -1) == expected(spec, rows))
      buffer.free()
    }
  }

  test("rows beyond one page, in memory and in a run") {
    InTask(spark) {
      val columns = Seq(
        AttributeReference("t", StringType)(),
        AttributeReference("number", IntegerType, nullable = false)()
      )
      val toUnsafe = UnsafeProjection.create(columns.map(_.dataType).toArray)
      val rows = Seq.tabulate(60) { i =>
        val size = Seq(10, 5000, 100000, 262144, 700000)(i % 5)
        val text = UTF8String.fromString(('a' + i * 7 % 26).toChar.toString * size)
        toUnsafe(InternalRow(text, i)).copy()
      }
      val spec = SortSpec(columns, Nil, Nil, Seq(SortOrder(columns.head, Descending)))
      // With G1 a row's own array has space for others.
      for (
        region <- Seq(0L, 1L << 20); threshold <- Seq(Int.MaxValue, 25); spillAt <- Seq(-1, 20)
      ) {
        val pages = new RowPages(HeapArrays.filled(_, region))
        val buffer = new RowSortingBuffer(spec, pages, resources, threshold, 1 << 14, 0)
        rows.foreach(buffer.insert)
        assert(read(spec, buffer, spillAt) == expected(spec, rows))
        assert(buffer.peakMemory > 0)
        buffer.free()
      }
    }
  }

  test("ten times the rows that Spark's memory manager has memory for; none for one row") {
    InTask(spark) {
      val spec = numbersSpec
      val rows = new RandomRows(new Random(seed)).rows(spec.columns, 100000, 1000)
      val rest = newBuffer(spec, 1)
      // All memory but one megabyte.
      val hoarded = rest.acquireMemory(Long.MaxValue / 2)
      rest.freeMemory(1L << 20)
      val buffer = new RowSortingBuffer(spec, resources, Int.MaxValue)
      rows.foreach(buffer.insert)
      assert(buffer.peakMemory <= (1L << 20))
      assert(read(spec, buffer, -1) == expected(spec, rows))
      buffer.free()
      rest.acquireMemory(1L << 20): Unit
      intercept[SparkOutOfMemoryError](newBuffer(spec, Int.MaxValue).insert(rows.head))
      rest.freeMemory(hoarded)
    }
  }

  test("rows that arrive leave the memory for who asks in their thread, if that helps") {
    InTask(spark) {
      val spec = numbersSpec
      val other = newBuffer(spec, 1)
      val rows = new RandomRows(new Random(seed)).rows(spec.columns, 1000, 10)
      val buffer = newBuffer(spec, Int.MaxValue)
      rows.foreach(buffer.insert)
      val held = buffer.getUsed
      val elsewhere = new Array[Long](1)
      val thread = new Thread(() => elsewhere(0) = buffer.spill(1L, other))
      thread.start()
      thread.join()
      assert(elsewhere(0) == 0)
      assert(buffer.spill(held + 1, other) == 0)
      assert(buffer.spill(held, buffer) == 0)
      assert(buffer.spill(held, other) == held && buffer.getUsed == 0)
      assert(buffer.spill(held, other) == 0)
      rows.foreach(buffer.insert)
      assert(read(spec, buffer, -1).length == 2000)
      buffer.free()
    }
  }

  test("a small request does not make a small run") {
    InTask(spark) {
      val spec = numbersSpec
      val other = newBuffer(spec, 1)
      val rows = new RandomRows(new Random(seed)).rows(spec.columns, 100000, 10)
      val buffer = new RowSortingBuffer(spec, resources, Int.MaxValue)
      val runs = rows.flatMap { row =>
        buffer.insert(row)
        Option(buffer.spill(1L, other)).filter(_ > 0)
      }
      assert(runs.nonEmpty && runs.forall(_ >= (1L << 20)), runs)
      assert(read(spec, buffer, -1).length == rows.length)
      buffer.free()
    }
  }

  test("the records that the merge holds count as memory") {
    InTask(spark) {
      val spec = numbersSpec
      val rows = new RandomRows(new Random(seed)).rows(spec.columns, 40000, 1000)
      val rest = newBuffer(spec, 1)
      // Twenty runs of about 80 KB, one record each.
      def filled(): RowSortingBuffer = {
        val buffer = newBuffer(spec, 2000)
        rows.foreach(buffer.insert)
        buffer
      }
      val buffer = filled()
      val held = buffer.getUsed
      val sorted = buffer.sorted()
      assert(buffer.getUsed - held > 1000000)
      Iterator.continually(sorted.next()).takeWhile(_ != null).foreach(_ => ())
      // The rows in memory have been read, the records are still there.
      assert(buffer.getUsed > 1000000)
      buffer.free()
      assert(buffer.getUsed == 0)
      // Without memory for all records, runs are merged before.
      val hoarded = rest.acquireMemory(Long.MaxValue / 2)
      rest.freeMemory(700L << 10)
      val small = filled()
      assert(read(spec, small, -1) == expected(spec, rows))
      assert(small.peakMemory <= (700L << 10))
      small.free()
      // One record and a half are not enough to merge two.
      val least = filled()
      rest.acquireMemory(580L << 10): Unit
      intercept[SparkOutOfMemoryError](least.sorted())
      least.free()
      rest.freeMemory(hoarded)
    }
  }

  test("rows that could not be written for another operator are not missing without an error") {
    InTask(spark) {
      val spec = numbersSpec
      val rows = new RandomRows(new Random(seed)).rows(spec.columns, 3, 10)
      val full = new HeldRows {
        override def isFull: Boolean = false
        override def cursor(): RowCursor = _ => rows.head
        override def inOrder(places: Array[Int], ends: Array[Int]): MemoryRows =
          throw new IOException("No space left on device")
        override def clear(): Unit = ()
      }
      final class Failing extends SortingBuffer(spec, spec.columns, full, resources, 100, 1, 0) {
        def insert(row: UnsafeRow): Unit = {
          prepare(row)
          arrived.add(row, 0)
        }
      }
      val buffer = new Failing
      rows.foreach(buffer.insert)
      intercept[IOException](buffer.spill(1L, newBuffer(spec, 1)))
      // It is not tried again with what is left.
      assert(buffer.spill(1L, newBuffer(spec, 1)) == 0)
      intercept[IOException](buffer.insert(rows.head))
      intercept[IOException](buffer.sorted())
      buffer.free()
      assert(buffer.getUsed == 0)
    }
  }
}
