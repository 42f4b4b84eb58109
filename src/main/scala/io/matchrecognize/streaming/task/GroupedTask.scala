package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.sort.SortedRows
import io.matchrecognize.streaming.state.StateTable

/**
 * A task that reads all rows of a batch before it searches them, partition by partition, so that
 * the state of a key is read and written once, however its rows are mixed with others.
 *
 *   - Rows at or before the late watermark are dropped, rows after the batch's watermark wait in
 *     the store; in the order of arrival none waits.
 *   - The partitions that have ready rows are searched one after the other, then those whose
 *     deadline the watermark has reached.
 *   - Beyond the limit on pending rows the oldest of them are handed on: for this store it is as if
 *     the watermark had reached them, so rows of that time that arrive afterwards are late.
 */
final class GroupedTask(parts: StreamParts, rows: Iterator[InternalRow], table: StateTable)
    extends StreamTask(parts, table) {
  import parts.{metrics, program}

  private var watermark = math.max(program.readyMicros, directory.handedOn)
  private var admission: RowAdmission = _
  private var sorted: SortedRows = _
  private var row: UnsafeRow = _

  override protected def make(): InternalRow = {
    if (sorted == null) admit()
    var output: UnsafeRow = null
    while (output == null && (isSearching || beginWithRows() || beginTaken(watermark))) {
      output = search.nextRow()
      if (output == null) endPartition()
    }
    if (output == null) end()
    output
  }

  private def admit(): Unit = {
    admission = new RowAdmission(parts, directory)
    val start = System.nanoTime
    watermark = admission.admit(rows)
    sorted = admission.readyRows()
    advance()
    takeDue(watermark)
    metrics.updateTime += (System.nanoTime - start) / 1000000
  }

  private def advance(): Unit = row = sorted.next()

  /** The next partition with ready rows. */
  private def beginWithRows(): Boolean =
    if (row == null) false
    else {
      beginOf(row)
      if (search.queuedDeadline <= watermark) {
        noteAdvanced()
        search.queuedDeadline = Long.MaxValue
      }
      while (row != null && isOfKey(row)) {
        search.append(row)
        advance()
      }
      search.advanceTo(watermark)
      true
    }

  override protected def end(): Unit = {
    admission.free()
    super.end()
  }

  override protected def noteWrites(): Unit = {
    metrics.updatedEntries += entries.updates
    metrics.removedEntries += entries.removals
  }
}

/**
 * Makes the task of a batch. In Real-Time Mode each row is searched as it arrives; otherwise the
 * rows of a key are brought together first, because a key's state is restored and saved whenever
 * another key's row comes between two of its own.
 */
object StreamTasks {
  def of(
      program: StreamProgram,
      rows: Iterator[InternalRow],
      table: StateTable,
      resources: TaskResources,
      partitionIndex: Int,
      metrics: StreamMetrics,
      commit: () => Unit
  ): StreamTask = {
    val parts = new StreamParts(program, resources, partitionIndex, metrics, commit)
    if (program.isRealTime) new ArrivalTask(parts, rows, new CachedTable(table, resources))
    else new GroupedTask(parts, rows, table)
  }
}
