package io.matchrecognize.matcher.liveness

import io.matchrecognize.matcher.{MatchInput, Truth}

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
