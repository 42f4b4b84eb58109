package io.matchrecognize.matcher

import io.matchrecognize.matcher.BruteForceOracle.Outcome
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.pattern.Automaton

/** Runs random searches whose conditions are anchored. */
object AnchoredRuns {

  /** What is found with anchors, without and with deadlines; none if it does not apply. */
  def apply(fuzzCase: FuzzCase): Seq[Outcome] = {
    import fuzzCase._
    val (automaton, input) = prepared()
    val anchors = if (timeOuts) None else input.anchors(automaton)
    anchors.toSeq.flatMap { rows =>
      val mayFail = automaton.symbols.indices.exists(input.mayFail)
      Seq(false, true).filterNot(_ && mayFail).map { bounded =>
        run { (automaton, input) =>
          input.anchoredRows = rows
          val deadlines: AttemptLimit =
            if (bounded) lastEnd(automaton, input, values.size, _) else null
          new PikeMatcher(
            automaton,
            plan(input),
            input,
            SearchBudget(),
            tuning = tuning,
            anchors = input,
            deadlines = deadlines
          )
        }
      }
    }
  }

  /** Anchored conditions read no registers. */
  def plan(input: ConditionInput): RegisterPlan = {
    def anchored(read: RegisterReads) =
      RegisterReads.none.copy(attempt = read.attempt || read.rows.nonEmpty)
    RegisterPlan(
      Vector(),
      Vector(),
      Vector(),
      input.plan.reads.map(anchored),
      input.plan.settled.map(anchored),
      input.plan.varying.map(anchored)
    )
  }

  /** The row after the last one that a match from `start` may end with, by the conditions. */
  private def lastEnd(
      automaton: Automaton,
      input: ConditionInput,
      rows: Int,
      start: Long
  ): Long = {
    val last = (0 until automaton.positions).filter { position =>
      (automaton.firstEdge(position) until automaton.endEdge(position))
        .exists(automaton.target(_) == Automaton.Accept)
    }
    val ends = (start + 1 until rows.toLong).filter { row =>
      last.map(automaton.symbolOf).exists(input.testAnchored(_, start, row) == Truth.True)
    }
    ends.lastOption.getOrElse(start) + 1
  }
}
