package io.matchrecognize.execution.search

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.rows.{PartitionReader, PartitionSource, RowStore}
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
 * The rows of a task, which are read into the store a partition at a time.
 *
 * @param buffer
 *   which sorts them, None if they are sorted
 */
private[execution] final class TaskRows private (
    val reader: PartitionSource,
    val store: RowStore,
    val buffer: Option[SortingBuffer],
    val resources: TaskResources
)

private[execution] object TaskRows {

  /** @param sort None if the rows are sorted */
  def of(
      program: TaskProgram,
      sort: Option[SortSpec],
      rows: Iterator[InternalRow],
      metrics: MatchMetrics
  ): TaskRows = {
    val resources = TableClauseSearch.newResources(metrics)
    val buffer = sort.map(new RowSortingBuffer(_, resources, program.spillThreshold))
    val store = newStore(program, buffer, resources, metrics)
    val sorted = buffer.fold(rows) { b =>
      SortedInput.ofRows(rows, b)(metrics.sortTime += b.sortNanos)
    }
    val reader = new PartitionReader(sorted, program.input, program.partitionSpec, store)
    new TaskRows(reader, store, buffer, resources)
  }

  /** The same of rows in blocks, in any order. */
  def ofBlocks(
      program: TaskProgram,
      sort: SortSpec,
      blocks: Iterator[ColumnBlock],
      metrics: MatchMetrics
  ): TaskRows = {
    val resources = TableClauseSearch.newResources(metrics)
    val buffer = BlockSortingBuffer(sort, resources, program.spillThreshold)
    val store = newStore(program, Some(buffer), resources, metrics)
    val reader = new BlockPartitionReader(
      SortedInput.ofBlocks(blocks, buffer)(metrics.sortTime += buffer.sortNanos),
      buffer,
      program.input,
      program.partitionSpec,
      store,
      program.clause.schema
    )
    new TaskRows(reader, store, Some(buffer), resources)
  }

  private def newStore(
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
