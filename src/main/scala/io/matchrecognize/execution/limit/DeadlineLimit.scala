package io.matchrecognize.execution.limit

import java.lang.{Double => JDouble, Float => JFloat}

import org.apache.spark.sql.types.{DoubleType, FloatType}

import io.matchrecognize.execution.condition.{ConditionsProgram, DeadlineProgram, RowExpression}
import io.matchrecognize.execution.pointer.{ExpressionFailure, PointerRow, PointerSource}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.expressions.ConditionPredicate
import io.matchrecognize.matcher.{AttemptLimit, Truth}

/**
 * How far a match from a start row may reach, by its conditions: a match ends with a variable whose
 * condition is not TRUE from some row on. On a stream also how far the next row of a match may be.
 *
 * A check is monotone over the rows: TRUE, then never TRUE again. So the place from which on it is
 * not TRUE is found by a search in growing steps from a guess, the last start row's: that usually
 * costs a few tests. Places are the rows of a table; on a stream they are times, at which no row
 * need have arrived.
 *
 * An evaluation that fails counts as TRUE: it may be the condition's own failure. Where a sum
 * overflows, that is the case at all places from one on, and the end is found before or after them;
 * both are right, since nothing from there on satisfies the condition.
 */
abstract class DeadlineLimit(
    program: DeadlineProgram,
    conditions: ConditionsProgram,
    rows: Rows,
    source: PointerSource
) extends AttemptLimit {
  private val pointerRow = new PointerRow(conditions.fields, conditions.pointerCount, rows, source)
  protected val checks: Array[Array[Check]] = compiled(program.ends)

  protected final def compiled(all: Seq[Seq[RowExpression]]): Array[Array[Check]] =
    all.map(_.map(new Check(_)).toArray).toArray

  /** The first place from which on a check, which has been pointed, is not TRUE. */
  protected def endOf(check: Check, start: Long): Long

  /** The number of a row whose key is that of a place. */
  protected def rowAt(place: Long): Long

  /**
   * The place from which on no match from a start row can end: the latest end of the variables,
   * each of which ends at the earliest of its checks. It is between `least` and `most`.
   */
  protected final def latest(start: Long, least: Long, most: Long): Long = {
    var latest = least
    var variable = 0
    while (variable < checks.length && latest < most) {
      latest = latest.max(earliest(checks(variable), start, Long.MaxValue, latest, most))
      variable += 1
    }
    latest
  }

  /**
   * The earliest end of checks of a row, not looked for if one is at most `least`.
   *
   * @param row
   *   the tested one; `Long.MaxValue` if only rows at fixed distances from the first one are read
   */
  protected final def earliest(
      all: Array[Check],
      start: Long,
      row: Long,
      least: Long,
      most: Long
  ): Long = {
    var earliest = most
    var i = 0
    while (i < all.length && earliest > least) {
      // What a row that has not arrived decides is not known.
      if (all(i).point(start, row)) earliest = earliest.min(endOf(all(i), start))
      i += 1
    }
    earliest
  }

  protected final class Check(check: RowExpression) extends GallopingSearch {
    private val predicate = ConditionPredicate(check.expression)
    private val (tested, others) = check.pointers.partition(_.isTested)

    /** Where the search for the next end begins. */
    var guess = 1L

    /** Points to all but the tested row; false if one of the rows has not arrived. */
    def point(start: Long, row: Long): Boolean = {
      pointerRow.isAhead = false
      pointerRow.pointInMatch(others, start, row, row)
      !pointerRow.isAhead
    }

    /** A row that it points to, from which its end is usually as far as from the last such row. */
    def origin(otherwise: Long): Long = {
      val row = if (others.isEmpty) -1L else pointerRow.pointers(others(0).slot)
      if (row < 0) otherwise else row
    }

    def test(place: Long): Int = {
      pointerRow.pointers(tested(0).slot) = rowAt(place)
      try if (predicate.eval(pointerRow)) Truth.True else Truth.False
      catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => Truth.Failed }
    }

    override protected def holds(place: Long): Boolean = test(place) != Truth.False

    override protected def checkCancelled(): Unit = rows.checkCancelled()
  }
}

/**
 * Deadlines on a table. Start rows whose key is NULL, NaN or infinite have none, because rows after
 * them may be nearer.
 */
final class TableDeadlines(
    program: DeadlineProgram,
    conditions: ConditionsProgram,
    store: Rows,
    source: PointerSource
) extends DeadlineLimit(program, conditions, store, source) {
  private val column = program.key.column

  /** Begins a partition whose rows are in the store. */
  def reset(): Unit = checks.foreach(_.foreach(_.guess = 1))

  override def end(start: Long): Long =
    if (isFinite(start)) latest(start, start + 1, store.length) else store.length

  override protected def endOf(check: Check, start: Long): Long = {
    check.guess = check.firstBeyond(start + 1, store.length, check.guess)
    check.guess
  }

  override protected def rowAt(row: Long): Long = row

  private def isFinite(start: Long): Boolean =
    !store.isNullFixed(column, start) && (program.key.dataType match {
      case DoubleType => JDouble.isFinite(JDouble.longBitsToDouble(store.fixed(column, start)))
      case FloatType => JFloat.isFinite(JFloat.intBitsToFloat(store.fixed(column, start).toInt))
      case _ => true
    })
}
