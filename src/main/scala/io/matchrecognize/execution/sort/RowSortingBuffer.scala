package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.rows.ToUnsafe

/** Sorts rows, which are copied to pages. */
final class RowSortingBuffer private[sort] (
    spec: SortSpec,
    pages: RowPages,
    resources: TaskResources,
    spillThreshold: Int,
    manyPartitions: Int,
    leastRun: Long
) extends SortingBuffer(
      spec,
      spec.columns,
      new HeldPages(pages, spec.columns.length),
      resources,
      spillThreshold,
      manyPartitions,
      leastRun
    ) {

  /** See [[SortingBuffer]]. */
  def this(
      spec: SortSpec,
      resources: TaskResources,
      spillThreshold: Int,
      manyPartitions: Int = ArrivedRows.ManyPartitions,
      leastRun: Long = SortingBuffer.LeastRun
  ) = this(spec, new RowPages, resources, spillThreshold, manyPartitions, leastRun)

  override protected def growth(row: UnsafeRow): Long =
    super.growth(row) + pages.growth(row.getSizeInBytes)

  override protected def grow(row: UnsafeRow): Unit = {
    super.grow(row)
    pages.grow(row.getSizeInBytes)
  }

  private val toUnsafe = new ToUnsafe(spec.columns)

  def insert(any: InternalRow): Unit = {
    val row = toUnsafe(any)
    prepare(row)
    arrived.add(row, pages.append(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes))
  }
}

/** Rows in pages. */
private[sort] final class HeldPages(pages: RowPages, fields: Int) extends HeldRows {
  override def isFull: Boolean = pages.isFull

  override def cursor(): RowCursor = new RowCursor {
    private val row = new UnsafeRow(fields)
    override def at(address: Int): UnsafeRow = {
      pages.pointTo(address, row)
      row
    }
  }

  override def inOrder(places: Array[Int], ends: Array[Int]): MemoryRows =
    new PagedRows(pages, places, fields)

  override def clear(): Unit = pages.clear()
}
