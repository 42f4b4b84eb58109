package io.matchrecognize.execution.trace

import scala.collection.mutable

import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.search.SearchWatch
import io.matchrecognize.matcher.SearchProbe

/**
 * Watches the attempts of a search: how far each came, and why it found no match.
 *
 * @param rows
 *   those of the current partition
 */
private[trace] abstract class AttemptWatch(rows: Rows) extends SearchWatch {
  import AttemptWatch._

  // The current attempt.
  protected var start = 0L
  protected var end = 0L
  private var fed = 0L
  // What was kept of each thread before and after the last row fed.
  protected var before: mutable.ArrayBuffer[Int] = mutable.ArrayBuffer.empty
  protected var after: mutable.ArrayBuffer[Int] = mutable.ArrayBuffer.empty
  private var furthestRow = -1L
  private var furthestPosition = -1
  private var lastHopeless = -1L

  override def begin(startRow: Long, endRow: Long): Unit = {
    start = startRow
    end = endRow
    fed = 0
    before.clear()
    after.clear()
    furthestRow = -1
    lastHopeless = -1
  }

  override def feed(row: Long): Unit = {
    fed += 1
    val threads = before
    before = after
    after = threads
    after.clear()
  }

  protected final def rowsFed: Long = fed

  /** Takes note of a fate; whether a condition failed further along than any before. */
  protected final def isFurther(position: Int, row: Long, fate: SearchProbe.Fate): Boolean = {
    if (fate == SearchProbe.Hopeless) lastHopeless = row
    val found = fate == SearchProbe.Error || (fate == SearchProbe.Refused &&
      (furthestRow < 0 || row > furthestRow || position >= furthestPosition))
    if (found) {
      furthestRow = row
      furthestPosition = position
    }
    found
  }

  protected final def hasFailed: Boolean = furthestRow >= 0

  /** What an attempt ends with that is not over at its last row. */
  protected final def openEnd: String = if (end == rows.length) RowsEnded else WindowEnded

  /** Why the attempt, which has ended, found no match. */
  protected final def reason: String =
    if (after.nonEmpty && start + fed == end) openEnd
    else if (hasFailed && furthestRow >= lastHopeless) ConditionFailed
    else if (lastHopeless >= 0) FailedBefore
    else AnchorFailed
}

private[trace] object AttemptWatch {
  final val RowsEnded = "rows ended"
  final val WindowEnded = "window ended"
  final val ConditionFailed = "condition failed"
  final val FailedBefore = "failed before"
  final val AnchorFailed = "anchor failed"
  final val TimedOut = "timed out"
}
