package io.matchrecognize.matcher

/** The rows that a match starting at a row may have (WITHIN). */
trait MatchWindow {

  /**
   * The first row beyond the window of `start`, after `start`. Asked for start rows in ascending
   * order; mostly the answers ascend too.
   */
  def end(start: Long): Long
}

/** The rows that a match may have under WITHIN, on a stream. */
trait StreamWindow extends MatchWindow {

  /** Whether a row after `start` is beyond its window. */
  def isBeyond(start: Long, row: Long): Boolean

  /** Whether no window ends before that of an earlier start row. */
  def isMonotone: Boolean

  /** Whether no row inside the window of `start` can come any more. */
  def isClosed(start: Long): Boolean
}
