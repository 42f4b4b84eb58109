package io.matchrecognize.matcher

import scala.collection.mutable

import io.matchrecognize.pattern.Automaton

/**
 * Which rows that conditions read are at a fixed distance from the first row of the attempt,
 * whatever the path: `A.price` in `A B+`, but not in `A+ B`. Found by data flow over the automaton.
 *
 * Each state has the number of rows mapped so far and, for each register, the rows that it holds,
 * as offsets from the first row. A value that differs between two paths is `Mixed`; so each value
 * changes at most twice, and the analysis ends.
 */
final class AnchoredRows(automaton: Automaton, registers: IndexedSeq[RowRegister]) {
  // A state's values: rows mapped so far, then those of the registers.
  private val bases =
    registers.scanLeft(1)((next, r) => next + (if (isFollowed(r)) r.offset + 1 else 0))
  private val width = bases.last
  private val isSmall = (automaton.positions + 1L) * width <= MaxValues
  // Once the row of a position is mapped; null if no path leads there.
  private val after = new Array[Array[Int]](automaton.positions)

  if (isSmall) follow()

  /**
   * How many rows after the first one the row is that the register holds whenever a row of the
   * symbol is tested; None if that depends on the path.
   */
  def offset(symbol: Int, register: Int): Option[Int] =
    if (!isSmall || !isFollowed(registers(register))) None
    else {
      val slot = bases(register + 1) - 1
      val values = positionsOf(symbol).filter(after(_) != null).map(after(_)(slot)).distinct
      values match {
        case Seq(value) if value >= 0 => Some(value)
        case _ => None
      }
    }

  private def isFollowed(register: RowRegister): Boolean = register.offset <= MaxOffset

  private def positionsOf(symbol: Int): Seq[Int] =
    (0 until automaton.positions).filter(automaton.symbolOf(_) == symbol)

  private def targets(state: Int): Seq[Int] =
    automaton.targets(state).filter(_ != Automaton.Accept)

  private def follow(): Unit = {
    val first = Array.fill(width)(NoRow)
    first(0) = 0
    val open = mutable.Queue.empty[Int]
    // Values are joined after the row: in a loop it may be the first one of its variable or not.
    def reach(from: Int, before: Array[Int]): Unit = targets(from).foreach { position =>
      val known = after(position)
      val values = map(position, before)
      if (known == null) {
        after(position) = values
        open += position
      } else {
        var changed = false
        values.indices.foreach { i =>
          if (known(i) != values(i) && known(i) != Mixed) {
            known(i) = Mixed
            changed = true
          }
        }
        if (changed) open += position
      }
    }
    reach(automaton.start, first)
    while (open.nonEmpty) {
      val position = open.dequeue()
      reach(position, after(position))
    }
  }

  /** The values once the row of a position is mapped. */
  private def map(position: Int, before: Array[Int]): Array[Int] = {
    val values = before.clone()
    val row = values(0)
    if (row != Mixed) values(0) = row + 1
    registers.indices.foreach { r =>
      val register = registers(r)
      if (isFollowed(register) && register.symbols.contains(automaton.symbolOf(position))) {
        if (register.fromFirst) countUp(values, bases(r), register.offset, row)
        else {
          (bases(r) + register.offset until bases(r) by -1).foreach(i => values(i) = values(i - 1))
          values(bases(r)) = row
        }
      }
    }
    values
  }

  /** Sets the first row that is not known yet. */
  private def countUp(values: Array[Int], base: Int, offset: Int, row: Int): Unit = {
    val place = (base to base + offset).find(values(_) < 0).getOrElse(-1)
    if (place >= 0) {
      if (values(place) == NoRow) values(place) = row
      // The row may be this one or an earlier one, and so may the rows after it.
      else (place to base + offset).foreach(values(_) = Mixed)
    }
  }

  private final val NoRow = -2
  private final val Mixed = -1
  private final val MaxOffset = 16
  private final val MaxValues = 1L << 20
}
