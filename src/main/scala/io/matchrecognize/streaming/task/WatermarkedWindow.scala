package io.matchrecognize.streaming.task

import org.apache.spark.unsafe.types.CalendarInterval

import io.matchrecognize.execution.compile.WindowProgram
import io.matchrecognize.execution.evaluate.PointerSource
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.within.WithinWindow
import io.matchrecognize.matcher.StreamWindow

/** WITHIN on a stream: a window is closed once the watermark has reached its last time. */
final class WatermarkedWindow(program: WindowProgram, rows: Rows, source: PointerSource)
    extends StreamWindow {
  private val within = new WithinWindow(program, rows, source)

  /** Microseconds: no row of this time or an earlier one arrives any more. */
  var watermark: Long = Long.MinValue

  /** Begins a partition; see `WithinWindow.reset`. */
  def begin(inside: Long): Unit = {
    within.reset(inside)
    watermark = Long.MinValue
  }

  /** For `begin` when the partition continues. */
  def inside: Long = within.inside

  /** The last time inside the window of a row, in microseconds. */
  def lastTime(start: Long): Long = within.lastTime(start)

  override def end(start: Long): Long = within.end(start)

  override def isBeyond(start: Long, row: Long): Boolean = within.isBeyond(start, row)

  // Windows of months end on the last day of a month for several start days.
  override def isMonotone: Boolean = program.bound.value match {
    case _: Int => false
    case interval: CalendarInterval => interval.months == 0
    case _ => true
  }

  override def isClosed(start: Long): Boolean = watermark >= lastTime(start)
}
