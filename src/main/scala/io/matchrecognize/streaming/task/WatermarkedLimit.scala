package io.matchrecognize.streaming.task

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.unsafe.types.CalendarInterval

import io.matchrecognize.execution.compile.WithinProgram
import io.matchrecognize.execution.limit.WithinLimit
import io.matchrecognize.execution.pointer.PointerSource
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.{Path, StreamLimit}
import io.matchrecognize.plans.WithinBound

/**
 * Limits on a stream: each is closed once the watermark has reached its last time, in microseconds.
 */
trait WatermarkedLimit extends StreamLimit {

  /** Microseconds: no row of this time or an earlier one arrives any more. */
  var watermark: Long = Long.MinValue

  final override def hasPassed(time: Long): Boolean = watermark >= time
}

/** WITHIN on a stream. */
final class WatermarkedWithin(program: WithinProgram, rows: Rows, source: PointerSource)
    extends WithinLimit(program, rows, source)
    with WatermarkedLimit {

  // Limits of months end on the last day of a month for several start days.
  override def isMonotone: Boolean = program.bound.value match {
    case _: Int => false
    case interval: CalendarInterval => interval.months == 0
    case _ => true
  }
}

/** WITHIN and deadlines: the rows within both limits. */
final class EarlierLimit(a: WatermarkedLimit, b: WatermarkedLimit) extends WatermarkedLimit {
  override def end(start: Long): Long = a.end(start).min(b.end(start))
  override def isBeyond(start: Long, row: Long): Boolean =
    a.isBeyond(start, row) || b.isBeyond(start, row)
  override def isMonotone: Boolean = a.isMonotone && b.isMonotone
  override def lastTime(start: Long): Long = a.lastTime(start).min(b.lastTime(start))
  override def lastTimeOf(symbol: Int, start: Long, path: Path): Long =
    a.lastTimeOf(symbol, start, path).min(b.lastTimeOf(symbol, start, path))
}

/**
 * How far the watermark of MATCH_ROWTIME is held back from that of the input: the longest time that
 * the bound of WITHIN can span. A match not yet returned has its first row, and so its last one,
 * later than the watermark less the bound.
 */
object OutputWatermark {
  private final val DaysOfMonth = 31

  /** Milliseconds, rounded up. */
  def holdBackMs(within: WithinBound): Long = within.bound match {
    case Literal(months: Int, _) => ofInterval(months, 0, 0L)
    case Literal(micros: Long, _) => ofInterval(0, 0, micros)
    case Literal(i: CalendarInterval, _) => ofInterval(i.months, i.days, i.microseconds)
    case other => throw new IllegalArgumentException(s"WITHIN $other on a time")
  }

  private def ofInterval(months: Int, days: Int, micros: Long): Long = {
    // Clocks may be set back meanwhile.
    val clock = if (months == 0) 0 else 1
    val longest = new CalendarInterval(0, days, micros)
    val ms = IntervalUtils.getDuration(longest, TimeUnit.MILLISECONDS)
    val ofMonths = TimeUnit.DAYS.toMillis(months.toLong * DaysOfMonth + clock)
    ms + ofMonths + 1
  }

  /** @param inputMs the watermark of the input */
  def of(within: WithinBound, inputMs: Long): Long = math.max(0L, inputMs - holdBackMs(within))
}
