package io.matchrecognize.execution.search

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.rows.{PartitionReader, PartitionSource, RowStore, RowsOnDemand}
import io.matchrecognize.execution.shuffle.ColumnBlock
import io.matchrecognize.execution.sort.{
  BlockPartitionReader,
  BlockSortingBuffer,
  RowSortingBuffer,
  SortSpec,
  SortedInput,
  SortingBuffer
}

/**
 * The output rows of one task: loads a partition, searches it lazily, as rows are requested, and
 * continues with the next one. A LIMIT above stops the search between two matches.
 *
 * `ResultRows` makes the rows of a match; an unmatched row is between those of matches.
 */
class MatchIterator private[execution] (
    task: TaskProgram,
    reader: PartitionSource,
    store: RowStore,
    buffer: Option[SortingBuffer],
    resources: TaskResources,
    partitionIndex: Int,
    metrics: MatchMetrics
) extends TableClauseSearch(task, store, resources, partitionIndex, metrics, reader.firstRow)
    with RowsOnDemand {
  private var reportedRows = 0L

  override protected def make(): InternalRow = {
    var row = if (search == null) null else nextRow()
    while (row == null && nextPartition()) row = nextRow()
    if (row == null) end()
    row
  }

  // The task may go on to read further partitions, of a coalesced RDD.
  private def end(): Unit = {
    // Rows of a task that has ended are none, whoever reads them.
    resources.checkCancelled()
    search = null
    store.free()
    buffer.foreach(_.free())
  }

  override def next(): InternalRow = {
    val row = super.next()
    metrics.outputRows += 1
    row
  }

  private def nextPartition(): Boolean = {
    val loaded = failures.guard(0L)(reader.next())
    metrics.inputRows += reader.rowsRead - reportedRows
    reportedRows = reader.rowsRead
    if (loaded) beginSearch()
    loaded
  }
}

object MatchIterator {

  /**
   * The iterator of a task, over a store of its own.
   *
   * @param sort
   *   None if the rows are sorted
   */
  def apply(
      program: TaskProgram,
      sort: Option[SortSpec],
      rows: Iterator[InternalRow],
      partitionIndex: Int,
      metrics: MatchMetrics
  ): MatchIterator = {
    val resources = TableClauseSearch.newResources(metrics)
    val buffer = sort.map(new RowSortingBuffer(_, resources, program.spillThreshold))
    val store = newStore(program, buffer, resources, metrics)
    val sorted = buffer.fold(rows) { b =>
      SortedInput.ofRows(rows, b)(metrics.sortTime += b.sortNanos)
    }
    val reader = new PartitionReader(sorted, program.input, program.partitionSpec, store)
    new MatchIterator(program, reader, store, buffer, resources, partitionIndex, metrics)
  }

  /** The same over rows in blocks, in any order. */
  def ofBlocks(
      program: TaskProgram,
      sort: SortSpec,
      blocks: Iterator[ColumnBlock],
      partitionIndex: Int,
      metrics: MatchMetrics
  ): MatchIterator = {
    val resources = TableClauseSearch.newResources(metrics)
    val buffer = BlockSortingBuffer(sort, resources, program.spillThreshold)
    val store = newStore(program, Some(buffer), resources, metrics)
    val reader = new BlockPartitionReader(
      SortedInput.ofBlocks(blocks, buffer)(metrics.sortTime += buffer.sortNanos),
      buffer,
      program.input,
      program.partitionSpec,
      store,
      program.clause.schema,
      TableClauseSearch.newWorkers(program, resources, metrics)
    )
    new MatchIterator(program, reader, store, Some(buffer), resources, partitionIndex, metrics)
  }

  private[execution] def newStore(
      program: TaskProgram,
      buffer: Option[SortingBuffer],
      resources: TaskResources,
      metrics: MatchMetrics
  ): RowStore = {
    val store =
      TableClauseSearch.newStore(program, resources, metrics, () => buffer.fold(0L)(_.peakMemory))
    buffer.foreach(b => resources.onCompletion(() => b.free()))
    store
  }
}
