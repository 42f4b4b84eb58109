package io.matchrecognize.execution.explain

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.condition.ShownConjunct
import io.matchrecognize.execution.pointer.ExpressionFailure
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.trace.ConditionDisplay.{Error, False, Null, True}
import io.matchrecognize.execution.truth.ConditionEvaluator
import io.matchrecognize.expressions.ConditionValue
import io.matchrecognize.matcher.WorkMeter

/** Judges the conditions on every row of a partition, as far as a row alone tells. */
private final class ConditionCounts(
    program: ExplainProgram,
    rows: Rows,
    input: ConditionEvaluator,
    findings: Findings
) {
  import ConditionCounts._

  private val work = new WorkMeter(rows.checkCancelled _)
  private val judged = program.conditions.zipWithIndex.flatMap { case (condition, symbol) =>
    condition.map(_.conjuncts.toArray).filter(_.exists(_.isLocal)).map(new Judged(symbol, _))
  }

  def countPartition(): Unit = {
    var row = 0L
    while (row < rows.length) {
      var i = 0
      while (i < judged.length) {
        judged(i).count(row)
        i += 1
      }
      work.add(judged.length.toLong)
      row += 1
    }
  }

  private final class Judged(symbol: Int, conjuncts: Array[ShownConjunct]) {
    private val isLocal = conjuncts.map(_.isLocal)
    private val isWhole = isLocal.forall(identity)
    private val parts = findings.parts(symbol)
    private val alone = findings.alone(symbol)
    private val values = findings.values(symbol)
    private val truths = conjuncts.map(c => if (c.isLocal) ConditionValue(c.truth) else null)
    private val compared = conjuncts.map { c =>
      c.compared.filter(_ => c.isLocal).map(value => ConditionValue(value.value)).orNull
    }

    def count(row: Long): Unit = {
      val read = input.rowRead(symbol, row, null)
      var truth = True
      var i = 0
      while (i < conjuncts.length) {
        if (isLocal(i)) {
          val found = truthOf(i, read)
          // As AND does: FALSE decides, and so does an error before it.
          val isDecided = truth == False || truth == Error
          parts(i)(if (isDecided && found == Error) Unreached else found) += 1
          if (!isDecided && found != True) truth = found
          if (found == False && values(i) != null && parts(i)(True) < Enough) {
            val value = text(i, read)
            if (value != null) values(i).add(value)
          }
        }
        i += 1
      }
      if (isWhole) alone(truth) += 1
    }

    private def truthOf(part: Int, row: InternalRow): Int =
      try {
        val truth = truths(part)(row)
        if (truth.isNullAt(0)) Null else if (truth.getBoolean(0)) True else False
      } catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => Error }

    /** A view of a row that is reused, null if there is none. */
    private def text(part: Int, row: InternalRow): UTF8String =
      try {
        val value = compared(part)(row)
        if (value.isNullAt(0)) null else value.getUTF8String(0)
      } catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => null }
  }
}

private[explain] object ConditionCounts {

  /** Rows of a task with which a comparison is no rare one. */
  final val Enough = 1000L

  /** In place of an error of a part: a part before it is FALSE or fails, so that none is raised. */
  final val Unreached = 4
}
