package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.streaming.state.StateTable

/**
 * Makes the task of a batch. One that lasts for minutes searches each row as it arrives; others
 * bring the rows of a key together first, because a key's state is restored and saved whenever
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
  ): StreamTask =
    if (program.isRealTime) {
      val cached = new CachedTable(table, resources)
      new ArrivalTask(program, rows, cached, resources, partitionIndex, metrics, commit)
    } else new GroupedTask(program, rows, table, resources, partitionIndex, metrics, commit)
}
