package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.streaming.state.StateTable

/** Makes the task that searches rows in the order of the program. */
object StreamTasks {
  def of(
      program: StreamProgram,
      rows: Iterator[InternalRow],
      table: StateTable,
      resources: TaskResources,
      partitionIndex: Int,
      metrics: StreamMetrics,
      commit: () => Unit
  ): StreamTask =
    if (program.inOrderOfArrival) {
      val cached = new CachedTable(table, resources)
      new ArrivalTask(program, rows, cached, resources, partitionIndex, metrics, commit)
    } else new WatermarkTask(program, rows, table, resources, partitionIndex, metrics, commit)
}
