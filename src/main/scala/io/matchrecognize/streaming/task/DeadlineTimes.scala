package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.execution.condition.{ConditionsProgram, DeadlineProgram}
import io.matchrecognize.execution.limit.{DeadlineLimit, GallopingSearch}
import io.matchrecognize.execution.pointer.PointerSource
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.{Path, Truth}

/**
 * Deadlines on a stream, where the leading ORDER BY key is the event time, in microseconds. A check
 * reads nothing but the time of the tested row, so it can be asked what it would say of a row that
 * arrives next.
 *
 * The search begins where the last limit was, relative to the time of the row that it was counted
 * from: where the bound is a constant, that takes three tests. Where the bound itself fails, or no
 * time exceeds it, the check is TRUE at every time, and there is no deadline.
 */
final class DeadlineTimes private (
    program: DeadlineProgram,
    conditions: ConditionsProgram,
    rows: NextRow,
    source: PointerSource
) extends DeadlineLimit(program, conditions, rows, source)
    with WatermarkedLimit {
  import DeadlineTimes._

  def this(d: DeadlineProgram, c: ConditionsProgram, rows: Rows, source: PointerSource) =
    this(d, c, new NextRow(rows, d.key.column), source)

  private val next = compiled(program.next)
  private val rowsInside = new RowsInside
  // No row that is asked about is earlier.
  private var first = 0L

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

  override def isMonotone: Boolean = checks.isEmpty

  override def end(start: Long): Long = if (checks.isEmpty) Never
  else {
    rowsInside.last = lastTime(start)
    inside = rowsInside.firstBeyond(start + 1, rows.length.max(start + 1), inside)
    inside
  }

  override def isBeyond(start: Long, row: Long): Boolean = rows.time(row) > lastTime(start)

  override def lastTime(start: Long): Long = {
    if (start != knownStart || known == Never) {
      knownStart = start
      first = rows.time(start)
      known = if (checks.isEmpty) Never else latest(start, Long.MinValue, Never)
    }
    known
  }

  override def lastTimeOf(symbol: Int, start: Long, path: Path): Long = {
    source.follow(path)
    first = rows.time(rows.length - 1)
    val last = earliest(next(symbol), start, rows.length, Long.MinValue, Never)
    if (last < first) Long.MinValue else last
  }

  override protected def rowAt(time: Long): Long = {
    rows.nextTime = time
    rows.length
  }

  /** The last time at which the check is TRUE; the one before `first` if it never is. */
  override protected def endOf(check: Check, start: Long): Long = {
    val origin = rows.time(check.origin(start))
    var beyond = Never
    val atLast = check.test(Never)
    // Where it fails first and last, a search between them would only meet that again.
    val fails = atLast == Truth.Failed && check.test(first) == Truth.Failed
    if (atLast != Truth.True && !fails) {
      val guess = if (origin > Never - check.guess) Never else origin + check.guess
      beyond = check.firstBeyond(first, Never, guess)
      // A sum with a time may overflow at a guess from a bound near the largest time.
      if (beyond == Never) beyond = check.firstBeyond(first, Never, first)
    }
    if (beyond != Never) {
      check.guess = (beyond - origin).max(0L)
      beyond -= 1
    }
    beyond
  }

  private final class RowsInside extends GallopingSearch {
    var last: Long = Never
    override protected def holds(row: Long): Boolean = rows.time(row) <= last
    override protected def checkCancelled(): Unit = rows.checkCancelled()
  }
}

private[streaming] object DeadlineTimes {

  /** No watermark decides anything. */
  final val Never = Long.MaxValue
}

/**
 * The rows so far, and beyond their end one of which only the time is known.
 *
 * @param column
 *   that of the event time
 */
private[task] final class NextRow(rows: Rows, column: Int) extends Rows {
  var nextTime = 0L

  def time(row: Long): Long = rows.fixed(column, row)

  override def length: Long = rows.length
  override def fixed(at: Int, row: Long): Long =
    if (row < rows.length) rows.fixed(at, row) else nextTime
  override def isNullFixed(at: Int, row: Long): Boolean =
    row < rows.length && rows.isNullFixed(at, row)
  override def putFixed(at: Long, columns: Array[Int], to: UnsafeRow, ordinals: Array[Int]): Unit =
    rows.putFixed(at, columns, to, ordinals)
  override def variable(row: Long): UnsafeRow = rows.variable(row)
  override def reserve(bytes: Long): Unit = rows.reserve(bytes)
  override def tryReserve(bytes: Long): Boolean = rows.tryReserve(bytes)
  override def release(bytes: Long): Unit = rows.release(bytes)
  override def checkCancelled(): Unit = rows.checkCancelled()
}
