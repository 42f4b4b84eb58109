package io.matchrecognize.execution.search

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.rows.{PartitionReader, PartitionSource, RowStore}
import io.matchrecognize.execution.shuffle.ColumnBlock
import io.matchrecognize.execution.sort._
import io.matchrecognize.execution.truth.TaskConditions

/**
 * The rows of a task, which are read into the store a partition at a time.
 *
 * @param buffer
 *   which sorts them, None if they are sorted
 */
private[execution] final class TaskRows private (
    program: TaskProgram,
    val reader: PartitionSource,
    val store: RowStore,
    val buffer: Option[SortingBuffer],
    val resources: TaskResources
) {

  /** Over the rows in the store. */
  val conditions = new TaskConditions(program.conditions, store, isStream = false)
  conditions.keys = reader.keys

  /** Of what fails before a search begins. */
  val failures =
    new RunTimeFailures(program.clause.failureTexts.copy(name = None), conditions, store)
}

private[execution] object TaskRows {

  /** @param sort None if the rows are sorted */
  def of(
      program: TaskProgram,
      sort: Option[SortSpec],
      rows: Iterator[InternalRow],
      metrics: MatchMetrics
  ): TaskRows = sort match {
    case Some(spec) =>
      sorting(program, spec, metrics, inBlocks = false)(buffer => rows.foreach(buffer.insert))
    case None =>
      val resources = newResources(metrics)
      val store = newStore(program, resources, metrics)
      val reader = new PartitionReader(rows, program.input, program.partitionSpec, store)
      new TaskRows(program, reader, store, None, resources)
  }

  /** The same of rows in blocks, in any order. */
  def ofBlocks(
      program: TaskProgram,
      sort: SortSpec,
      blocks: Iterator[ColumnBlock],
      metrics: MatchMetrics
  ): TaskRows =
    sorting(program, sort, metrics, inBlocks = true)(buffer => blocks.foreach(buffer.insert))

  private def sorting(
      program: TaskProgram,
      sort: SortSpec,
      metrics: MatchMetrics,
      inBlocks: Boolean
  )(insert: SortingBuffer => Unit): TaskRows = {
    val resources = newResources(metrics)
    val buffer = new SortingBuffer(sort, resources, program.spillThreshold, inBlocks)
    val store = newStore(program, resources, metrics, () => buffer.memory.peakMemory)
    resources.onCompletion(() => buffer.free())
    val reader = new SortedPartitionReader(
      new SortedInput(buffer, () => insert(buffer), () => metrics.sortTime += buffer.sortNanos),
      buffer,
      program.input,
      program.partitionSpec,
      store,
      program.schema
    )
    new TaskRows(program, reader, store, Some(buffer), resources)
  }

  /**
   * The store of a task, freed when the task ends.
   *
   * @param others
   *   peak memory of what the task holds beside it
   */
  private def newStore(
      program: TaskProgram,
      resources: TaskResources,
      metrics: MatchMetrics,
      others: () => Long = () => 0L
  ): RowStore = {
    val store = new RowStore(program.schema, resources, program.spillThreshold)
    resources.onCompletion { () =>
      val peak = store.memory.peakMemory + others()
      metrics.peakMemory.set(math.max(metrics.peakMemory.value, peak))
      resources.reportPeakMemory(peak)
      store.free()
    }
    store
  }

  private def newResources(metrics: MatchMetrics): TaskResources =
    new TaskResources(TaskContext.get(), metrics.spillSize += _)
}
