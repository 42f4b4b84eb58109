package io.matchrecognize.execution.sort

import java.io.IOException

import scala.util.Random

import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.shuffle.Blocks
import io.matchrecognize.streaming.InTask

/** The sort against Spark's interpreted ordering, in memory and through sorted runs. */
class SortingBufferSuite extends SortingSuite {
  private val cases = sys.props.get("fuzz.sort.cases").fold(30)(_.toInt)

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
        def insertAll[T](buffer: SortingBuffer, rows: Seq[T])(insert: T => Unit): Unit =
          rows.zipWithIndex.foreach { case (row, at) =>
            insert(row)
            if ((at + 1) % spillEach == 0) assert(buffer.memory.spill(1L, other.memory) > 0)
          }
        val buffer = new SortingBuffer(spec, resources, threshold, inBlocks, many, leastRun = 0)
        if (inBlocks)
          insertAll(buffer, Blocks.of(columns, rows, 1 + random.nextInt(4096)))(buffer.insert)
        else insertAll(buffer, rows)(buffer.insert)
        val found = read(spec, buffer, spillAt)
        val clue = s"case $i: $spec, $count rows, threshold $threshold, many $many, " +
          s"spilled at $spillAt, each $spillEach, in blocks $inBlocks"
        assert(found == expected(spec, rows), clue)
        buffer.free()
        assert(buffer.memory.getUsed == 0, clue)
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

  test("rows beyond one block, in memory and in a run") {
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
      for (threshold <- Seq(Int.MaxValue, 25); spillAt <- Seq(-1, 20)) {
        val buffer = newBuffer(spec, threshold)
        rows.foreach(buffer.insert)
        assert(read(spec, buffer, spillAt) == expected(spec, rows))
        assert(buffer.memory.peakMemory > 0)
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
      val hoarded = rest.memory.acquireMemory(Long.MaxValue / 2)
      rest.memory.freeMemory(1L << 20)
      val buffer = new SortingBuffer(spec, resources, Int.MaxValue)
      rows.foreach(buffer.insert)
      assert(buffer.memory.peakMemory <= (1L << 20))
      assert(read(spec, buffer, -1) == expected(spec, rows))
      buffer.free()
      rest.memory.acquireMemory(1L << 20): Unit
      intercept[SparkOutOfMemoryError](newBuffer(spec, Int.MaxValue).insert(rows.head))
      rest.memory.freeMemory(hoarded)
    }
  }

  test("rows that arrive leave the memory for who asks in their thread, if that helps") {
    InTask(spark) {
      val spec = numbersSpec
      val other = newBuffer(spec, 1)
      val rows = new RandomRows(new Random(seed)).rows(spec.columns, 1000, 10)
      val buffer = newBuffer(spec, Int.MaxValue)
      rows.foreach(buffer.insert)
      val held = buffer.memory.getUsed
      val elsewhere = new Array[Long](1)
      val thread = new Thread(() => elsewhere(0) = buffer.memory.spill(1L, other.memory))
      thread.start()
      thread.join()
      assert(elsewhere(0) == 0)
      assert(buffer.memory.spill(held + 1, other.memory) == 0)
      assert(buffer.memory.spill(held, buffer.memory) == 0)
      assert(buffer.memory.spill(held, other.memory) == held && buffer.memory.getUsed == 0)
      assert(buffer.memory.spill(held, other.memory) == 0)
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
      val buffer = new SortingBuffer(spec, resources, Int.MaxValue)
      val runs = rows.flatMap { row =>
        buffer.insert(row)
        Option(buffer.memory.spill(1L, other.memory)).filter(_ > 0)
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
      def filled(): SortingBuffer = {
        val buffer = newBuffer(spec, 2000)
        rows.foreach(buffer.insert)
        buffer
      }
      val buffer = filled()
      val held = buffer.memory.getUsed
      val sorted = buffer.sorted()
      assert(buffer.memory.getUsed - held > 1000000)
      Iterator.continually(sorted.next()).takeWhile(_ != null).foreach(_ => ())
      // The rows in memory have been read, the records are still there.
      assert(buffer.memory.getUsed > 1000000)
      buffer.free()
      assert(buffer.memory.getUsed == 0)
      // Without memory for all records, runs are merged before.
      val hoarded = rest.memory.acquireMemory(Long.MaxValue / 2)
      rest.memory.freeMemory(700L << 10)
      val small = filled()
      assert(read(spec, small, -1) == expected(spec, rows))
      assert(small.memory.peakMemory <= (700L << 10))
      small.free()
      // One record and a half are not enough to merge two.
      val least = filled()
      rest.memory.acquireMemory(580L << 10): Unit
      intercept[SparkOutOfMemoryError](least.sorted())
      least.free()
      rest.memory.freeMemory(hoarded)
    }
  }

  test("rows that could not be written for another operator are not missing without an error") {
    InTask(spark) {
      val columns = Seq(
        AttributeReference("t", StringType)(),
        AttributeReference("number", IntegerType, nullable = false)()
      )
      val toUnsafe = UnsafeProjection.create(columns.map(_.dataType).toArray)
      // Rows are compared where packed keys are equal and not exact.
      val rows = Seq.tabulate(3)(i =>
        toUnsafe(InternalRow(UTF8String.fromString(s"a long text $i"), 3 - i)).copy()
      )
      val order = SortOrder(FailingText(columns.head), Descending)
      val buffer = newBuffer(SortSpec(columns, Nil, Nil, Seq(order)), 100)
      rows.foreach(buffer.insert)
      val other = newBuffer(numbersSpec, 1)
      FailingText.fails = true
      try intercept[IOException](buffer.memory.spill(1L, other.memory))
      finally FailingText.fails = false
      // It is not tried again with what is left.
      assert(buffer.memory.spill(1L, other.memory) == 0)
      intercept[IOException](buffer.insert(rows.head))
      intercept[IOException](buffer.sorted())
      buffer.free()
      assert(buffer.memory.getUsed == 0)
    }
  }
}

/** A text that cannot be read for a while. */
final case class FailingText(child: Expression) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = StringType
  override protected def withNewChildInternal(newChild: Expression): FailingText = copy(newChild)
  override protected def nullSafeEval(text: Any): Any =
    if (FailingText.fails) throw new IOException("No space left on device") else text
}

object FailingText {
  @volatile var fails = false
}
