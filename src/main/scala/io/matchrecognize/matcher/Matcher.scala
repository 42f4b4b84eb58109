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

/** The limit of each start row: that of WITHIN, or what the conditions imply. */
trait AttemptLimit {

  /**
   * The first row beyond the limit of `start`, after `start`. Called for start rows in ascending
   * order; usually the ends ascend too.
   */
  def end(start: Long): Long
}

/** WITHIN, or what the conditions imply, on a stream. */
trait StreamLimit extends AttemptLimit {

  /** Whether a row after `start` is beyond its limit. */
  def isBeyond(start: Long, row: Long): Boolean

  /** Whether no limit ends before that of an earlier start row. */
  def isMonotone: Boolean

  /** The last time within the limit of `start`; `Long.MaxValue` if there is none, or none yet. */
  def lastTime(start: Long): Long

  /**
   * The last time that the next row of an attempt may have to be mapped to a symbol, given that all
   * rows so far are mapped: `Long.MaxValue` if there is none, `Long.MinValue` if no row can be.
   *
   * @param path
   *   null if no condition reads more than the row and its neighbours
   */
  def lastTimeOf(symbol: Int, start: Long, path: Path): Long = Long.MaxValue

  /** Whether no row of a time, or an earlier one, can arrive any more. */
  def hasPassed(time: Long): Boolean
}

/**
 * What a caller needs to know about a whole match, so that it need not read each row's label.
 *
 * @param rows
 *   row registers at the match's last row
 * @param counts
 *   sets of symbols whose rows are counted
 * @param folds
 *   sets of symbols whose rows are folded by `SummaryFolds`
 * @param skipTarget
 *   the row register that AFTER MATCH SKIP resumes at, -1 for none
 */
final case class SummaryPlan(
    rows: IndexedSeq[RowRegister],
    counts: IndexedSeq[SymbolSet],
    folds: IndexedSeq[SymbolSet],
    skipTarget: Int
)

/** Folds over the rows of a match whose result does not depend on the order of the rows. */
trait SummaryFolds {

  /** The value for no rows. */
  def empty(fold: Int): AnyRef

  /** The value with one more row; the given value is not changed. */
  def add(fold: Int, value: AnyRef, row: Long): AnyRef
}

/** The answers to a `SummaryPlan` for one match. */
trait MatchSummary {

  /** Row of a row register, -1 if there is none. */
  def row(register: Int): Long
  def count(index: Int): Long
  def fold(index: Int): AnyRef
}
