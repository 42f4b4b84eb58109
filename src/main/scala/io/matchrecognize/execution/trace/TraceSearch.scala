package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.execution.rows.RowsOnDemand
import io.matchrecognize.execution.search._
import io.matchrecognize.execution.sort.SortSpec

/** The search of a clause that is watched, in one task. */
private[trace] object TraceSearch {

  /** What is seen of the search of the rows up to a limit, over a store of its own. */
  def apply(
      program: TraceProgram,
      sort: SortSpec,
      rows: Iterator[InternalRow],
      metrics: MatchMetrics,
      toUnsafe: UnsafeProjection
  ): Iterator[InternalRow] = {
    val limited = new LimitedRows(rows, program)
    val source = TaskRows.of(program.task, Some(sort), limited, metrics)
    def loop(watched: SearchWatch.Maker) = {
      val search = new TableClauseSearch(program.task, 0, source, 0, metrics, Some(watched))
      new PartitionLoop(source, program.task.necessary, metrics)(_ => search)
    }
    if (!program.isExplained) loop(new TraceRecorder(program, _, _, _, toUnsafe))
    else {
      var explanation: Explanation = null
      val steps = loop { (rows, input, failures) =>
        explanation = new Explanation(program, rows, input, failures)
        explanation
      }
      steps ++ ExplainSentences.of(explanation, limited.isCut).iterator.zipWithIndex.map {
        case (sentence, i) =>
          metrics.outputRows += 1
          toUnsafe(InternalRow(i + 1, UTF8String.fromString(sentence)))
      }
    }
  }

  private final class LimitedRows(rows: Iterator[InternalRow], program: TraceProgram)
      extends RowsOnDemand {
    private var read = 0

    /** Whether rows were left out. */
    var isCut = false

    override protected def make(): InternalRow =
      if (!rows.hasNext) null
      else if (read < program.rowLimit) {
        read += 1
        rows.next()
      } else if (program.isExplained) {
        isCut = true
        null
      } else throw RuntimeErrors.traceRows(program.rowLimit)
  }
}
