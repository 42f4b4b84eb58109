package io.matchrecognize.streaming.operator

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.unsafe.types.CalendarInterval

import io.matchrecognize.plans.WithinBound

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
