package io.matchrecognize.matcher

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
