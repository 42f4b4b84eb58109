package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}

import io.matchrecognize.execution.rows._
import io.matchrecognize.execution.shuffle.BlockRow

/**
 * Loads the partitions of sorted blocks into the store, column by column. Once their rows are not
 * in memory only, they are read as rows instead, in the middle of a partition too.
 *
 * @param input
 *   the same rows as rows
 * @param schema
 *   that of the store
 * @param threads
 *   for large partitions that are in memory
 */
final class BlockPartitionReader(
    input: SortedInput,
    buffer: BlockSortingBuffer,
    columns: Seq[Attribute],
    partitionSpec: Seq[Expression],
    store: RowStore,
    schema: StoreSchema,
    threads: RowThreads = RowThreads.none
) extends PartitionSource {
  import BlockPartitionReader._

  private val rows = new PartitionReader(input, columns, partitionSpec, store)
  private val variable = if (schema.variable.isEmpty) null else new BlockRow(schema.variable)
  private var read = 0L
  // Whether threads are used for the rest of the partition.
  private var isLarge = false
  private var variableLimit = 0L

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
    isLarge = threads.areFor(end.toLong - at)
    if (isLarge && variable != null) variableLimit = sorted.variableLimit(schema.variable)
    while (at < end) {
      val count = if (isLarge && store.takesChunks) fillChunks(sorted, at, end) else 0
      at = if (count > 0) at + count else copyRows(sorted, at, end)
    }
  }

  /** Copies rows to the last chunk of the store; the position after them. */
  private def copyRows(sorted: BlocksInOrder, at: Int, end: Int): Int = {
    // This may spill the rows.
    val chunk = store.open()
    val count = buffer.take(chunk.capacity - chunk.length, end)
    if (count > 0) {
      sorted.copy(at, count, store, schema, variable)
      read += count
      at + count
    } else {
      rows.resume()
      end
    }
  }

  /** Fills some chunks by several threads; how many rows, 0 if memory is short. */
  private def fillChunks(sorted: BlocksInOrder, at: Int, end: Int): Int = {
    val planned = math.min(end - at, FilledChunks << RowChunk.Shift)
    val bytes = new Array[Long]((planned + RowChunk.Mask) >>> RowChunk.Shift)
    def first(chunk: Int) = at + (chunk << RowChunk.Shift)
    def length(chunk: Int) = math.min(RowChunk.Rows, at + planned - first(chunk))
    if (variableLimit >= 0) bytes.indices.foreach(i => bytes(i) = length(i) * variableLimit)
    else
      threads.each(bytes.length) { (_, i) =>
        bytes(i) = sorted.variableBytes(first(i), length(i), schema.variable)
      }
    // This may spill the rows. Rows that were taken stay in memory until they are copied.
    isLarge = store.reserveChunks(bytes)
    val count = if (isLarge) buffer.take(planned, end) else 0
    if (count > 0) {
      val chunks = new Array[RowChunk](bytes.length)
      threads.each(bytes.length) { (_, i) =>
        chunks(i) = store.newChunk(bytes(i))
        sorted.fill(chunks(i), first(i), length(i), schema)
      }
      store.addFilled(chunks)
      read += count
    } else if (isLarge) store.releaseChunks(bytes)
    count
  }
}

private object BlockPartitionReader {

  /** How many chunks are filled before memory for more is asked for. */
  private final val FilledChunks = 64
}
