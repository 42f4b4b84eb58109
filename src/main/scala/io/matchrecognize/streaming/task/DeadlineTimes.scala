package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.{BoundReference, JoinedRow, SpecificInternalRow}

import io.matchrecognize.execution.condition.{ConditionsProgram, DeadlineProgram, RowExpression}
import io.matchrecognize.execution.limit.{DeadlineCheck, GallopingSearch}
import io.matchrecognize.execution.pointer.{
  ExpressionFailure,
  PointerBase,
  PointerRow,
  PointerSource
}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.expressions.ConditionPredicate
import io.matchrecognize.matcher.Truth

/**
 * Deadlines in DEFINE on a stream, where the leading ORDER BY key is the event time, in
 * microseconds.
 *
 * Of the tested row a check reads only the time, so that it can be asked about a time at which no
 * row has arrived. It is monotone in time: TRUE, then never TRUE again. The last time is found by a
 * search in growing steps from where the last start row's was, relative to its own time: where the
 * bound is a constant, that takes two tests.
 *
 * See `DeadlineLimit` on tables for evaluations that fail. Where the bound itself fails, or no time
 * exceeds it, the check is TRUE at every time, and the start row has no deadline.
 *
 * @param checkCancelled
 *   ends the task if it was killed
 */
final class DeadlineTimes(
    program: DeadlineProgram,
    conditions: ConditionsProgram,
    rows: Rows,
    source: PointerSource,
    checkCancelled: () => Unit
) extends WatermarkedLimit {
  import DeadlineTimes._

  private val pointerRow = new PointerRow(conditions.fields, conditions.pointerCount, rows, source)
  private val time = new SpecificInternalRow(Seq(program.key.dataType))
  private val read = new JoinedRow(time, pointerRow)
  private val rowsInside = new RowsInside
  private val checks = program.checks.map(_.map(new Check(_)).toArray[DeadlineCheck]).toArray

  // The last answers.
  private var knownStart = -1L
  private var known = Never
  private var inside = 0L

  /** Begins a partition whose rows so far are there. */
  def reset(): Unit = {
    knownStart = -1L
    // Most open limits contain all rows so far.
    inside = rows.length
  }

  override def isMonotone: Boolean = false

  override def end(start: Long): Long = {
    rowsInside.last = lastTime(start)
    inside = rowsInside.firstBeyond(start + 1, rows.length.max(start + 1), inside)
    inside
  }

  override def isBeyond(start: Long, row: Long): Boolean = timeOf(row) > lastTime(start)

  override def lastTime(start: Long): Long = {
    if (start != knownStart || known == Never) {
      knownStart = start
      known = DeadlineCheck.end(checks, start, Long.MinValue, Never)
    }
    known
  }

  private def timeOf(row: Long): Long = rows.fixed(program.key.column, row)

  private final class RowsInside extends GallopingSearch {
    var last: Long = Never
    override protected def holds(row: Long): Boolean = timeOf(row) <= last
    override protected def checkCancelled(): Unit = DeadlineTimes.this.checkCancelled()
  }

  private final class Check(check: RowExpression) extends DeadlineCheck {
    private val predicate = {
      val tested = check.pointers.collect { case p if p.base == PointerBase.Current => p.slot }
      ConditionPredicate(check.expression.transform {
        case r: BoundReference if tested.contains(conditions.fields(r.ordinal).pointer) =>
          r.copy(ordinal = 0)
        case r: BoundReference => r.copy(ordinal = r.ordinal + 1)
      })
    }

    // From the time of the last start row to the first one after its limit.
    private var distance = 1L

    /** The last time at which the check is TRUE; the one before the start row's if it never is. */
    override def end(start: Long): Long = {
      pointerRow.isAhead = false
      // No tested row: its time is in the other half of the joined row.
      pointerRow.pointFrom(check.pointers, start, -1)
      if (pointerRow.isAhead) Never
      else {
        val first = timeOf(start)
        val beyond = search(first)
        if (beyond == Never) Never
        else {
          distance = (beyond - first).max(0L)
          beyond - 1
        }
      }
    }

    private def search(first: Long): Long = {
      val guess = if (first > Never - distance) Never else first + distance
      val truth = test(guess)
      // A sum with a time may overflow at a guess from a bound near the largest time.
      if (truth == Truth.Failed && guess > first) searchFrom(first, test(first), first)
      else searchFrom(guess, truth, first)
    }

    private def searchFrom(guess: Long, truth: Int, first: Long): Long =
      if (truth == Truth.False) before(guess, first)
      else if (guess == Never || isEndless(truth)) Never
      else after(guess, Never)

    // A sum with a time may overflow at the largest one only.
    private def isEndless(truth: Int): Boolean = {
      val atLast = test(Never)
      atLast == Truth.True || (atLast == Truth.Failed && truth == Truth.Failed)
    }

    override protected def holds(at: Long): Boolean = test(at) != Truth.False

    override protected def checkCancelled(): Unit = DeadlineTimes.this.checkCancelled()

    private def test(at: Long): Int = {
      time.setLong(0, at)
      try if (predicate.eval(read)) Truth.True else Truth.False
      catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => Truth.Failed }
    }
  }
}

private[streaming] object DeadlineTimes {

  /** No watermark decides anything. */
  final val Never = Long.MaxValue
}
