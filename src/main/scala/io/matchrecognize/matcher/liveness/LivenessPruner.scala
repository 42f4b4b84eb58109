package io.matchrecognize.matcher.liveness

import io.matchrecognize.matcher.{MatchInput, SpareMemory}
import io.matchrecognize.pattern.Automaton

/**
 * Prunes paths that cannot end in a match whatever their conditions read: after a backward pass
 * over the partition (`WeakLiveStates`) no thread is tried at a position that is not live.
 *
 * The pass costs about as much as a cheap search, so it waits until failed attempts have fed more
 * rows than a linear search would.
 *
 * @param firstWaste
 *   rows that failed attempts may feed before the pass pays off
 */
private[matcher] final class LivenessPruner(
    automaton: Automaton,
    input: MatchInput,
    firstWaste: Long
) {
  private lazy val free =
    automaton.symbols.indices.map(s => input.alwaysTrue(s) || !input.hasNecessary(s)).toArray
  private lazy val reach = new ReverseDfa(automaton, free, MaxBytes, new SpareMemory(input))
  private lazy val states = new WeakLiveStates(reach, input)
  private val isUseful = automaton.symbols.size <= ReverseDfa.MaxSymbols &&
    automaton.symbols.indices.exists(s => !input.alwaysTrue(s) && input.hasNecessary(s))

  private var wasted = 0L
  private var isBuilt = false
  private var isTried = false
  private var state = 0

  def beginPartition(): Unit = {
    wasted = 0
    isBuilt = false
    isTried = false
  }

  /** Counts the rows that a failed attempt has fed. */
  def waste(start: Long, fed: Long, rows: Long): Unit = if (isUseful && !isTried) {
    wasted += fed
    if (wasted >= firstWaste + start * MaxOverlap) {
      isTried = true
      isBuilt = states.build(rows)
    }
  }

  def moveTo(row: Long): Unit = if (isBuilt) state = states.stateAt(row)

  /** Whether a match may be reached if the row moved to is mapped to the position. */
  def allows(position: Int): Boolean = !isBuilt || reach.contains(state, position)

  private final val MaxOverlap = 4L
  private final val MaxBytes = 64L << 20
}
