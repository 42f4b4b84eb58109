package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}

import io.matchrecognize.execution.rows.{PartitionReader, PartitionSource, RowStore, StoreSchema}
import io.matchrecognize.execution.shuffle.BlockRow

/**
 * Loads the partitions of sorted blocks into the store, column by column. Once their rows are not
 * in memory only, they are read as rows instead, in the middle of a partition too.
 *
 * @param input
 *   the same rows as rows
 * @param schema
 *   that of the store
 */
final class BlockPartitionReader(
    input: SortedInput,
    buffer: BlockSortingBuffer,
    columns: Seq[Attribute],
    partitionSpec: Seq[Expression],
    store: RowStore,
    schema: StoreSchema
) extends PartitionSource {
  private val rows = new PartitionReader(input, columns, partitionSpec, store)
  private val variable = if (schema.variable.isEmpty) null else new BlockRow(schema.variable)
  private var read = 0L

  override def firstRow: UnsafeRow = rows.firstRow

  override def rowsRead: Long = read + rows.rowsRead

  override def next(): Boolean = {
    input.load()
    val sorted = buffer.columns
    val first = if (sorted == null) null else sorted.peek()
    if (first == null) rows.next()
    else {
      store.clear()
      rows.begin(first)
      load(sorted)
      true
    }
  }

  private def load(sorted: BlocksInOrder): Unit = {
    val end = sorted.nextPartition()
    var at = sorted.position
    while (at < end) {
      // This may spill the rows.
      val chunk = store.open()
      val count = buffer.take(chunk.capacity - chunk.length, end)
      if (count > 0) {
        sorted.copy(at, count, store, schema, variable)
        at += count
        read += count
      } else {
        rows.resume()
        at = end
      }
    }
  }
}
