package io.matchrecognize.matcher

import scala.collection.immutable.BitSet

/**
 * What conditions read of the path that leads to a row. A path keeps one value per register; two
 * paths in the same state and row may merge if the registers that decide their future are equal.
 *
 * @param rows
 *   row registers, numbered by index
 * @param labels
 *   the rows whose labels are read (`Path.symbolOf`), except those that `RegisterReads.allLabels`
 *   covers
 * @param folds
 *   for each fold register the symbols whose rows it folds
 * @param reads
 *   for each symbol the registers that its condition reads
 * @param settled
 *   those that its settled conjuncts read, whose truth stays as it is while these registers do
 * @param varying
 *   those that its other conjuncts read
 */
final case class RegisterPlan(
    rows: IndexedSeq[RowRegister],
    labels: IndexedSeq[RowRegister],
    folds: IndexedSeq[SymbolSet],
    reads: IndexedSeq[RegisterReads],
    settled: IndexedSeq[RegisterReads],
    varying: IndexedSeq[RegisterReads]
)

/**
 * The `offset`-th row of the symbols' rows so far, counted from the first one or back from the last
 * one: FIRST(A.x, offset), LAST(A.x, offset) of the standard.
 */
final case class RowRegister(symbols: SymbolSet, fromFirst: Boolean, offset: Int)

/**
 * @param rows
 *   row registers read
 * @param folds
 *   fold registers read
 * @param labels
 *   registers of the plan's `labels` read
 * @param allLabels
 *   whether labels of other rows are read: paths then merge only if all their labels are equal
 * @param attempt
 *   whether more is read that differs from attempt to attempt, such as the first row, or the number
 *   of the match, or an aggregate whose values cannot be compared
 */
final case class RegisterReads(
    rows: Set[Int],
    folds: Set[Int],
    labels: Set[Int],
    allLabels: Boolean,
    attempt: Boolean
)

object RegisterReads {
  val none: RegisterReads =
    RegisterReads(Set.empty, Set.empty, Set.empty, allLabels = false, attempt = false)
}

/** A set of symbols: one primary variable, the members of a union variable, or all of them. */
final case class SymbolSet(members: Set[Int]) {
  // Boxes no symbol.
  @transient private lazy val bits = BitSet.fromSpecific(members)

  def contains(symbol: Int): Boolean = bits.contains(symbol)
}
