package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher.liveness.{FailureMemo, LivenessPruner}
import io.matchrecognize.matcher.{MatchInput, MatcherTuning, Truth}
import io.matchrecognize.pattern.Automaton

/**
 * One row of the simulation: from the threads before it, most preferred first, those after it. Ends
 * early at a thread that ends the match or whose condition gives no truth value, because all
 * threads after that one are less preferred.
 *
 * Two threads of one position merge iff all registers are equal that some condition ahead reads.
 */
private[threads] final class ThreadStep(
    automaton: Automaton,
    layout: RegisterLayout,
    input: MatchInput,
    conditions: ConditionCounter,
    arena: PathTree,
    dead: FailureMemo,
    filter: LivenessPruner,
    tuning: MatcherTuning
) {
  import ThreadStep._

  private val candidate = new PendingThread(automaton, layout, input, arena)
  private val merges = new MergeTable(layout, input, sameLabels)
  private var before: ThreadList = _
  private var after: ThreadList = _
  private var row = 0L
  private var isRemembered = false

  // The step in which a position without live registers got its thread.
  private val stamps = new Array[Long](automaton.positions)
  private var step = 0L
  private var thread = 0

  /** The thread that a step ended at. */
  def lastThread: Int = thread

  /** Makes the threads `to` those of `from` after the row `row` of the attempt from `start`. */
  def run(from: ThreadList, to: ThreadList, start: Long, row: Long): End = {
    before = from
    after = to
    this.row = row
    isRemembered = row - start >= tuning.firstRemembered
    step += 1
    to.size = 0
    candidate.begin(from, to, start, row, step)
    val threads = from.size
    val atStart = row == 0
    var end: End = AllTried
    var work = 1
    thread = -1
    while ((end eq AllTried) && thread + 1 < threads) {
      thread += 1
      val state = from.positions(thread)
      var edge = automaton.firstEdge(state)
      val endEdge = automaton.endEdge(state)
      work += endEdge - edge
      while ((end eq AllTried) && edge < endEdge) {
        val guard = automaton.guard(edge)
        if (guard == Automaton.Always || (guard == Automaton.AtStart && atStart)) {
          val target = automaton.target(edge)
          if (target == Automaton.Accept) end = Accepted
          else {
            val truth = extend(target)
            if (truth == Truth.Failed) end = Failed
            else if (truth == Truth.Undecided) end = Undecided
          }
        }
        edge += 1
      }
      if (work >= ConditionCounter.WorkBetweenChecks) {
        conditions.work(work)
        work = 0
      }
    }
    conditions.work(work)
    end
  }

  /** Tries an edge of the thread on the row; FALSE also where no match or a better thread is. */
  private def extend(position: Int): Int = {
    val live = layout.live(position)
    val memo = layout.memo(position)
    // The stamp of a position with live registers is never set.
    if (stamps(position) == step) Truth.False
    else if (memo >= 0 && dead.nonEmpty && dead.contains(row, memo)) Truth.False
    else if (!filter.allows(position)) Truth.False
    else {
      after.reserve()
      val symbol = automaton.symbolOf(position)
      val onPath = conditions.onPath(symbol)
      val truth =
        if (!onPath) conditions.testLocal(symbol, row, step)
        else {
          candidate.build(thread, symbol, layout.needed(position))
          conditions.testPath(symbol, candidate)
        }
      // After `^` or `$` in the middle of a pattern nothing follows.
      if (truth == Truth.True && automaton.firstEdge(position) < automaton.endEdge(position)) {
        if (live.isEmpty) {
          stamps(position) = step
          if (memo >= 0 && isRemembered) dead.visit(row, memo)
          append(position)
        } else {
          if (!onPath) candidate.build(thread, symbol, live)
          candidate.complete(live)
          if (!merges.findOrEnter(after, position, live, step)) append(position)
        }
      }
      truth
    }
  }

  private def append(position: Int): Unit = {
    val place = after.size
    after.positions(place) = position
    after.nodes(place) = arena.add(before.nodes(thread), position)
    after.size = place + 1
  }

  /** Whether a new thread and the candidate, whose last rows agree, map all rows alike. */
  private def sameLabels(other: Int): Boolean =
    arena.sameLabels(arena.parent(after.nodes(other)), before.nodes(thread), automaton)
}

private[threads] object ThreadStep {

  /** What ended a step. */
  sealed trait End
  case object AllTried extends End

  /** The last thread's path is a match before the row. */
  case object Accepted extends End

  /** The evaluation of a condition failed. */
  case object Failed extends End

  /** A condition depends on a row that has not come. */
  case object Undecided extends End
}
