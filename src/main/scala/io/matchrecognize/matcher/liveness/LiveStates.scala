package io.matchrecognize.matcher.liveness

import java.util.Arrays

import io.matchrecognize.matcher.{MatchInput, ParallelReads, WorkMeter}

/**
 * Sizes of what [[LiveStates]] keeps, which never change what it finds; tests make them small.
 *
 * @param bits
 *   binary logarithm of the rows of a block
 * @param kept
 *   how many blocks are kept, a power of two
 */
final case class StateBlocks(bits: Int = 16, kept: Int = 64)

object StateBlocks {

  /** Such that a partition of so many rows has at least four blocks. */
  def forPartitions(rows: Long): StateBlocks =
    StateBlocks(bits = (61 - java.lang.Long.numberOfLeadingZeros(rows)).max(0).min(16))
}

/**
 * The state of a `ReverseDfa` at each row of one partition: two bytes per row.
 *
 * The states are found in one pass from the last row to the first one, block by block. Some blocks
 * of them are kept; in a longer partition the others are computed again, from the state after them,
 * when the search reaches them.
 *
 * If the input offers threads, the blocks are divided into as many segments, which are read at the
 * same time. The state after a segment is not known then: it is guessed, and validated afterwards.
 * The guesses are compared with the states that the segments to their right begin with, from the
 * last segment to the first: where they differ, blocks are read again from the true state, until
 * the state at the beginning of one is that from which the next block was read. ''Why the result is
 * exact, whatever the guess was'': a block's states depend on the rows and on the state after it
 * alone, as the automaton is deterministic. So if that state is the true one, those of the block
 * are, and by induction those of all blocks before it in the segment. In the worst case all blocks
 * but those of the last segment are read twice.
 *
 * Each thread has an automaton of its own, since states are made when they are met. Its states are
 * sets of positions as those of `reach` are, and are translated by their sets.
 *
 * Subclasses choose the truths that the automaton reads.
 */
private[matcher] abstract class LiveStates(
    reach: ReverseDfa,
    input: MatchInput,
    sizes: StateBlocks
) {
  import LiveStates._

  /**
   * Truths of the conditions of some symbols on a row, as `ReverseDfa.transition` takes them;
   * negative to end the pass.
   */
  protected def truths(input: MatchInput, symbols: Array[Int], row: Long): Long

  /** Reads truths that are known; null if `truths` has to be asked on each row. */
  protected def codes: TruthCodes = null

  private def knownTruths(input: MatchInput, row: Long): Array[Byte] =
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
    val readers = if (blockCount > 1) input.parallelReads else null
    (readers != null && buildInSegments(readers)) || buildBackwards()
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

  private def begin(): Unit = {
    reach.makeRoom()
    Arrays.fill(owners, -1)
  }

  private def buildBackwards(): Boolean = {
    begin()
    var block = blockCount - 1
    var state = ReverseDfa.End
    while (block >= 0 && state >= 0) {
      borders(block) = state.toChar
      state = fill(block)
      block -= 1
    }
    state >= 0
  }

  /** The same; false as well if only the guesses have led to too many states. */
  private def buildInSegments(readers: ParallelReads): Boolean = {
    begin()
    val segments = readers.inputs.length
    def firstBlock(segment: Int) = (blockCount.toLong * segment / segments).toInt
    // The state before each segment.
    val begins = new Array[Int](segments)
    readers.run { i =>
      val dfa = new SegmentDfa(reach, segments)
      begins(i) = readSegment(dfa, readers.inputs(i), firstBlock(i), firstBlock(i + 1))
      dfa.own.release()
    }
    var segment = segments - 1
    var state = begins.find(_ < 0).getOrElse(begins(segment))
    while (segment > 0 && state >= 0) {
      segment -= 1
      var block = firstBlock(segment + 1) - 1
      val first = firstBlock(segment)
      while (block >= first && state >= 0 && borders(block).toInt != state) {
        borders(block) = state.toChar
        state = fill(block)
        block -= 1
      }
      if (block >= first && state >= 0) state = begins(segment)
    }
    state >= 0
  }

  /** Reads the blocks `from until end`; the state before them. */
  private def readSegment(dfa: SegmentDfa, input: MatchInput, from: Int, end: Int): Int = {
    var state = if (end == blockCount) ReverseDfa.End else dfa.own.noPosition
    var shared = dfa.translate(state)
    var block = end - 1
    while (block >= from && shared >= 0) {
      borders(block) = shared.toChar
      // Those that a search from the first row meets first. No other block has their slots.
      val states = if (block <= slotMask) slots(block) else null
      state = read(dfa.own, input, block, state, states)
      shared = dfa.translate(state)
      if (states != null && state >= 0) {
        dfa.translate(states, rowsOf(block))
        owners(block) = block
      }
      block -= 1
    }
    // So `fill` meets no state later that is new to `reach`, which might be one too many.
    if (dfa.translateAll(new WorkMeter(input.checkCancelled _))) shared else ReverseDfa.Overflow
  }

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
    val state = read(reach, input, block, borders(block).toInt, slots(block & slotMask))
    owners(block & slotMask) = block
    state
  }

  private def rowsOf(block: Int): Int =
    (rows - (block.toLong << sizes.bits)).min(blockRows).toInt

  /** Reads a block from its last row to its first into `states`, unless that is null. */
  private def read(
      dfa: ReverseDfa,
      input: MatchInput,
      block: Int,
      after: Int,
      states: Array[Char]
  ): Int = {
    val first = block.toLong << sizes.bits
    var i = rowsOf(block) - 1
    var state = after
    while (i >= 0 && state >= 0) {
      val known = knownTruths(input, first + i)
      if (known != null) {
        // Most rows need two lookups: of their truths, and of the step from the state after them.
        val (steps, codes) = (dfa.knownSteps, this.codes)
        val offset = ((first + i).toInt & MatchInput.BlockMask) - i
        val last = math.max(0, -offset)
        var next = knownStep(steps, state, codes(known, i + offset))
        while (next >= 0) {
          if (states != null) states(i) = next.toChar
          state = next
          i -= 1
          next = if (i < last) -1 else knownStep(steps, state, codes(known, i + offset))
        }
        if (i < last) input.checkCancelled()
      }
      if (i >= 0) {
        state = step(dfa, input, state, first + i)
        if (states != null) states(i) = state.toChar
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

  private def step(dfa: ReverseDfa, input: MatchInput, state: Int, row: Long): Int = {
    if ((row & CheckMask) == 0) input.checkCancelled()
    val symbols = dfa.symbolsOf(state)
    val tested = truths(input, symbols, row)
    val states = dfa.size
    val previous = if (tested < 0) ReverseDfa.Overflow else dfa.transition(state, tested)
    // A new state costs as much as the automaton is large.
    if (dfa.size > states) input.checkCancelled()
    val known = if (previous < 0) null else knownTruths(input, row)
    if (known != null) {
      val code = codes(known, row.toInt & MatchInput.BlockMask)
      if (code >= 0) dfa.addStep(state, code, previous)
    }
    previous
  }
}

private[matcher] object LiveStates {
  private final val SmallBlock = 1 << 12
  private final val CheckMask = WorkMeter.BetweenChecks - 1
}
