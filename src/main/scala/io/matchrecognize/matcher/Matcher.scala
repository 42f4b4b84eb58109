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

  /** Rows of another partition follow, which has `rows` rows. */
  def beginPartition(rows: Long): Unit

  /**
   * Looks for a match of the rows from `start` to before `end`, its window's end or that of the
   * partition.
   */
  def attempt(start: Long, end: Long): Matcher.Outcome

  /** Rows of the match, 0 if it is empty; of the path that timed out. */
  def length: Long

  /** The match as a whole, null if its rows have to be asked for one by one. */
  def summary: MatchSummary = null

  /**
   * Automaton position of a row of the match; the first row has offset 0. Of a match that has a
   * summary the last row's is at hand, the others have to be found again.
   */
  def positionAt(offset: Long): Int

  final def symbolAt(offset: Long): Int = automaton.symbolOf(positionAt(offset))
}

object Matcher {

  /** What came of an attempt. */
  sealed trait Outcome
  case object Matched extends Outcome

  /**
   * No match, but a path that could have mapped another row beyond its window. `length` and
   * `positionAt` describe the most preferred such path.
   */
  case object TimedOut extends Outcome
  case object Failed extends Outcome

  /** Rows that have not come decide it. */
  case object Open extends Outcome
}
