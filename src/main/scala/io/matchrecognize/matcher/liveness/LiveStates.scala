package io.matchrecognize.matcher.liveness

import java.util.Arrays

import io.matchrecognize.matcher.{MatchInput, Truth, WorkMeter}

/**
 * Sizes of what [[LiveStates]] keeps, which never change what it finds; tests make them small.
 *
 * @param bits
 *   binary logarithm of the rows of a block
 * @param kept
 *   how many blocks are kept, a power of two
 */
final case class StateBlocks(bits: Int = 16, kept: Int = 64)

/**
 * The state of a `ReverseDfa` at each row of one partition: two bytes per row.
 *
 * The states are found in one pass from the last row to the first one, block by block. Some blocks
 * of them are kept; in a longer partition the others are computed again, from the state after them,
 * when the search reaches them.
 *
 * Subclasses choose the truths that the automaton reads.
 */
private[matcher] abstract class LiveStates(
    reach: ReverseDfa,
    input: MatchInput,
    sizes: StateBlocks
) {

  /**
   * Truths of the conditions of some symbols on a row, as `ReverseDfa.transition` takes them;
   * negative to end the pass.
   */
  protected def truths(symbols: Array[Int], row: Long): Long

  /** Reads truths that are known; null if `truths` has to be asked on each row. */
  protected def codes: TruthCodes = null

  private def knownTruths(row: Long): Array[Byte] =
    if (codes == null) null else input.knownTruths(row)

  private val blockRows = 1L << sizes.bits
  // Fewer of them are kept if there is no memory.
  private var slotMask = sizes.kept - 1

  private var rows = 0L
  private var blockCount = 0
  private val slots = new Array[Array[Char]](sizes.kept)
  private val owners = new Array[Int](sizes.kept)
  // The state after each block.
  private var borders = new Array[Char](16)

  /**
   * Reads a partition of `rows` rows; false if a row ended the pass or the automaton has too many
   * states.
   */
  def build(rows: Long): Boolean = {
    this.rows = rows
    blockCount = ((rows + blockRows - 1) >>> sizes.bits).toInt
    if (blockCount > borders.length)
      borders = new Array[Char](blockCount.max(borders.length * 2))
    allocate()
    reach.makeRoom()
    Arrays.fill(owners, -1)
    var block = blockCount - 1
    var state = ReverseDfa.End
    while (block >= 0 && state >= 0) {
      borders(block) = state.toChar
      state = fill(block)
      block -= 1
    }
    state >= 0
  }

  /** Allocates as many blocks as are useful and as there is memory for. */
  private def allocate(): Unit = {
    val size = if (rows <= SmallBlock) SmallBlock else blockRows.toInt
    var count = 1
    while (count < sizes.kept && count < blockCount) count *= 2
    // A match that continues in the next block must not make two blocks replace each other.
    val least = count.min(2)
    var bytes = missing(count, size)
    // Most partitions find what an earlier one has allocated.
    while (bytes > 0 && !input.tryReserve(bytes))
      if (count > least) {
        count /= 2
        bytes = missing(count, size)
      } else {
        input.reserve(bytes)
        bytes = 0
      }
    var i = 0
    while (i < count) {
      if (lengthOf(i) < size) slots(i) = new Array[Char](size)
      i += 1
    }
    slotMask = count - 1
  }

  /** Bytes that the first `count` blocks lack. */
  private def missing(count: Int, size: Int): Long = {
    var bytes = 0L
    var i = 0
    while (i < count) {
      bytes += (size - lengthOf(i)).max(0) * 2L
      i += 1
    }
    bytes
  }

  private def lengthOf(slot: Int): Int = if (slots(slot) == null) 0 else slots(slot).length

  /** State at a row; at the partition's end `ReverseDfa.End`. */
  def stateAt(row: Long): Int =
    if (row == rows) ReverseDfa.End
    else {
      val block = (row >>> sizes.bits).toInt
      if (owners(block & slotMask) != block) fill(block)
      slots(block & slotMask)((row & (blockRows - 1)).toInt).toInt
    }

  /** Finds the states of a block; that at its first row, or `Overflow`. */
  private def fill(block: Int): Int = {
    owners(block & slotMask) = -1
    val state = read(block, borders(block).toInt, slots(block & slotMask))
    owners(block & slotMask) = block
    state
  }

  private def rowsOf(block: Int): Int =
    (rows - (block.toLong << sizes.bits)).min(blockRows).toInt

  /** Reads a block from its last row to its first into `states`. */
  private def read(block: Int, after: Int, states: Array[Char]): Int = {
    val first = block.toLong << sizes.bits
    var i = rowsOf(block) - 1
    var state = after
    while (i >= 0 && state >= 0) {
      val known = knownTruths(first + i)
      if (known != null) {
        // Most rows need two lookups: of their truths, and of the step from the state after them.
        val (steps, codes) = (reach.knownSteps, this.codes)
        val offset = ((first + i).toInt & MatchInput.BlockMask) - i
        val last = math.max(0, -offset)
        var next = knownStep(steps, state, codes(known, i + offset))
        while (next >= 0) {
          states(i) = next.toChar
          state = next
          i -= 1
          next = if (i < last) -1 else knownStep(steps, state, codes(known, i + offset))
        }
        if (i < last) input.checkCancelled()
      }
      if (i >= 0) {
        state = step(state, first + i)
        states(i) = state.toChar
        i -= 1
      }
    }
    state
  }

  /** The state before another, or a negative number. */
  private def knownStep(steps: Array[Int], state: Int, truths: Int): Int = {
    val index = ReverseDfa.stepIndex(state, truths)
    if (index >= 0 && index < steps.length) steps(index) else -1
  }

  private def step(state: Int, row: Long): Int = {
    if ((row & CheckMask) == 0) input.checkCancelled()
    val symbols = reach.symbolsOf(state)
    val tested = truths(symbols, row)
    val states = reach.size
    val previous = if (tested < 0) ReverseDfa.Overflow else reach.transition(state, tested)
    // A new state costs as much as the automaton is large.
    if (reach.size > states) input.checkCancelled()
    val known = if (previous < 0) null else knownTruths(row)
    if (known != null) {
      val code = codes(known, row.toInt & MatchInput.BlockMask)
      if (code >= 0) reach.addStep(state, code, previous)
    }
    previous
  }

  private final val SmallBlock = 1 << 12
  private final val CheckMask = WorkMeter.BetweenChecks - 1
}

/**
 * Exact: every position in a row's state leads to a match. All conditions have to be row-local.
 *
 * A search in order of preference may test conditions that the automaton does not, so those that
 * may fail are tested on every row; the pass ends at the first failure.
 */
private[matcher] final class ExactLiveStates(
    reach: ReverseDfa,
    input: MatchInput,
    symbols: Int,
    sizes: StateBlocks
) extends LiveStates(reach, input, sizes) {
  private val fallible =
    (0 until symbols).filter(s => !input.alwaysTrue(s) && input.mayFail(s)).toArray

  override protected def truths(symbols: Array[Int], row: Long): Long =
    if (failsOn(row)) -1 else input.testLocals(symbols, row)

  override protected val codes: TruthCodes =
    TruthCodes((0 until symbols).filterNot(input.alwaysTrue).map(input.truthOf), input.truthCount)

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
    extends LiveStates(reach, input, StateBlocks()) {
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
