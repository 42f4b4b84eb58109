package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}

import io.matchrecognize.execution.rows.{
  PartitionReader,
  PartitionSource,
  RowStore,
  RowsOnDemand,
  StoreSchema
}
import io.matchrecognize.execution.shuffle.BlockRow

/**
 * The rows of a task in order.
 *
 * @param insert
 *   puts the whole input into the buffer
 * @param onSorted
 *   called once the rows are sorted
 */
final class SortedInput(buffer: SortingBuffer, insert: () => Unit, onSorted: () => Unit = () => ())
    extends RowsOnDemand {
  private lazy val rows: SortedRows = {
    insert()
    val sorted = buffer.sorted()
    onSorted()
    sorted
  }

  /** Sorts the input, unless it is sorted. */
  def load(): Unit = rows: Unit

  override protected def make(): InternalRow = rows.next()
}

/**
 * Loads the partitions of sorted rows into the store, those of blocks column by column. Once their
 * rows are not in memory only, they are read as rows instead, in the middle of a partition too.
 *
 * @param input
 *   the same rows as rows
 * @param schema
 *   that of the store
 */
final class SortedPartitionReader(
    input: SortedInput,
    buffer: SortingBuffer,
    columns: Seq[Attribute],
    partitionSpec: Seq[Expression],
    store: RowStore,
    schema: StoreSchema
) extends PartitionSource {
  private val rows = new PartitionReader(input, columns, partitionSpec, store)
  private val variable = if (schema.variable.isEmpty) null else new BlockRow(schema.variable)
  private var read = 0L
  // The position of the next row in memory.
  private var at = 0

  override def keys: UnsafeRow = rows.keys

  override def rowsRead: Long = read + rows.rowsRead

  override def next(): Boolean = {
    input.load()
    store.clear()
    val end = beginPartition()
    if (end == Spilled) rows.next()
    else {
      loadPartition(end)
      true
    }
  }

  // One hold of the lock for each step, and no function: most partitions have a few rows.
  private def beginPartition(): Int = buffer.synchronized {
    val sorted = buffer.partitions
    val first = if (sorted == null) null else sorted.peek()
    if (first == null) Spilled
    else {
      rows.begin(first)
      at = sorted.position
      sorted.nextPartition()
    }
  }

  // Nothing here keeps the sorted rows, which a request for memory may spill.
  private def loadPartition(end: Int): Unit = {
    while (at != Spilled && at < end) {
      val copied = copyRows(end)
      read += copied
      at = if (copied > 0) at + copied else Spilled
    }
    if (at == Spilled) rows.resume()
  }

  /** Copies rows to the last chunk of the store; how many, 0 if they are spilled. */
  private def copyRows(end: Int): Int = {
    // These may spill the rows.
    val chunk = store.open()
    var count = chunk.room
    if (variable != null) {
      var bytes = 0L
      buffer.synchronized {
        val sorted = buffer.partitions
        if (sorted != null) {
          count = sorted.copied(count, end, schema.variable)
          bytes = sorted.bytesCopied
        }
      }
      store.makeSpace(bytes)
      // It may be in another chunk.
      count = math.min(count, store.open().room)
    }
    buffer.synchronized {
      val sorted = buffer.partitions
      if (sorted == null) 0
      else {
        if (variable == null) count = sorted.copied(count, end, schema.variable)
        sorted.copy(count, store, schema, variable)
        // The search of the last partition, which may be the only one, does not need them.
        if (sorted.isDone) buffer.drop()
        count
      }
    }
  }

  /** In place of a position: the rows are not in memory any more. */
  private final val Spilled = -1
}
