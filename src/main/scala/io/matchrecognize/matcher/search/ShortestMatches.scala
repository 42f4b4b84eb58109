package io.matchrecognize.matcher.search

import java.util.Arrays

import io.matchrecognize.matcher.{MatchInput, Truth, WorkMeter}
import io.matchrecognize.pattern.Automaton

/**
 * How many rows a match from a start row has at least: in a frame with fewer rows after it the
 * start row need not be tried. A lower bound, exact if all conditions are row-local; of other
 * conditions it knows what `MatchInput.testNecessary` does, and one that fails counts as TRUE. It
 * holds for start rows whose conditions do not depend on where the frame begins.
 *
 * Rows are read backwards: the shortest rest of a match after a position on a row is one row and
 * the shortest rest after one of the positions that follow it on the next row. A block of start
 * rows is computed at once, from as many rows after it as a frame has: longer matches fit nowhere.
 *
 * @param longest
 *   the rows of a frame
 */
private[search] final class ShortestMatches(
    rowCount: Long,
    longest: Int,
    automaton: Automaton,
    input: MatchInput,
    blockRows: Int
) {
  import ShortestMatches._

  private val block = (2L * longest).max(blockRows.toLong).min(rowCount.max(1)).toInt
  input.reserve(bytes)
  private val lengths = new Array[Int](block)
  private var first = 0L
  private var last = 0L

  // For each position the shortest rest of a match after it, on this row and on the row after it.
  private var here = new Array[Int](automaton.positions)
  private var after = new Array[Int](automaton.positions)

  private val isTested = automaton.symbols.indices.map { symbol =>
    !input.alwaysTrue(symbol) && input.hasNecessaryInFrame(symbol)
  }.toArray
  private val truths = new Array[Int](automaton.symbols.size)
  private val work = new WorkMeter(input.checkCancelled _)

  private def bytes: Long = block * 4L

  /** Returns its memory to the task. */
  def free(): Unit = input.release(bytes)

  /**
   * The least rows of a match from a row of the frame that begins at `frame`; frames are asked for
   * in ascending order.
   */
  def lengthAt(start: Long, frame: Long): Int = {
    if (start >= last) fill(frame)
    lengths((start - first).toInt)
  }

  private def fill(from: Long): Unit = {
    first = from
    last = (from + block).min(rowCount)
    Arrays.fill(after, Never)
    var row = (last + longest).min(rowCount) - 1
    while (row >= first) {
      Arrays.fill(truths, Unknown)
      var position = 0
      while (position < automaton.positions) {
        val rest = shortest(position, after)
        val isPossible = rest < Never && holds(automaton.symbolOf(position), row)
        here(position) = if (isPossible) rest + 1 else Never
        position += 1
      }
      if (row < last) lengths((row - first).toInt) = shortest(automaton.start, here)
      val swapped = after
      after = here
      here = swapped
      work.add(automaton.edges.toLong)
      row -= 1
    }
  }

  private def shortest(state: Int, next: Array[Int]): Int = {
    var least = Never
    var edge = automaton.firstEdge(state)
    val end = automaton.endEdge(state)
    while (edge < end) {
      val target = automaton.target(edge)
      least = least.min(if (target == Automaton.Accept) 0 else next(target))
      edge += 1
    }
    least
  }

  private def holds(symbol: Int, row: Long): Boolean = !isTested(symbol) || {
    if (truths(symbol) == Unknown) truths(symbol) = input.testNecessary(symbol, row)
    truths(symbol) != Truth.False
  }
}

private[search] object ShortestMatches {
  // More than the rows of any frame, and one more is still an Int.
  final val Never = Int.MaxValue - 1
  private final val Unknown = -1

  private final val MaxEdges = 1024

  /** None if the automaton is too large for it. */
  def of(
      rowCount: Long,
      frameRows: Int,
      automaton: Automaton,
      input: MatchInput,
      blockRows: Int
  ): Option[ShortestMatches] =
    Option.when(automaton.edges <= MaxEdges) {
      new ShortestMatches(rowCount, frameRows, automaton, input, blockRows)
    }
}
