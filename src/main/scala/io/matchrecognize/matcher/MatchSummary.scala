package io.matchrecognize.matcher

/**
 * What a caller wants to know of a match as a whole, so that it need not ask for each row's symbol.
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

  /** Value on no rows. */
  def empty(fold: Int): AnyRef

  /** The value with one more row; the given value stays as it is. */
  def add(fold: Int, value: AnyRef, row: Long): AnyRef
}

/** A match as a whole: the answers to a `SummaryPlan`. */
trait MatchSummary {

  /** Row of a row register, -1 if there is none. */
  def row(register: Int): Long
  def count(index: Int): Long
  def fold(index: Int): AnyRef
}
