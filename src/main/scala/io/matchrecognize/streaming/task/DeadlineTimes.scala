package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  JoinedRow,
  Predicate,
  SpecificInternalRow
}

import io.matchrecognize.execution.compile.{
  ConditionProgram,
  ConditionsProgram,
  DeadlineProgram,
  PointerBase
}
import io.matchrecognize.execution.evaluate.{ExpressionFailure, PointerRow, PointerSource}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.within.DeadlineCheck

/**
 * Deadlines in DEFINE on a stream, where the leading ORDER BY key is the event time, in
 * microseconds.
 *
 * Of the tested row a check reads only the time, so that it can be asked about a time at which no
 * row has arrived. It is TRUE up to some time and not TRUE from there on. That time is found by a
 * search in growing steps from where the last start row's was, relative to its own time: where the
 * bound is a constant, that takes two tests.
 *
 * See `DeadlineWindow` on tables for evaluations that fail.
 */
final class DeadlineTimes(
    program: DeadlineProgram,
    conditions: ConditionsProgram,
    rows: Rows,
    source: PointerSource
) extends WatermarkedWindow {
  import DeadlineTimes._

  private val pointerRow = new PointerRow(conditions.fields, conditions.pointerCount, rows, source)
  private val time = new SpecificInternalRow(Seq(program.key.dataType))
  private val read = new JoinedRow(time, pointerRow)
  private val checks = program.checks.map(_.map(new Check(_)).toArray[DeadlineCheck]).toArray

  // The last answers.
  private var knownStart = -1L
  private var known = Never
  private var inside = 0L

  /** Begins a partition whose rows so far are there. */
  def reset(): Unit = {
    knownStart = -1L
    // Most open windows contain all rows so far.
    inside = rows.length
  }

  override def isMonotone: Boolean = false

  override def end(start: Long): Long = {
    val last = lastTime(start)
    if (inside <= start) inside = start + 1
    while (inside < rows.length && timeOf(inside) <= last) inside += 1
    while (inside > start + 1 && timeOf(inside - 1) > last) inside -= 1
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

  private final class Check(check: ConditionProgram) extends DeadlineCheck {
    private val pointers = check.pointers
    private val predicate = {
      val tested = pointers.collect { case p if p.base == PointerBase.Current => p.slot }
      Predicate.create(check.expression.transform {
        case r: BoundReference if tested.contains(conditions.fields(r.ordinal).pointer) =>
          r.copy(ordinal = 0)
        case r: BoundReference => r.copy(ordinal = r.ordinal + 1)
      })
    }
    predicate.initialize(0)

    // From the time of the last start row to the end of its window.
    private var distance = 0L

    /** The last time at which the check is TRUE; the one before the start row's if it never is. */
    override def end(start: Long): Long = {
      pointerRow.isAhead = false
      var i = 0
      while (i < pointers.length) {
        pointers(i).base match {
          case PointerBase.AfterFirst(offset, _) => pointerRow.point(pointers(i), start + offset)
          case _ =>
        }
        i += 1
      }
      if (pointerRow.isAhead) Never
      else {
        val first = timeOf(start)
        val last = search(first)
        if (last < Never) distance = (last - first).max(0L)
        last
      }
    }

    private def search(first: Long): Long = {
      // The check is TRUE at `low` and not TRUE at `high`.
      var low = first - 1
      var high = later(first, distance)
      var step = 1L
      if (holds(high)) {
        low = high
        high = later(low, step)
        while (low < Never && holds(high)) {
          low = high
          step *= 2
          high = later(low, step)
        }
      } else {
        while (high - step > low && !holds(high - step)) {
          high -= step
          step *= 2
        }
        low = low.max(high - step)
      }
      while (low + 1 < high) {
        val middle = (low >> 1) + (high >> 1) + (low & high & 1)
        if (holds(middle)) low = middle else high = middle
      }
      low
    }

    private def holds(at: Long): Boolean = {
      time.setLong(0, at)
      try predicate.eval(read)
      catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => true }
    }
  }
}

private object DeadlineTimes {
  private final val Never = PartitionSearch.Never

  private def later(time: Long, by: Long): Long = if (time > Never - by) Never else time + by
}
