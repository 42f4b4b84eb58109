package io.matchrecognize.execution.search

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.rows.RowsOnDemand

/**
 * The output rows of one task: loads a partition, runs one search after the other over it, lazily,
 * as rows are requested, and continues with the next one. A LIMIT above stops between two matches.
 * A partition without what a clause needs is not searched for it.
 *
 * `ResultRows` makes the rows of a match; an unmatched row is between those of matches.
 *
 * @param necessary
 *   of each search, see [[io.matchrecognize.execution.compile.NecessaryConditions]]
 * @param newSearch
 *   makes a search, once it is needed
 */
private[execution] final class PartitionLoop(
    source: TaskRows,
    necessary: Array[Array[Array[Int]]],
    metrics: MatchMetrics
)(newSearch: Int => TableClauseSearch)
    extends RowsOnDemand {
  import source.{buffer, conditions, failures, reader, resources, store}

  private val searches = new Array[TableClauseSearch](necessary.length)
  private var reportedRows = 0L
  // The search that is asked; none before the first partition and after the last one.
  private var current = searches.length

  override protected def make(): InternalRow = {
    var row = nextRow()
    while (row == null && nextPartition()) row = nextRow()
    if (row == null) end()
    row
  }

  /** The next row of the partition. */
  private def nextRow(): UnsafeRow = {
    var row: UnsafeRow = null
    while (row == null && current < searches.length) {
      row = searches(current).nextRow()
      if (row == null) begin(current + 1)
    }
    row
  }

  private def begin(search: Int): Unit = {
    current = search
    while (current < searches.length && !conditions.mayMeet(necessary(current))) current += 1
    if (current < searches.length) searchOf(current).beginPartition()
  }

  private def searchOf(number: Int): TableClauseSearch = {
    if (searches(number) == null) searches(number) = newSearch(number)
    searches(number)
  }

  // The task may go on to read further partitions, of a coalesced RDD.
  private def end(): Unit = {
    // Rows of a task that has ended are none, whoever reads them.
    resources.checkCancelled()
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
    if (loaded) {
      // Small partitions may each be too little work for the other checks.
      resources.checkCancelled()
      metrics.partitions += 1
      failures.guard(0L)(conditions.reset())
      begin(0)
    }
    loaded
  }
}

private[execution] object PartitionLoop {

  /** The rows of a task that searches for the matches of its clauses. */
  def apply(
      program: TaskProgram,
      source: TaskRows,
      partitionIndex: Int,
      metrics: MatchMetrics
  ): PartitionLoop =
    new PartitionLoop(source, program.necessary, metrics)(number =>
      new TableClauseSearch(program, number, source, partitionIndex, metrics)
    )
}
