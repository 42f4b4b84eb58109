package io.matchrecognize.matcher.liveness

import java.util.Arrays

import io.matchrecognize.matcher.{MatchInput, Truth}

/**
 * The state of a `ReverseDfa` at each row of one partition: two bytes per row.
 *
 * The states are found in one pass from the last row to the first one. `KeptBlocks` blocks of them
 * are kept; in a longer partition the others are computed again, from the state after them, when
 * the search reaches them.
 *
 * Subclasses choose the truths that the automaton reads.
 */
private[matcher] abstract class LiveStates(reach: ReverseDfa, input: MatchInput) {
  import LiveStates._

  /**
   * Truths of the conditions of some symbols on a row, as `ReverseDfa.transition` takes them;
   * negative to end the pass.
   */
  protected def truths(symbols: Array[Int], row: Long): Long

  private var rows = 0L
  private val blocks = new Array[Array[Char]](KeptBlocks)
  private val owners = new Array[Int](KeptBlocks)
  // The state after each block.
  private var borders = new Array[Char](16)

  /**
   * Reads a partition of `rows` rows; false if a row ended the pass or the automaton has too many
   * states.
   */
  def build(rows: Long): Boolean = {
    reach.makeRoom()
    this.rows = rows
    Arrays.fill(owners, -1)
    var block = ((rows - 1) >>> BlockBits).toInt
    if (block >= borders.length) borders = new Array[Char]((block + 1).max(borders.length * 2))
    var state = ReverseDfa.End
    while (block >= 0 && state >= 0) {
      borders(block) = state.toChar
      state = fill(block)
      block -= 1
    }
    state >= 0
  }

  /** State at a row; at the partition's end `ReverseDfa.End`. */
  def stateAt(row: Long): Int =
    if (row == rows) ReverseDfa.End
    else {
      val block = (row >>> BlockBits).toInt
      if (owners(block & BlockMask) != block) fill(block)
      blocks(block & BlockMask)(row.toInt & RowMask).toInt
    }

  /** Fills a block from its last row to its first; returns the state there or `Overflow`. */
  private def fill(block: Int): Int = {
    val slot = block & BlockMask
    val size = if (rows <= SmallBlock) SmallBlock else BlockRows
    if (blocks(slot) == null || blocks(slot).length < size) blocks(slot) = new Array[Char](size)
    val states = blocks(slot)
    val first = block.toLong << BlockBits
    var row = rows.min(first + BlockRows) - 1
    var state = borders(block).toInt
    while (row >= first && state >= 0) {
      val known = truths(reach.symbolsOf(state), row)
      state = if (known < 0) ReverseDfa.Overflow else reach.transition(state, known)
      states(row.toInt & RowMask) = state.toChar
      if ((row & CheckMask) == 0) input.checkCancelled()
      row -= 1
    }
    owners(slot) = block
    state
  }
}

private[matcher] object LiveStates {
  private final val BlockBits = 16
  private final val BlockRows = 1 << BlockBits
  private final val RowMask = BlockRows - 1
  private final val KeptBlocks = 64
  private final val BlockMask = KeptBlocks - 1
  private final val SmallBlock = 1 << 12
  private final val CheckMask = (1 << 12) - 1L
}

/**
 * Exact: every position in a row's state leads to a match. All conditions have to be row-local.
 *
 * A search in order of preference may test conditions that the automaton does not, so those that
 * may fail are tested on every row; the pass ends at the first failure.
 */
private[matcher] final class ExactLiveStates(reach: ReverseDfa, input: MatchInput, symbols: Int)
    extends LiveStates(reach, input) {
  private val fallible =
    (0 until symbols).filter(s => !input.alwaysTrue(s) && input.mayFail(s)).toArray

  override protected def truths(symbols: Array[Int], row: Long): Long =
    if (failsOn(row)) -1 else input.testLocals(symbols, row)

  private def failsOn(row: Long): Boolean = {
    var i = 0
    while (i < fallible.length && input.testLocal(fallible(i), row) != Truth.Failed) i += 1
    i < fallible.length
  }
}

/**
 * An upper bound: no match is reached from a position that is not in a row's state. Conditions that
 * read the path are weakened to a row-local part; a part whose evaluation fails counts as TRUE.
 */
private[matcher] final class WeakLiveStates(reach: ReverseDfa, input: MatchInput)
    extends LiveStates(reach, input) {
  override protected def truths(symbols: Array[Int], row: Long): Long = {
    var truths = 0L
    var i = 0
    while (i < symbols.length) {
      if (input.testNecessary(symbols(i), row) != Truth.False) truths |= 1L << i
      i += 1
    }
    truths
  }
}
