package io.matchrecognize.execution.shuffle

import java.lang.management.ManagementFactory

import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.rows.ToUnsafe
import io.matchrecognize.execution.sort.RandomRows
import io.matchrecognize.streaming.InTask
import io.matchrecognize.{QuerySuite, Sampled}

/** Rows through blocks and back. */
class BlockSuite extends QuerySuite {
  private val cases = sys.props.get("fuzz.sort.cases").fold(Sampled.size(12, 5))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  private def writer(
      columns: Seq[Attribute],
      keys: Seq[Expression],
      partitions: Int
  ): BlockWriter = new BlockWriter(
    new BlockBuffer(BlockWriteExec.schemaOf(columns), partitions),
    UnsafeProjection.create(
      HashPartitioning(keys, partitions).partitionIdExpression :: Nil,
      columns
    ),
    Array.range(0, partitions),
    new TaskResources(TaskContext.get(), _ => ()),
    SQLMetrics.createMetric(spark.sparkContext, "rows"),
    SQLMetrics.createMetric(spark.sparkContext, "blocks")
  )

  /** The rows of each partition, and the number of blocks. */
  private def through(
      columns: Seq[Attribute],
      keys: Seq[Expression],
      partitions: Int,
      rows: Seq[InternalRow]
  ): (Map[Int, Seq[UnsafeRow]], Int) = {
    val write = writer(columns, keys, partitions)
    val all = new BlocksOfRows(rows.iterator, write, new ToUnsafe(columns))
    val blocks = all.map(_.copy().asInstanceOf[UnsafeRow]).toList
    write.free()
    assert(write.memory.getUsed == 0)
    val found = blocks.groupBy(_.getInt(0)).map { case (partition, of) =>
      // A NULL of some types has space in its row, which blocks do not keep.
      val packed = UnsafeProjection.create(columns.map(_.dataType).toArray[DataType])
      val schema = BlockWriteExec.schemaOf(columns)
      val read = new RowsOfBlocks(of.iterator.map(ColumnBlock.of(schema, _)), columns.length)
      partition -> read.map(packed(_).copy()).toList
    }
    (found, blocks.size)
  }

  private def expected(
      columns: Seq[Attribute],
      keys: Seq[Expression],
      partitions: Int,
      rows: Seq[UnsafeRow]
  ): Map[Int, Seq[UnsafeRow]] = {
    val hash = HashPartitioning(keys, partitions).partitionIdExpression
    val bound = BindReferences.bindReference(hash, AttributeSeq(columns))
    val packed = UnsafeProjection.create(columns.map(_.dataType).toArray[DataType])
    rows.map(packed(_).copy()).groupBy(row => bound.eval(row).asInstanceOf[Int])
  }

  test(s"$cases random tables from seed $seed: the same bytes in the same order") {
    InTask(spark) {
      (0 until cases).foreach { i =>
        val random = new Random(seed * 1000000007L + i)
        val generator = new RandomRows(random)
        val columns = generator.columns(random.nextInt(70) / (1 + random.nextInt(20)))
        val keys = random.shuffle(columns).take(1 + random.nextInt(2))
        val partitions = Seq(1, 2, 7, 200)(random.nextInt(4))
        val count = Seq(0, 1, 3, 100, 1000, 9000)(random.nextInt(if (columns.size > 5) 5 else 6))
        val rows = generator.rows(columns, count, 1 + random.nextInt(1 + count))
        val (found, _) = through(columns, keys, partitions, rows)
        assert(
          found == expected(columns, keys, partitions, rows),
          s"case $i: $columns, $count rows"
        )
      }
    }
  }

  private val text = AttributeReference("t", StringType)()
  private val number = AttributeReference("number", IntegerType, nullable = false)()
  private val columns = Seq(text, number)
  private val toUnsafe = UnsafeProjection.create(columns.map(_.dataType).toArray[DataType])

  private def row(value: Int, size: Int): UnsafeRow =
    toUnsafe(InternalRow(UTF8String.fromString(('a' + value % 26).toChar.toString * size), value))
      .copy()

  test("values larger than a block, and than the buffer") {
    InTask(spark) {
      val sizes = Seq(0, 1, 7, 8, 9, 100000, 3 << 20, 5, 20 << 20, 3, 17 << 20, 100)
      val rows = sizes.zipWithIndex.map { case (size, i) => row(i, size) }
      val (found, blocks) = through(columns, Seq(number), 3, rows)
      assert(found == expected(columns, Seq(number), 3, rows))
      assert(blocks > 6)
    }
  }

  test("a block of wide rows ends before an array of theirs takes a region of the heap") {
    InTask(spark) {
      val sizes = Seq(150000, 1 << 20, 400000, 100, 90000, 3, 600000)
      val rows = Seq.tabulate(210)(i => row(i, sizes(i % 7)))
      val write = writer(columns, Seq(number), 1)
      val blocks = new BlocksOfRows(rows.iterator, write, new ToUnsafe(columns)).map { block =>
        ColumnBlock.of(BlockWriteExec.schemaOf(columns), block.asInstanceOf[UnsafeRow])
      }.toList
      write.free()
      assert(blocks.map(_.length).sum == rows.length)
      blocks.foreach(b => assert(b.length == 1 || b.bytes(0).length + 16 < (1 << 19)))
      assert(blocks.exists(_.length == 1) && blocks.size < rows.length)
    }
  }

  test("more rows than a buffer has: blocks of at most 4,096 rows") {
    InTask(spark) {
      val rows = Seq.tabulate(100000)(i => row(i, i % 20))
      val (found, blocks) = through(columns, Seq(number), 2, rows)
      assert(found == expected(columns, Seq(number), 2, rows))
      assert(blocks >= 100000 / 4096 && blocks < 60)
    }
  }

  test("little memory means short blocks; none for a large row is Spark's own error") {
    InTask(spark) {
      val rows = Seq.tabulate(20000)(i => row(i, 20))
      val hoard = writer(columns, Seq(number), 2)
      val hoarded = hoard.memory.acquireMemory(Long.MaxValue / 2)
      hoard.memory.freeMemory(1L << 17)
      val (found, blocks) = through(columns, Seq(number), 2, rows)
      assert(found == expected(columns, Seq(number), 2, rows))
      assert(blocks > 10)
      val large = writer(columns, Seq(number), 2)
      intercept[org.apache.spark.memory.SparkOutOfMemoryError](large.add(row(0, 1 << 18)))
      hoard.memory.freeMemory(hoarded - (1L << 17))
    }
  }

  test("blocks of few rows count as what they take in the heap") {
    val wide = new RandomRows(new Random(seed)).columns(60)
    val schema = BlockWriteExec.schemaOf(wide)
    val blocks = ManagementFactory.getThreadMXBean match {
      case threads: com.sun.management.ThreadMXBean =>
        Seq(1, 1, 2, 30).map { count =>
          val buffer = new BlockBuffer(schema, 1)
          new RandomRows(new Random(seed)).rows(wide, count, 5).foreach { row =>
            buffer.grow(row)
            buffer.add(row, 0)
          }
          buffer.sort()
          val block = buffer.nextBlock(Array(0))
          val before = threads.getCurrentThreadAllocatedBytes
          val read = ColumnBlock.of(schema, block)
          read.size -> (threads.getCurrentThreadAllocatedBytes - before)
        }
      case _ => cancel("this Java does not count what a thread allocates")
    }
    // The first one also loads classes.
    blocks.tail.foreach { case (counted, allocated) =>
      assert(counted > allocated * 0.9 && counted < allocated * 1.3, blocks)
    }
  }

  test("rows that are no UnsafeRows") {
    InTask(spark) {
      val rows = Seq.tabulate(100)(i => InternalRow(UTF8String.fromString(s"a$i"), i))
      val (found, _) = through(columns, Seq(number), 2, rows)
      val unsafe = rows.map(toUnsafe(_).copy())
      assert(found == expected(columns, Seq(number), 2, unsafe))
    }
  }
}
