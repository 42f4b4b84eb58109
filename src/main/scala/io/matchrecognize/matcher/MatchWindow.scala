package io.matchrecognize.matcher

/** WITHIN: the window of each start row. */
trait MatchWindow {

  /**
   * The first row beyond the window of `start`, after `start`. Called for start rows in ascending
   * order; usually the ends ascend too.
   */
  def end(start: Long): Long
}

/** WITHIN on a stream. */
trait StreamWindow extends MatchWindow {

  /** Whether a row after `start` is beyond its window. */
  def isBeyond(start: Long, row: Long): Boolean

  /** Whether no window ends before that of an earlier start row. */
  def isMonotone: Boolean

  /** Whether no more rows can arrive inside the window of `start`. */
  def isClosed(start: Long): Boolean
}
