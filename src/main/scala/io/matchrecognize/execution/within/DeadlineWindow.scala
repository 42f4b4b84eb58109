package io.matchrecognize.execution.within

import org.apache.spark.sql.types.{DoubleType, FloatType}

import io.matchrecognize.execution.compile.{ConditionProgram, ConditionsProgram, DeadlineProgram}
import io.matchrecognize.execution.evaluate.{ExpressionFailure, PointerRow, PointerSource}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.expressions.ConditionPredicate
import io.matchrecognize.matcher.MatchWindow

/**
 * The rows that a match from a start row may have, by its conditions: a match ends with a variable
 * whose condition is not TRUE from some row on.
 *
 * A check is monotone over the rows: TRUE, then never TRUE again. So the row from which on it is
 * not TRUE is found by a search in growing steps from where the last start row's was: all ends of a
 * partition together usually cost a few tests for each start row.
 *
 * An evaluation that fails counts as TRUE: it may be the condition's own failure. Where a sum
 * overflows, that is the case for all rows from one on, and the end is found before or after them;
 * both are right, since no row from there on satisfies the condition. Start rows whose key is NULL,
 * NaN or infinite have no deadline, because rows after them may be nearer.
 */
final class DeadlineWindow(
    program: DeadlineProgram,
    conditions: ConditionsProgram,
    store: Rows,
    source: PointerSource
) extends MatchWindow {
  private val pointerRow = new PointerRow(conditions.fields, conditions.pointerCount, store, source)
  private val checks = program.checks.map(_.map(new Check(_)))
  private val ends = checks.map(_.toArray[DeadlineCheck]).toArray

  /** Begins a partition whose rows are in the store. */
  def reset(): Unit = checks.foreach(_.foreach(_.last = 1))

  override def end(start: Long): Long =
    if (isFinite(start)) DeadlineCheck.end(ends, start, start + 1, store.length)
    else store.length

  private def isFinite(start: Long): Boolean = {
    val column = program.key.column
    !store.isNullFixed(column, start) && (program.key.dataType match {
      case DoubleType => java.lang.Double.isFinite(key(start))
      case FloatType =>
        java.lang.Float.isFinite(java.lang.Float.intBitsToFloat(store.fixed(column, start).toInt))
      case _ => true
    })
  }

  private def key(row: Long): Double =
    java.lang.Double.longBitsToDouble(store.fixed(program.key.column, row))

  private final class Check(check: ConditionProgram) extends DeadlineCheck {
    private val predicate = ConditionPredicate(check.expression)

    /** The end for the last start row. */
    var last = 1L

    /** The first row after `start` from which on the check is not TRUE. */
    override def end(start: Long): Long = {
      val rows = store.length
      // The check is TRUE before `low` and not from `high` on.
      var low = start + 1
      var high = rows
      var probe = last.max(low)
      var step = 1L
      if (probe < rows && holds(start, probe)) {
        while (probe < rows && holds(start, probe)) {
          low = probe + 1
          probe += step
          step *= 2
        }
        high = high.min(probe)
      } else {
        high = high.min(probe)
        probe = high - 1
        while (probe >= low && !holds(start, probe)) {
          high = probe
          probe -= step
          step *= 2
        }
        if (probe >= low) low = probe + 1
      }
      while (low < high) {
        val middle = (low + high) >>> 1
        if (holds(start, middle)) low = middle + 1 else high = middle
      }
      last = high
      high
    }

    private def holds(start: Long, row: Long): Boolean = {
      pointerRow.pointFrom(check.pointers, start, row)
      try predicate.eval(pointerRow)
      catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => true }
    }
  }
}
