package io.matchrecognize.matcher

/** The window of each start row: that of WITHIN, or what the conditions imply. */
trait MatchWindow {

  /**
   * The first row beyond the window of `start`, after `start`. Called for start rows in ascending
   * order; usually the ends ascend too.
   */
  def end(start: Long): Long

  /** The rows inside both windows. */
  final def and(other: MatchWindow): MatchWindow = start => end(start).min(other.end(start))
}

/** WITHIN, or what the conditions imply, on a stream. */
trait StreamWindow extends MatchWindow {

  /** Whether a row after `start` is beyond its window. */
  def isBeyond(start: Long, row: Long): Boolean

  /** Whether no window ends before that of an earlier start row. */
  def isMonotone: Boolean

  /** Whether no more rows can arrive inside the window of `start`. */
  def isClosed(start: Long): Boolean
}
