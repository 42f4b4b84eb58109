package io.matchrecognize.execution.search

import org.apache.spark.sql.catalyst.InternalRow

import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.rows.{RowStore, RowsOnDemand}
import io.matchrecognize.execution.shuffle.ColumnBlock
import io.matchrecognize.execution.sort.SortSpec

/**
 * The output rows of one task: loads a partition, searches it lazily, as rows are requested, and
 * continues with the next one. A LIMIT above stops the search between two matches.
 *
 * `ResultRows` makes the rows of a match; an unmatched row is between those of matches.
 */
class MatchIterator private[execution] (
    task: TaskProgram,
    source: TaskRows,
    partitionIndex: Int,
    metrics: MatchMetrics
) extends TableClauseSearch(
      task,
      source.store,
      source.resources,
      partitionIndex,
      metrics,
      source.reader.keys
    )
    with RowsOnDemand {
  import source.{buffer, reader, resources}

  protected final val store: RowStore = source.store
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
    val source = TaskRows.of(program, sort, rows, metrics)
    new MatchIterator(program, source, partitionIndex, metrics)
  }

  /** The same over rows in blocks, in any order. */
  def ofBlocks(
      program: TaskProgram,
      sort: SortSpec,
      blocks: Iterator[ColumnBlock],
      partitionIndex: Int,
      metrics: MatchMetrics
  ): MatchIterator = {
    val source = TaskRows.ofBlocks(program, sort, blocks, metrics)
    new MatchIterator(program, source, partitionIndex, metrics)
  }
}
