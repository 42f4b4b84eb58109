package io.matchrecognize.streaming.task

import org.apache.spark.unsafe.types.CalendarInterval

import io.matchrecognize.execution.compile.WindowProgram
import io.matchrecognize.execution.evaluate.PointerSource
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.within.WithinWindow
import io.matchrecognize.matcher.StreamWindow

/** WITHIN on a stream: a window is closed once the watermark has reached its last time. */
final class WatermarkedWindow(program: WindowProgram, rows: Rows, source: PointerSource)
    extends WithinWindow(program, rows, source)
    with StreamWindow {

  /** Microseconds: no row of this time or an earlier one arrives any more. */
  var watermark: Long = Long.MinValue

  override def reset(inside: Long): Unit = {
    super.reset(inside)
    watermark = Long.MinValue
  }

  // Windows of months end on the last day of a month for several start days.
  override def isMonotone: Boolean = program.bound.value match {
    case _: Int => false
    case interval: CalendarInterval => interval.months == 0
    case _ => true
  }

  override def isClosed(start: Long): Boolean = watermark >= lastTime(start)
}
