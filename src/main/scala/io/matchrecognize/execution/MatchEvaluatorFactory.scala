package io.matchrecognize.execution

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.rows.RowStore

/** Makes the iterator of each task. */
final class MatchEvaluatorFactory(program: TaskProgram, metrics: MatchMetrics)
    extends Serializable {

  def evaluate(partitionIndex: Int, rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val resources = new TaskResources(TaskContext.get(), metrics.spillSize += _)
    val store = new RowStore(program.clause.schema, resources, program.spillThreshold)
    resources.onCompletion { () =>
      metrics.peakMemory.set(math.max(metrics.peakMemory.value, store.peakMemory))
      resources.reportPeakMemory(store.peakMemory)
      store.free()
    }
    new MatchIterator(program, rows, store, resources, partitionIndex, metrics)
  }
}
