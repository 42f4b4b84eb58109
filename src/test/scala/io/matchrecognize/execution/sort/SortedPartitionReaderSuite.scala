package io.matchrecognize.execution.sort

import java.lang.ref.WeakReference

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types.{BooleanType, IntegerType, StringType}

import io.matchrecognize.QuerySuite
import io.matchrecognize.execution.rows.{RowStore, StoreSchema}
import io.matchrecognize.execution.shuffle.{Blocks, ColumnBlock}
import io.matchrecognize.expressions.GroupingKey
import io.matchrecognize.streaming.InTask

/** Partitions from sorted blocks, as columns and, once rows are spilled, as rows. */
class SortedPartitionReaderSuite extends QuerySuite {
  import SortedPartitionReaderSuite._

  private val cases = sys.props.get("fuzz.sort.cases").fold(8)(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  private def resources = new TaskResources(TaskContext.get(), _ => ())

  private def schemaOf(columns: Seq[Attribute]): StoreSchema =
    StoreSchema.of(columns.indices, columns(_).dataType, columns(_).nullable)

  /** A sort of blocks of `size` rows, or of rows if it is 0, its store and its reader. */
  private final class Task(
      spec: SortSpec,
      rows: Seq[UnsafeRow],
      size: Int,
      threshold: Int,
      many: Int
  ) {
    val buffer = new SortingBuffer(spec, resources, threshold, size > 0, many)
    val store = new RowStore(schemaOf(spec.columns), resources, Int.MaxValue)
    val input = new SortedInput(
      buffer,
      () =>
        if (size == 0) rows.foreach(buffer.insert)
        else Blocks.of(spec.columns, rows, size).foreach(buffer.insert)
    )
    val reader = new SortedPartitionReader(
      input,
      buffer,
      spec.columns,
      spec.partitionSpec,
      store,
      schemaOf(spec.columns)
    )

    /** The rows of the current partition. */
    def partition: Seq[StoredRow] =
      (0L until store.length).map(storedRow(store, schemaOf(spec.columns), _))

    def free(): Unit = {
      store.free()
      buffer.free()
      assert(buffer.memory.getUsed == 0 && store.memory.getUsed == 0)
    }
  }

  private def storedRow(store: RowStore, schema: StoreSchema, row: Long): StoredRow = {
    val fixed = schema.fixed.indices.map { c =>
      if (store.isNullFixed(c, row)) null else store.fixed(c, row)
    }
    StoredRow(fixed, if (schema.variable.isEmpty) Nil else store.variable(row).getBytes.toSeq)
  }

  /** What the store has of the rows in order, if they are appended as rows, by partition. */
  private def expected(spec: SortSpec, rows: Seq[UnsafeRow]): Seq[Seq[StoredRow]] = {
    val buffer = new SortingBuffer(spec, resources, Int.MaxValue)
    rows.foreach(buffer.insert)
    val sorted = buffer.sorted()
    val ordered = Iterator.continually(sorted.next()).takeWhile(_ != null).map(_.copy()).toSeq
    buffer.free()
    val key = UnsafeProjection.create(
      spec.partitionSpec.map(e =>
        GroupingKey.normalize(BindReferences.bindReference(e, AttributeSeq(spec.columns)))
      )
    )
    val schema = schemaOf(spec.columns)
    val partitions = mutable.LinkedHashMap.empty[UnsafeRow, mutable.ArrayBuffer[StoredRow]]
    val store = new RowStore(schema, resources, Int.MaxValue)
    ordered.foreach { row =>
      store.clear()
      store.append(row)
      partitions.getOrElseUpdate(key(row).copy(), mutable.ArrayBuffer.empty) +=
        storedRow(store, schema, 0)
    }
    store.free()
    partitions.values.map(_.toSeq).toSeq
  }

  test(s"$cases random sorts of blocks and rows from seed $seed") {
    var (direct, byRows) = (0, 0)
    InTask(spark) {
      (0 until cases).foreach { i =>
        val random = new Random(seed * 1000000007L + i)
        val generator = new RandomRows(random)
        val keys = 1 + random.nextInt(3)
        val columns = generator.columns(keys + random.nextInt(4))
        val partitionSpec = columns.take(keys)
        val orderSpec = random.shuffle(columns.init).take(random.nextInt(4)).map(generator.order)
        val order = random.shuffle(partitionSpec).map(generator.order)
        val spec = SortSpec(columns, partitionSpec, order, orderSpec)
        val count = Seq(0, 1, 3, 30, 100, 1000, 9000)(random.nextInt(7))
        val rows = generator.rows(columns, count, 1 + random.nextInt(1 + count))
        val threshold = Seq(Int.MaxValue, Int.MaxValue, 1 + count / 3)(random.nextInt(3))
        val size = Seq(0, 1, 7, 500, 4096)(random.nextInt(if (count > 1000) 5 else 4))
        val many = Seq(1 << 14, 1, 300)(random.nextInt(3))
        val spillAt = if (random.nextBoolean()) random.nextInt(30) else -1
        val clue = s"case $i: $spec, $count rows in blocks of $size, threshold $threshold, " +
          s"many $many, spilled at $spillAt"
        val task = new Task(spec, rows, size, threshold, many)
        val other = new SortingBuffer(spec, resources, 1)
        val found = mutable.ArrayBuffer.empty[Seq[StoredRow]]
        while (task.reader.next()) {
          if (task.buffer.partitions != null) direct += 1 else byRows += 1
          found += task.partition
          if (found.size == spillAt) task.buffer.memory.spill(1L, other.memory): Unit
        }
        assert(found.toSeq == expected(spec, rows), clue)
        assert(task.reader.rowsRead == count, clue)
        task.free()
      }
    }
    assert(direct > cases && byRows > cases)
  }

  private val columns = Seq(
    AttributeReference("k", BooleanType, nullable = false)(),
    AttributeReference("v", IntegerType)(),
    AttributeReference("t", StringType)(),
    AttributeReference("number", IntegerType, nullable = false)()
  )
  private val twoPartitions = SortSpec(
    columns,
    Seq(columns.head),
    Seq(SortOrder(columns.head, Ascending)),
    Seq(SortOrder(columns(1), Ascending))
  )

  test("blocks that are spilled while their partition is loaded are free for the collector") {
    InTask(spark) {
      val spec = twoPartitions
      val rows = new RandomRows(new Random(seed)).rows(columns, 60000, 1000)
      val alive = mutable.ArrayBuffer.empty[WeakReference[ColumnBlock]]
      val blocks = rows.grouped(4096).map { some =>
        val block = Blocks.of(columns, some, some.length).head
        alive += new WeakReference(block)
        block
      }
      val buffer = new SortingBuffer(spec, resources, Int.MaxValue, inBlocks = true)
      val input = new SortedInput(buffer, () => blocks.foreach(buffer.insert))
      val schema = schemaOf(columns)
      val store = new RowStore(schema, resources, Int.MaxValue)
      val reader =
        new SortedPartitionReader(input, buffer, columns, spec.partitionSpec, store, schema)
      input.load()
      assert(buffer.partitions != null && alive.forall(_.get != null))
      var held = -1
      // Asked for memory when the store gets none.
      val hoard = new MemoryConsumer(resources.memoryManager, 1 << 20, MemoryMode.ON_HEAP) {
        override def spill(size: Long, trigger: MemoryConsumer): Long = {
          if (held != 0 && buffer.partitions == null) {
            System.gc()
            held = alive.count(_.get != null)
          }
          0L
        }
      }
      hoard.acquireMemory(Long.MaxValue / 2): Unit
      hoard.freeMemory(1L << 20)
      assert(reader.next())
      assert(held == 0 && store.length > 3 * 4096)
      store.free()
      buffer.free()
      hoard.freeMemory(hoard.getUsed)
    }
  }

  test("rows that are spilled while their partition is loaded") {
    InTask(spark) {
      val spec = twoPartitions
      val rows = new RandomRows(new Random(seed)).rows(columns, 60000, 1000)
      val awaited = expected(spec, rows)
      Seq(0, 4096).foreach { size =>
        val task = new Task(spec, rows, size, Int.MaxValue, 1 << 14)
        task.input.load()
        assert(task.buffer.partitions != null)
        // The store gets its first chunks, and then only what the sort gives up.
        val hoard = new SortingBuffer(spec, resources, 1)
        val hoarded = hoard.memory.acquireMemory(Long.MaxValue / 2)
        hoard.memory.freeMemory(1L << 20)
        assert(task.reader.next())
        assert(task.partition == awaited.head && awaited.head.size > 3 * 4096)
        assert(task.buffer.partitions == null)
        assert(task.reader.next() && task.partition == awaited(1))
        assert(!task.reader.next() && task.reader.rowsRead == rows.size)
        hoard.memory.freeMemory(hoarded - (1L << 20))
        task.free()
      }
    }
  }
}

private object SortedPartitionReaderSuite {

  /** What a store has of a row: values of fixed width, and the bytes of the others. */
  final case class StoredRow(fixed: Seq[Any], variable: Seq[Byte])
}
