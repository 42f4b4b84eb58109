package io.matchrecognize.matcher.twopass

import io.matchrecognize.matcher.liveness.{LiveStates, ReverseDfa}
import io.matchrecognize.matcher.{MatchInput, Truth}
import io.matchrecognize.pattern.Automaton

/**
 * Which positions lead to a match on the first rows of a frame, where the truth of conditions
 * depends on the frame: a few steps of the backward pass for this frame alone, from the state of
 * the partition's own pass after them.
 *
 * @param border
 *   the first row that does not depend on the frame
 */
private[twopass] final class FrameBeginning(
    automaton: Automaton,
    input: MatchInput,
    reach: ReverseDfa,
    states: LiveStates,
    start: Long,
    border: Long
) {
  private val positions = automaton.positions
  // For each row and position whether it leads to a match.
  private val live = new Array[Boolean]((border - start).toInt * positions)

  /** False if the evaluation of a condition failed. */
  val isRead: Boolean = {
    var row = border - 1
    while (row >= start && fill(row)) row -= 1
    row < start
  }

  private def fill(row: Long): Boolean = {
    var truth = Truth.True
    var position = 0
    while (position < positions && truth != Truth.Failed) {
      val symbol = automaton.symbolOf(position)
      truth = if (input.alwaysTrue(symbol)) Truth.True else input.testInFrame(symbol, row)
      if (truth == Truth.True)
        live(index(row, position)) = next(position, row + 1) != ReverseDfa.NoMatch
      position += 1
    }
    truth != Truth.Failed
  }

  /** The position that the preferred path has on `row` after a state, Accept, or `NoMatch`. */
  def next(state: Int, row: Long): Int =
    if (row >= border) reach.follow(state, states.stateAt(row), firstRow = false)
    else {
      var edge = automaton.firstEdge(state)
      val end = automaton.endEdge(state)
      var found = ReverseDfa.NoMatch
      while (edge < end && found == ReverseDfa.NoMatch) {
        val target = automaton.target(edge)
        if (target == Automaton.Accept || live(index(row, target))) found = target
        edge += 1
      }
      found
    }

  private def index(row: Long, position: Int): Int = (row - start).toInt * positions + position
}
