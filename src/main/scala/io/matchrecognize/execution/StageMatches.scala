package io.matchrecognize.execution

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.rows.{PartitionBoundary, RowChunk, RowStore, WaitingRows}

/** What [[StageCode]] creates in each task. */
final class StageProgram(task: TaskProgram, metrics: MatchMetrics) extends Serializable {
  def create(partitionIndex: Int): StageMatches = {
    val resources = TableRunner.newResources(metrics)
    val store = TableRunner.newStore(task, resources, metrics)
    val keys = new UnsafeRow(task.input.length)
    keys.pointTo(Array.emptyByteArray, 0)
    new StageMatches(task, store, resources, partitionIndex, metrics, keys)
  }
}

/**
 * The search of a task whose rows arrive from the whole-stage code around it, partition by
 * partition. That code writes rows to the chunks of the store itself; rows that it cannot write yet
 * wait here: the first row of the next partition, and those that an operator below has sent before
 * it could be stopped, such as all rows that a join makes of one.
 */
final class StageMatches private[execution] (
    task: TaskProgram,
    store: RowStore,
    resources: TaskResources,
    partitionIndex: Int,
    metrics: MatchMetrics,
    keys: UnsafeRow
) extends TableRunner(task, store, resources, partitionIndex, metrics, keys) {

  private val boundary = PartitionBoundary(task.partitionSpec, task.input)
  private val waiting = new WaitingRows(resources)
  private var isBegun = false

  /** The first row of the current partition. */
  def first: UnsafeRow = keys

  /** Whether the current partition has a row. */
  def isOpen: Boolean = isBegun

  /** Whether the current partition is complete, since a row of the next one has arrived. */
  def isComplete: Boolean = !waiting.isEmpty

  /** Keeps a row that is not written to a chunk. */
  def add(row: UnsafeRow): Unit = waiting.add(row)

  /** Begins the next partition, with the rows of it that wait. */
  def begin(): Unit = failures.guard(0L) {
    search = null
    store.clear()
    isBegun = !waiting.isEmpty
    if (isBegun) {
      keys.copyFrom(waiting.peek)
      boundary.begin(keys)
      do store.append(waiting.poll()) while (isComplete && boundary.contains(waiting.peek))
    }
  }

  /** Ends a chunk that has `length` rows; the chunk to write the next row to. */
  def chunk(length: Int): RowChunk = {
    store.written(length)
    failures.guard(0L)(store.open())
  }

  /** Rows in the last chunk. */
  def lastLength: Int = store.lastLength

  /** Writes the columns of variable length of the row at `index`; how many the chunk takes. */
  def putVariable(index: Int, columns: UnsafeRow): Int = {
    store.written(index)
    failures.guard(0L)(store.putVariable(columns))
  }

  /** Searches the current partition, the last chunk of which has `length` rows. */
  def search(length: Int): Unit = {
    store.written(length)
    metrics.inputRows += store.length
    beginSearch()
  }

  /** The next row of the current partition's results, which is reused; null if there is none. */
  def next(): UnsafeRow = {
    val row = if (search == null) null else nextRow()
    if (row != null) metrics.outputRows += 1
    else search = null
    row
  }

  /** Frees memory after the last row. */
  def close(): Unit = {
    resources.checkCancelled()
    store.free()
  }
}
