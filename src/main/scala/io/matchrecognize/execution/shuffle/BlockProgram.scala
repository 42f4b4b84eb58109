package io.matchrecognize.execution.shuffle

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.rows.{StoreSchema, ToUnsafe}
import io.matchrecognize.execution.task.WaitingRows

/**
 * What a task runs that packs rows into blocks.
 *
 * @param numbers
 *   for each partition the number of its blocks
 */
final class BlockProgram(
    schema: StoreSchema,
    columns: Seq[Attribute],
    partitionOf: Option[Expression],
    numbers: Array[Int],
    hasSums: Boolean,
    rowMetric: SQLMetric,
    blockMetric: SQLMetric
) extends Serializable {

  /** In whole-stage code. */
  def create(): PackedRows = {
    val resources = newResources()
    new PackedRows(newWriter(resources), new WaitingRows(resources))
  }

  /** The blocks of rows. */
  def blocks(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    new BlocksOfRows(rows, newWriter(newResources()), new ToUnsafe(columns))

  private def newResources() = new TaskResources(TaskContext.get(), _ => ())

  private def newWriter(resources: TaskResources): BlockWriter = {
    val writer = new BlockWriter(
      new BlockBuffer(schema, numbers.length, hasSums),
      partitionOf.fold[UnsafeProjection](null)(e => UnsafeProjection.create(Seq(e), columns)),
      numbers,
      resources,
      rowMetric,
      blockMetric
    )
    resources.onCompletion(() => writer.free())
    writer
  }
}
