package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The rows of blocks, one after the other. A row is valid until the next one is asked for. */
private[shuffle] final class BlockRows(blocks: Iterator[ColumnBlock], columns: Int)
    extends Iterator[InternalRow] {
  private val row = new BlockRow(Array.range(0, columns))
  private var block: ColumnBlock = _
  private var at = 0

  override def hasNext: Boolean = {
    while ((block == null || at == block.length) && blocks.hasNext) {
      block = blocks.next()
      at = 0
    }
    block != null && at < block.length
  }

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    at += 1
    row.of(block, at - 1)
  }
}
