package io.matchrecognize.execution.sort

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types.IntegerType

import io.matchrecognize.QuerySuite

/** Buffers, and the order in which a stable sort has their rows. */
abstract class SortingSuite extends QuerySuite {
  protected val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  /** The numbers of the rows in order, by a stable sort. */
  protected def expected(spec: SortSpec, rows: Seq[UnsafeRow]): Seq[Int] = {
    val orders = spec.partitionOrder ++ spec.orderSpec
    val ordering = new InterpretedOrdering(orders, spec.columns)
    rows.sortWith(ordering.compare(_, _) < 0).map(number(spec, _))
  }

  protected def number(spec: SortSpec, row: UnsafeRow): Int = row.getInt(spec.columns.length - 1)

  protected def resources: TaskResources = new TaskResources(TaskContext.get(), _ => ())

  protected def newBuffer(spec: SortSpec, threshold: Int, many: Int = 1 << 14): SortingBuffer =
    // Another operator's request ends a run of any size, so that few rows make many runs.
    new SortingBuffer(spec, resources, threshold, manyPartitions = many, leastRun = 0)

  /** @param spillAt the number of rows read before another operator asks for memory */
  protected def read(spec: SortSpec, buffer: SortingBuffer, spillAt: Int): Seq[Int] = {
    val sorted = buffer.sorted()
    val other = newBuffer(spec, 1)
    val numbers = Iterator
      .tabulate(Int.MaxValue) { i =>
        val row = sorted.next()
        // The row that was read last stays valid.
        if (i == spillAt) buffer.memory.spill(1L, other.memory): Unit
        row
      }
      .takeWhile(_ != null)
      .map(number(spec, _))
      .toList
    assert(sorted.next() == null)
    numbers
  }

  protected def numbersSpec: SortSpec = {
    val columns = Seq("k", "v", "number").map(AttributeReference(_, IntegerType, false)())
    val keys = columns.take(1)
    SortSpec(
      columns,
      keys,
      keys.map(SortOrder(_, Ascending)),
      Seq(SortOrder(columns(1), Ascending))
    )
  }
}
