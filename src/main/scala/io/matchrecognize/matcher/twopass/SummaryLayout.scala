package io.matchrecognize.matcher.twopass

import java.util.Arrays

import io.matchrecognize.matcher.{SummaryPlan, SymbolSet}

/**
 * The longs that summarise a path from some row to its end, and how prepending a row changes them.
 * First the row after the end, then the last row's position; a register `FIRST(X, k)` or `LAST(X,
 * k)` takes k + 1 longs, the rows of X from the first or last one on, -1 for none; a count takes
 * one.
 */
private[matcher] final class SummaryLayout(plan: SummaryPlan, symbols: Int) {
  import SummaryLayout._

  private val registerBases = plan.rows.scanLeft(HeaderSlots)(_ + _.offset + 1).toArray
  private val registerEnds = registerBases.drop(1)
  private val fromFirst = plan.rows.map(_.fromFirst).toArray
  private val countBase = registerBases.last

  val width: Int = countBase + plan.counts.size

  private val registersOf = bySymbol(plan.rows.map(_.symbols))
  private val countsOf = bySymbol(plan.counts)

  /** Folds that take in the rows of each symbol. */
  val foldsOf: Array[Array[Int]] = bySymbol(plan.folds)

  /** The slot that holds a register's row. */
  def slotOf(register: Int): Int = registerEnds(register) - 1

  def countSlot(index: Int): Int = countBase + index

  /** The summary of no rows, after the path's last row. */
  def clear(slots: Array[Long], base: Int, end: Long, lastPosition: Int): Unit = {
    Arrays.fill(slots, base + HeaderSlots, base + countBase, -1L)
    Arrays.fill(slots, base + countBase, base + width, 0L)
    slots(base + EndSlot) = end
    slots(base + LastPositionSlot) = lastPosition.toLong
  }

  def prepend(slots: Array[Long], base: Int, symbol: Int, row: Long): Unit = {
    val registers = registersOf(symbol)
    var i = 0
    while (i < registers.length) {
      val register = registers(i)
      val first = base + registerBases(register)
      val end = base + registerEnds(register)
      if (fromFirst(register)) {
        System.arraycopy(slots, first, slots, first + 1, end - first - 1)
        slots(first) = row
      } else {
        var slot = first
        while (slot < end && slots(slot) >= 0) slot += 1
        if (slot < end) slots(slot) = row
      }
      i += 1
    }
    val counts = countsOf(symbol)
    i = 0
    while (i < counts.length) {
      slots(base + countBase + counts(i)) += 1
      i += 1
    }
  }

  private def bySymbol(sets: IndexedSeq[SymbolSet]): Array[Array[Int]] =
    Array.tabulate(symbols)(symbol => sets.indices.filter(sets(_).contains(symbol)).toArray)
}

private[matcher] object SummaryLayout {
  final val EndSlot = 0
  final val LastPositionSlot = 1
  private final val HeaderSlots = 2
}
