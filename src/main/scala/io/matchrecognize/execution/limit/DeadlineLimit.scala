package io.matchrecognize.execution.limit

import org.apache.spark.sql.types.{DoubleType, FloatType}

import io.matchrecognize.execution.condition.{ConditionsProgram, DeadlineProgram, RowExpression}
import io.matchrecognize.execution.pointer.{ExpressionFailure, PointerRow, PointerSource}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.expressions.ConditionPredicate
import io.matchrecognize.matcher.AttemptLimit

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
final class DeadlineLimit(
    program: DeadlineProgram,
    conditions: ConditionsProgram,
    store: Rows,
    source: PointerSource
) extends AttemptLimit {
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

  private final class Check(check: RowExpression) extends DeadlineCheck {
    private val predicate = ConditionPredicate(check.expression)
    private var start = 0L

    /** The end for the last start row. */
    var last = 1L

    /** The first row after `startRow` from which on the check is not TRUE. */
    override def end(startRow: Long): Long = {
      start = startRow
      last = firstBeyond(start + 1, store.length, last)
      last
    }

    override protected def checkCancelled(): Unit = store.checkCancelled()

    override protected def holds(row: Long): Boolean = {
      pointerRow.pointFrom(check.pointers, start, row)
      try predicate.eval(pointerRow)
      catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => true }
    }
  }
}
