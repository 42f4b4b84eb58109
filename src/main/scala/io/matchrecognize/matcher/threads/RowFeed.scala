package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher._
import io.matchrecognize.matcher.liveness.{FailureMemo, LivenessPruner}
import io.matchrecognize.pattern.Automaton

/**
 * Feeds one row to the simulation: makes the threads after it from those before it, most preferred
 * first. Stops early at a thread that ends the match or whose condition has no truth value, because
 * all threads after that one are less preferred.
 *
 * Two threads in one state (`RegisterLayout.state`) merge iff the registers that decide their
 * future are equal.
 */
private[threads] class RowFeed(parts: RowFeed.Parts) extends NextPaths {
  import RowFeed._
  import parts._

  protected val candidate = new PendingThread(automaton, layout, input, arena, conditions.work)
  private val merges =
    new MergeTable(layout, input, conditions.work, account, sameLabels)
  private var before: ThreadList = _
  protected var after: ThreadList = _
  protected var row = 0L
  private var isRemembered = false

  // The fed row for which a state without registers that decide its future got its thread.
  private val stamps = new Array[Long](automaton.positions)
  private var fedRow = 0L
  private var thread = 0
  private var start = 0L
  private var isSame = false

  /** Whether `extend` dropped a path because its state has failed before. */
  protected var isFailed = false

  /** The thread that `run` ended at. */
  def lastThread: Int = thread

  /**
   * Whether `run` left every thread in its state, in the same order, and no edge was left out
   * because no match was thought to follow.
   */
  def isSteady: Boolean = isSame && after.size == before.size

  /** A row after the last one, at most `limit`: the rows before it would leave all as it is. */
  def steadyEnd(limit: Long): Long = conditions.steadyEnd(row, fedRow, limit)

  /** The last time at which `row`, which has not arrived, can be mapped by one of the threads. */
  def lastTime(
      frontier: Frontier,
      from: ThreadList,
      spare: ThreadList,
      start: Long,
      row: Long
  ): Long = {
    after = spare
    after.size = 0
    after.reserve()
    candidate.begin(from, after, start, row, fedRow)
    frontier.lastTime(from.states, from.size, start, this)
  }

  override def next(thread: Int, position: Int): Path = {
    candidate.build(thread, automaton.symbolOf(position), layout.needed(position))
    candidate
  }

  /** Sets the threads `to` to those of `from` after `row`, in the attempt from `start`. */
  def run(from: ThreadList, to: ThreadList, start: Long, row: Long): End = {
    before = from
    after = to
    this.row = row
    this.start = start
    isSame = true
    isRemembered = row - start >= tuning.firstRemembered
    fedRow += 1
    to.size = 0
    candidate.begin(from, to, start, row, fedRow)
    val threads = from.size
    val atStart = row == 0
    var end: End = AllTried
    var work = 1
    thread = -1
    while ((end eq AllTried) && thread + 1 < threads) {
      thread += 1
      val state = from.states(thread)
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
            if (truth == Truth.Failed) {
              isSame = false
              end = Failed
            } else if (truth == Truth.Undecided) end = Undecided
          }
        }
        edge += 1
      }
      if (work >= WorkMeter.BetweenChecks) {
        conditions.work.add(work.toLong)
        work = 0
      }
    }
    conditions.work.add(work.toLong)
    end
  }

  /** Tries an edge of the thread on the row; FALSE also if its state is dead or taken. */
  protected def extend(position: Int): Int = {
    isFailed = false
    val state = layout.state(position)
    val future = layout.future(state)
    val memo = layout.memo(state)
    if (isTaken(state)) Truth.False
    else if (isHopeless(position, memo)) {
      isSame = false
      Truth.False
    } else {
      after.reserve()
      val symbol = automaton.symbolOf(position)
      val onPath = conditions.isOnPath(symbol)
      val truth =
        if (!onPath) conditions.testRow(symbol, row, fedRow)
        else {
          candidate.build(thread, symbol, layout.needed(position))
          conditions.testPath(symbol, candidate)
        }
      // Before `^` or `$` in the middle of a pattern a position has no edges.
      if (truth == Truth.True && automaton.firstEdge(position) < automaton.endEdge(position)) {
        val live = layout.live(position)
        if (!live.isEmpty) {
          if (!onPath) candidate.build(thread, symbol, live)
          candidate.complete(live)
        }
        if (future.isEmpty) {
          stamps(state) = fedRow
          if (memo >= 0 && isRemembered) dead.visit(row, memo)
          append(position, state)
        } else if (!merges.find(after, state, future, fedRow)) addNew(position, state, future)
      }
      truth
    }
  }

  /** Adds a thread that merges with no other one, unless its state has failed before. */
  private def addNew(position: Int, state: Int, future: RegisterSet): Unit = {
    val place = after.size
    val isShared = failedStates.isOn && future.isShared
    isFailed = isShared && failedStates.contains(after, place, state, row)
    if (isFailed) isSame = false
    else {
      merges.enter(after, fedRow)
      append(position, state)
      if (isShared && isRemembered)
        failedStates.visit(after, place, state, row, start + arena.offset(after.nodes(place)))
    }
  }

  // The stamp of another state is never set.
  /** Whether a more preferred thread is in the state. */
  protected final def isTaken(state: Int): Boolean = stamps(state) == fedRow

  /** Whether no match is left from the position on; `memo` is its state's number in the memo. */
  protected final def isHopeless(position: Int, memo: Int): Boolean =
    (memo >= 0 && dead.nonEmpty && dead.contains(row, memo)) || !filter.allows(position)

  private def append(position: Int, state: Int): Unit = {
    val place = after.size
    after.states(place) = state
    after.nodes(place) = arena.extend(before.nodes(thread), position, row - start)
    after.size = place + 1
    isSame &&= place == thread && state == before.states(thread)
  }

  /** Whether a new thread and the candidate, whose last labels agree, agree in all labels. */
  private def sameLabels(other: Int): Boolean =
    arena.sameLabels(after.nodes(other), before.nodes(thread), row - start, automaton)
}

private[threads] object RowFeed {

  /** What a feed shares with the attempt that it belongs to. */
  final class Parts(
      val automaton: Automaton,
      val layout: RegisterLayout,
      val input: MatchInput,
      val conditions: ConditionTests,
      val arena: PathTree,
      val dead: FailureMemo,
      val failedStates: FailedStates,
      val filter: LivenessPruner,
      val tuning: MatcherTuning,
      val account: MemoryAccount
  )

  /** What ended `run`. */
  sealed trait End
  case object AllTried extends End

  /** The last thread ends the match before the row. */
  case object Accepted extends End

  /** The evaluation of a condition failed. */
  case object Failed extends End

  /** A condition depends on a row that has not arrived. */
  case object Undecided extends End
}

/** A [[RowFeed]] that reports to a probe what it does; each position is a state. */
private[threads] final class ProbedRowFeed(parts: RowFeed.Parts, probe: SearchProbe)
    extends RowFeed(parts) {
  import parts._

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
      else if (isFailed) SearchProbe.Hopeless
      else SearchProbe.Merged
    val isOnPath = skipped == null && conditions.isOnPath(automaton.symbolOf(position))
    probe.tried(lastThread, position, row, if (isOnPath) candidate else null, fate)
    truth
  }
}
