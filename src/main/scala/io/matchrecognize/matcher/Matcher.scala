package io.matchrecognize.matcher

import io.matchrecognize.pattern.Automaton

/**
 * An engine: finds the most preferred match that begins at a row of a partition.
 *
 * Use: `beginPartition`, then `attempt` for start rows in ascending order; after each one the
 * outcome may be read until the next call. Not thread safe.
 */
trait Matcher {
  def automaton: Automaton

  /** Begins a partition of `rows` rows. */
  def beginPartition(rows: Long): Unit

  /**
   * Looks for a match of the rows from `start` to before `end`, the end of its limit or of the
   * partition.
   */
  def attempt(start: Long, end: Long): Matcher.Outcome

  /** Rows of the match, 0 if it is empty, or of the path that timed out. */
  def length: Long

  /** A summary of the match, null if its rows have to be read one by one. */
  def summary: MatchSummary = null

  /**
   * Automaton position of a row of the match; the first row has offset 0. For a match with a
   * summary, all but the last row's are computed again.
   */
  def positionAt(offset: Long): Int

  final def symbolAt(offset: Long): Int = automaton.symbolOf(positionAt(offset))
}

object Matcher {

  /** How an attempt ended. */
  sealed trait Outcome
  case object Matched extends Outcome

  /**
   * No match, but a path that could have mapped another row beyond the limit. `length` and
   * `positionAt` describe the most preferred such path.
   */
  case object TimedOut extends Outcome
  case object Failed extends Outcome

  /** Undecided until more rows arrive. */
  case object Open extends Outcome
}
