package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.execution.shuffle.ColumnBlock

/**
 * The rows of a task in order.
 *
 * @param sort
 *   reads and sorts the whole input
 */
final class SortedInput private (sort: () => SortedRows) extends Iterator[InternalRow] {
  private lazy val rows: SortedRows = sort()
  private var row: UnsafeRow = _
  private var isFetched = false

  /** Sorts the input, unless it is sorted. */
  def load(): Unit = rows: Unit

  override def hasNext: Boolean = {
    if (!isFetched) {
      row = rows.next()
      isFetched = true
    }
    row != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    isFetched = false
    row
  }
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
