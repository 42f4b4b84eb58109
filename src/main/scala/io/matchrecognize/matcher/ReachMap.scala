package io.matchrecognize.matcher

import java.util.Arrays

/**
 * The state of a `ReachAutomaton` at each row of one partition: two bytes for a row.
 *
 * The states are found in one pass from the last row to the first one. `KeptBlocks` blocks of them
 * are kept; those of a longer partition are found again, each from the state behind it, when the
 * search comes to it.
 *
 * Conditions are tested where the automaton asks for them. In the order of preference a search may
 * test others, so those that may fail are tested on every row: the pass ends at the first failure.
 */
private[matcher] final class ReachMap(reach: ReachAutomaton, input: MatchInput, symbols: Int) {
  import ReachMap._

  private val fallible =
    (0 until symbols).filter(s => !input.alwaysTrue(s) && input.mayFail(s)).toArray

  private var rows = 0L
  private val blocks = new Array[Array[Char]](KeptBlocks)
  private val owners = new Array[Int](KeptBlocks)
  // The state behind each block.
  private var borders = new Array[Char](16)

  /**
   * Reads a partition of `rows` rows; false if a condition failed or the automaton has too many
   * states.
   */
  def build(rows: Long): Boolean = {
    reach.makeRoom()
    this.rows = rows
    Arrays.fill(owners, -1)
    var block = ((rows - 1) >>> BlockBits).toInt
    if (block >= borders.length) borders = new Array[Char]((block + 1).max(borders.length * 2))
    var state = ReachAutomaton.End
    while (block >= 0 && state >= 0) {
      borders(block) = state.toChar
      state = fill(block)
      block -= 1
    }
    state >= 0
  }

  /** State at a row; at the partition's end `ReachAutomaton.End`. */
  def stateAt(row: Long): Int =
    if (row == rows) ReachAutomaton.End
    else {
      val block = (row >>> BlockBits).toInt
      if (owners(block & BlockMask) != block) fill(block)
      blocks(block & BlockMask)(row.toInt & RowMask).toInt
    }

  /** Fills a block from its last row to its first one; the state there or `Overflow`. */
  private def fill(block: Int): Int = {
    val slot = block & BlockMask
    if (blocks(slot) == null || blocks(slot).length < BlockRows) {
      val size = if (rows <= SmallBlock) SmallBlock else BlockRows
      if (blocks(slot) == null || blocks(slot).length < size) blocks(slot) = new Array[Char](size)
    }
    val states = blocks(slot)
    val first = block.toLong << BlockBits
    var row = rows.min(first + BlockRows) - 1
    var state = borders(block).toInt
    while (row >= first && state >= 0) {
      state = if (failsOn(row)) ReachAutomaton.Overflow else before(state, row)
      states(row.toInt & RowMask) = state.toChar
      if ((row & CheckMask) == 0) input.checkCancelled()
      row -= 1
    }
    owners(slot) = block
    state
  }

  /** The state at a row, given the one behind it. */
  private def before(state: Int, row: Long): Int = {
    val asked = reach.symbolsOf(state)
    var truths = 0L
    var i = 0
    while (i < asked.length) {
      if (input.testLocal(asked(i), row) == Truth.True) truths |= 1L << i
      i += 1
    }
    reach.step(state, truths)
  }

  private def failsOn(row: Long): Boolean = {
    var i = 0
    while (i < fallible.length && input.testLocal(fallible(i), row) != Truth.Failed) i += 1
    i < fallible.length
  }
}

private[matcher] object ReachMap {
  private final val BlockBits = 16
  private final val BlockRows = 1 << BlockBits
  private final val RowMask = BlockRows - 1
  private final val KeptBlocks = 64
  private final val BlockMask = KeptBlocks - 1
  private final val SmallBlock = 1 << 12
  private final val CheckMask = (1 << 12) - 1L
}
