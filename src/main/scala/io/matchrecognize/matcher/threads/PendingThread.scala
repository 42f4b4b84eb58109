package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher.{MatchInput, Path, WorkMeter}
import io.matchrecognize.pattern.Automaton

/**
 * A candidate: a thread of the row before, extended by the row under test. It occupies the slot
 * after the last thread of its list. Row registers are built at once, folds when they are read or
 * when the thread is kept.
 */
private[matcher] final class PendingThread(
    automaton: Automaton,
    layout: RegisterLayout,
    input: MatchInput,
    arena: PathTree,
    work: WorkMeter
) extends Path {
  private val symbols = automaton.symbols.size

  // The last update per fold and symbol and its fed row: threads often share the value before.
  private val updatedAt = new Array[Long](layout.folds * symbols)
  private val updateSources = new Array[AnyRef](layout.folds * symbols)
  private val updateResults = new Array[AnyRef](layout.folds * symbols)

  private var startRow = 0L
  private var testedRow = 0L
  private var fedRow = 0L
  private var symbol = 0
  private var parents: ThreadList = _
  private var parent = 0
  private var list: ThreadList = _
  private var rowBase = 0
  private var foldBase = 0

  override def start: Long = startRow

  override def row: Long = testedRow

  override def rowRegister(register: Int): Long =
    layout.register(register, list.rows, rowBase, startRow, testedRow)

  override def fold(fold: Int): AnyRef = {
    val known = list.folds(foldBase + fold)
    if (known ne PendingThread.Unset) known
    else {
      val value = updatedFold(fold)
      list.folds(foldBase + fold) = value
      value
    }
  }

  override def symbolOf(row: Long): Int =
    if (row == testedRow) symbol
    else if (row < startRow || row > testedRow) -1
    else {
      // The path may be walked from its end.
      work.add(testedRow - row)
      val position =
        arena.positionAt(row - startRow, parents.nodes(parent))
      automaton.symbolOf(position)
    }

  /** Begins the test of a row, the `fed`-th so far: from the threads `from` to the threads `to`. */
  def begin(from: ThreadList, to: ThreadList, start: Long, row: Long, fed: Long): Unit = {
    parents = from
    list = to
    startRow = start
    testedRow = row
    fedRow = fed
  }

  /** Builds the `needed` registers of the candidate. */
  def build(thread: Int, mappedSymbol: Int, needed: RegisterSet): Unit = {
    parent = thread
    symbol = mappedSymbol
    rowBase = list.size * layout.slots
    foldBase = list.size * layout.folds
    val parentBase = thread * layout.slots
    var i = 0
    while (i < needed.slots.length) {
      val slot = needed.slots(i)
      list.rows(rowBase + slot) =
        layout.updated(parents.rows, parentBase, slot, mappedSymbol, testedRow)
      i += 1
    }
    i = 0
    while (i < needed.folds.length) {
      list.folds(foldBase + needed.folds(i)) = PendingThread.Unset
      i += 1
    }
    if (layout.readsLabels) {
      list.labelHashes(list.size) = parents.labelHashes(thread) * PendingThread.LabelFactor +
        (mappedSymbol + 1) * PendingThread.LabelSpread
    }
  }

  /** Computes the live folds that have not been read. */
  def complete(live: RegisterSet): Unit = {
    var i = 0
    while (i < live.folds.length) {
      fold(live.folds(i))
      i += 1
    }
  }

  private def updatedFold(fold: Int): AnyRef = {
    val before = parents.folds(parent * layout.folds + fold)
    if (!layout.foldHas(fold, symbol)) before
    else {
      val place = fold * symbols + symbol
      if (updatedAt(place) != fedRow || (updateSources(place) ne before)) {
        updateResults(place) = input.updateFold(fold, before, testedRow, symbol)
        updateSources(place) = before
        updatedAt(place) = fedRow
      }
      updateResults(place)
    }
  }
}

private[matcher] object PendingThread {
  private val Unset = new AnyRef
  private final val LabelFactor = 0x100000001b3L
  private final val LabelSpread = 0x9e3779b97f4a7c15L
}
