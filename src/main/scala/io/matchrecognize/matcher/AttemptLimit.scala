package io.matchrecognize.matcher

/** The limit of each start row: that of WITHIN, or what the conditions imply. */
trait AttemptLimit {

  /**
   * The first row beyond the limit of `start`, after `start`. Called for start rows in ascending
   * order; usually the ends ascend too.
   */
  def end(start: Long): Long

  /** The rows within both limits. */
  final def and(other: AttemptLimit): AttemptLimit = start => end(start).min(other.end(start))
}

/** WITHIN, or what the conditions imply, on a stream. */
trait StreamLimit extends AttemptLimit {

  /** Whether a row after `start` is beyond its limit. */
  def isBeyond(start: Long, row: Long): Boolean

  /** Whether no limit ends before that of an earlier start row. */
  def isMonotone: Boolean

  /** Whether no more rows can arrive within the limit of `start`. */
  def isClosed(start: Long): Boolean
}
