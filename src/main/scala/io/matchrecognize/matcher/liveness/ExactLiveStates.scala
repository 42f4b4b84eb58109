package io.matchrecognize.matcher.liveness

import io.matchrecognize.matcher.{MatchInput, Truth}

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
    if (symbols > TruthCodes.MaxSymbols) null
    else new TruthCodes(Array.tabulate(symbols)(!input.alwaysTrue(_)))

  private def failsOn(row: Long): Boolean = {
    var i = 0
    while (i < fallible.length && input.testLocal(fallible(i), row) != Truth.Failed) i += 1
    i < fallible.length
  }
}
