package io.matchrecognize.streaming.task

import org.apache.spark.unsafe.types.CalendarInterval

import io.matchrecognize.execution.compile.WithinProgram
import io.matchrecognize.execution.limit.WithinLimit
import io.matchrecognize.execution.pointer.PointerSource
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.StreamLimit

/** Limits on a stream: each is closed once the watermark has reached its last time. */
trait WatermarkedLimit extends StreamLimit {

  /** Microseconds: no row of this time or an earlier one arrives any more. */
  var watermark: Long = Long.MinValue

  /**
   * The last time within the limit of `start`, in microseconds; Long.MaxValue if there is none, or
   * a row that has not arrived determines it.
   */
  def lastTime(start: Long): Long

  final override def isClosed(start: Long): Boolean = watermark >= lastTime(start)
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
}
