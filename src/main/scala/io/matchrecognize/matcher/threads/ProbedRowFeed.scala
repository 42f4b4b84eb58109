package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher._
import io.matchrecognize.matcher.liveness.{FailureMemo, LivenessPruner}
import io.matchrecognize.pattern.Automaton

/** A [[RowFeed]] that reports to a probe what it does. */
private[threads] final class ProbedRowFeed(
    automaton: Automaton,
    layout: RegisterLayout,
    input: MatchInput,
    conditions: ConditionTests,
    arena: PathTree,
    dead: FailureMemo,
    filter: LivenessPruner,
    tuning: MatcherTuning,
    account: MemoryAccount,
    probe: SearchProbe
) extends RowFeed(automaton, layout, input, conditions, arena, dead, filter, tuning, account) {

  override def run(from: ThreadList, to: ThreadList, start: Long, row: Long): RowFeed.End = {
    probe.feed(row)
    super.run(from, to, start, row)
  }

  override protected def extend(position: Int): Int = {
    val skipped =
      if (isTaken(position)) SearchProbe.Taken
      else if (isHopeless(position, layout.memo(position))) SearchProbe.Hopeless
      else null
    val threads = after.size
    val truth = super.extend(position)
    val fate =
      if (skipped != null) skipped
      else if (truth == Truth.Failed) SearchProbe.Error
      else if (truth != Truth.True) SearchProbe.Refused
      else if (after.size > threads) SearchProbe.Kept
      else if (automaton.firstEdge(position) == automaton.endEdge(position)) SearchProbe.Stuck
      else SearchProbe.Merged
    val isOnPath = skipped == null && conditions.isOnPath(automaton.symbolOf(position))
    probe.tried(lastThread, position, row, if (isOnPath) candidate else null, fate)
    truth
  }
}
