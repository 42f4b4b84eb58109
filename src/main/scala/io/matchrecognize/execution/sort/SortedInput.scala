package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.InternalRow

import io.matchrecognize.execution.rows.RowsOnDemand
import io.matchrecognize.execution.shuffle.ColumnBlock

/**
 * The rows of a task in order.
 *
 * @param sort
 *   reads and sorts the whole input
 */
final class SortedInput private (sort: () => SortedRows) extends RowsOnDemand {
  private lazy val rows: SortedRows = sort()

  /** Sorts the input, unless it is sorted. */
  def load(): Unit = rows: Unit

  override protected def make(): InternalRow = rows.next()
}

object SortedInput {

  /** @param onSorted called once the rows are sorted */
  def ofRows(rows: Iterator[InternalRow], buffer: RowSortingBuffer)(
      onSorted: => Unit
  ): SortedInput = of(buffer)(rows.foreach(buffer.insert))(onSorted)

  def ofBlocks(blocks: Iterator[ColumnBlock], buffer: BlockSortingBuffer)(
      onSorted: => Unit
  ): SortedInput = of(buffer)(blocks.foreach(buffer.insert))(onSorted)

  private def of(buffer: SortingBuffer)(insert: => Unit)(onSorted: => Unit): SortedInput =
    new SortedInput(() => {
      insert
      val sorted = buffer.sorted()
      onSorted
      sorted
    })
}
