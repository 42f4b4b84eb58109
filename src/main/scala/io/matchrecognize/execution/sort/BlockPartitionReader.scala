package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}

import io.matchrecognize.execution.rows.{
  PartitionReader,
  PartitionSource,
  RowChunk,
  RowStore,
  StoreSchema
}
import io.matchrecognize.execution.shuffle.BlockRow
import io.matchrecognize.execution.task.TaskWorkers

/**
 * Loads the partitions of sorted blocks into the store, column by column. Once their rows are not
 * in memory only, they are read as rows instead, in the middle of a partition too.
 *
 * @param input
 *   the same rows as rows
 * @param schema
 *   that of the store
 * @param workers
 *   for large partitions that are in memory
 */
final class BlockPartitionReader(
    input: SortedInput,
    buffer: BlockSortingBuffer,
    columns: Seq[Attribute],
    partitionSpec: Seq[Expression],
    store: RowStore,
    schema: StoreSchema,
    workers: TaskWorkers = TaskWorkers.none
) extends PartitionSource {
  import BlockPartitionReader._

  private val rows = new PartitionReader(input, columns, partitionSpec, store)
  private val variable = if (schema.variable.isEmpty) null else new BlockRow(schema.variable)
  private var read = 0L
  // The position of the next row in memory.
  private var at = 0
  // Whether threads are used for the rest of the partition.
  private var isLarge = false
  private var variableLimit = 0L

  override def firstRow: UnsafeRow = rows.firstRow

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
    val sorted = buffer.columns
    val first = if (sorted == null) null else sorted.peek()
    if (first == null) Spilled
    else {
      rows.begin(first)
      at = sorted.position
      val end = sorted.nextPartition()
      isLarge = workers.areFor(end.toLong - at)
      if (isLarge && variable != null) variableLimit = sorted.variableLimit(schema.variable)
      end
    }
  }

  // Nothing here keeps the sorted rows, which a request for memory may spill.
  private def loadPartition(end: Int): Unit = {
    while (at != Spilled && at < end) {
      val count = if (isLarge && store.takesChunks) fillChunks(at, end) else 0
      val copied = if (count > 0) count else copyRows(end)
      read += copied
      at = if (copied > 0) at + copied else Spilled
    }
    if (at == Spilled) rows.resume()
  }

  /** Copies rows to the last chunk of the store; how many, 0 if they are spilled. */
  private def copyRows(end: Int): Int = {
    // These may spill the rows.
    val chunk = store.open()
    var count = chunk.room - chunk.length
    if (variable != null) {
      var bytes = 0L
      buffer.synchronized {
        val sorted = buffer.columns
        if (sorted != null) {
          count = sorted.copied(count, end, schema.variable)
          bytes = sorted.bytesCopied
        }
      }
      store.makeSpace(bytes)
    }
    buffer.synchronized {
      val sorted = buffer.columns
      if (sorted == null) 0
      else {
        if (variable == null) count = sorted.copied(count, end, schema.variable)
        sorted.copy(count, store, schema, variable)
        count
      }
    }
  }

  /** Fills some chunks by several threads; how many rows, 0 if memory is short. */
  private def fillChunks(at: Int, end: Int): Int = {
    val planned = math.min(end - at, FilledChunks << RowChunk.Shift)
    val bytes = new Array[Long]((planned + RowChunk.Mask) >>> RowChunk.Shift)
    def first(chunk: Int) = at + (chunk << RowChunk.Shift)
    def length(chunk: Int) = math.min(RowChunk.MaxRows, at + planned - first(chunk))
    if (variableLimit >= 0) bytes.indices.foreach(i => bytes(i) = length(i) * variableLimit)
    else
      buffer.readPinned(()) { sorted =>
        workers.each(bytes.length) { (_, i) =>
          bytes(i) = sorted.variableBytes(first(i), length(i), schema.variable)
        }
      }
    // This may spill the rows.
    isLarge = store.reserveChunks(bytes)
    val chunks = new Array[RowChunk](bytes.length)
    val isFilled = isLarge && buffer.readPinned(false) { sorted =>
      workers.each(bytes.length) { (_, i) =>
        chunks(i) = store.newChunk(bytes(i))
        sorted.fill(chunks(i), first(i), length(i), schema)
      }
      sorted.skip(planned)
      true
    }
    if (isFilled) store.addFilled(chunks)
    else if (isLarge) store.releaseChunks(bytes)
    if (isFilled) planned else 0
  }
}

private object BlockPartitionReader {

  /** How many chunks are filled before memory for more is asked for. */
  private final val FilledChunks = 64

  /** In place of a position: the rows are not in memory any more. */
  private final val Spilled = -1
}
