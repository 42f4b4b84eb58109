package io.matchrecognize.matcher.anchored

import io.matchrecognize.matcher._
import io.matchrecognize.matcher.liveness.{FailureMemo, LivenessPruner}
import io.matchrecognize.matcher.threads.RegisterLayout
import io.matchrecognize.pattern.Automaton

/**
 * The engine for conditions that read the tested row, its neighbours and the first row of the
 * attempt. With that row fixed, truth depends on the row alone; so threads need no registers, and
 * two of them at the same position and row are one.
 *
 * It simulates the automaton like `PikeMatcher`, most preferred thread first. In addition it skips
 * rows: after a row that left every thread at its position, by a loop, nothing changes until some
 * condition that was tested has another truth. `AnchoredInput.steadyEnd` finds that row without
 * testing those before it. Paths are kept as runs, so skipped rows cost nothing there either.
 *
 * Deadlines: an attempt whose first row was mapped ends where `deadlines` says that no match can
 * end later. Failed attempts are memoised, and states that cannot match are pruned, as in
 * `PikeMatcher`.
 *
 * @param deadlines
 *   null if the conditions imply none
 * @param summaries
 *   what the caller needs of a match, if not each of its rows
 * @param general
 *   the engine for attempts whose paths have too many runs
 */
final class AnchoredMatcher(
    override val automaton: Automaton,
    registers: RegisterPlan,
    input: MatchInput,
    anchors: AnchoredInput,
    limits: MatcherLimits,
    deadlines: AttemptLimit,
    summaries: Option[SummaryPlan],
    general: => Matcher,
    tuning: AnchoredTuning = AnchoredTuning()
) extends Matcher {
  import AnchoredMatcher._

  private val positions = automaton.positions
  private val tests = new AnchoredTests(automaton.symbols.size, input, anchors, limits.maxSteps)
  private val account = new MemoryAccount(limits.maxPathBytes, input.reserve)
  private val layout = new RegisterLayout(automaton, registers, tests.onPath, account)
  private val tree = new RunTree(account, tuning.firstNodes)
  private val dead = new FailureMemo(layout.memoPositions, new SpareMemory(input))
  private val filter = new LivenessPruner(automaton, input, tuning.firstWaste)
  private val plan = summaries.getOrElse(SummaryPlan(Vector.empty, Vector.empty, Vector.empty, -1))
  private val runs = new MatchRuns(automaton, plan, account)
  private val isSummarised = summaries.exists(_.folds.isEmpty)
  private lazy val fallback = general
  private var hasFallback = false
  private var isGeneral = false

  // The threads: their positions and the nodes of their last runs.
  account.charge(positions * ThreadBytes)
  private var threads = new Array[Int](positions + 1)
  private var nodes = new Array[Int](positions + 1)
  private var size = 0
  private var nextThreads = new Array[Int](positions + 1)
  private var nextNodes = new Array[Int](positions + 1)
  private var nextSize = 0

  // The row, by its number in this task, for which a position got its thread.
  private val taken = new Array[Long](positions)
  private var step = 0L

  private var rows = 0L
  private var start = 0L
  private var fed = 0L
  private var bestLength = NoMatch
  private var bestNode = RunTree.Root
  private var failed: Throwable = _
  private var outcome: Matcher.Outcome = Matcher.Open
  // Skipping pays off if many rows are skipped: how many steady rows to wait for before trying.
  private var patience = 1
  private var steadyRows = 0

  override def beginPartition(partitionRows: Long): Unit = {
    rows = partitionRows
    dead.reset()
    filter.beginPartition()
    isGeneral = false
    if (hasFallback) fallback.beginPartition(partitionRows)
  }

  override def attempt(from: Long, end: Long): Matcher.Outcome = {
    isGeneral = false
    begin(from)
    var limit = end
    var row = from
    while ((outcome eq Matcher.Open) && row < limit && !isGeneral) {
      if (tree.wantsCompaction) compact()
      filter.moveTo(row)
      val isSteady = feed(row)
      row += 1
      if ((outcome eq Matcher.Open) && deadlines != null && row == from + 1) {
        limit = limit.min(deadlines.end(from))
      }
      if (isSteady && (outcome eq Matcher.Open) && row < limit) row = skip(row, limit)
    }
    if (isGeneral) searchGenerally(from, end)
    else {
      finish(endOfPartition = limit == rows)
      if (outcome eq Matcher.Failed) filter.waste(from, tests.steps, rows)
      outcome
    }
  }

  override def length: Long = if (isGeneral) fallback.length else bestLength.max(0)

  override def summary: MatchSummary = if (!isGeneral && isSummarised) runs else null

  override def positionAt(offset: Long): Int =
    if (isGeneral) fallback.positionAt(offset) else runs.positionAt(offset)

  private def searchGenerally(from: Long, end: Long): Matcher.Outcome = {
    if (!hasFallback) fallback.beginPartition(rows)
    hasFallback = true
    fallback.attempt(from, end)
  }

  private def begin(from: Long): Unit = {
    start = from
    fed = 0
    bestLength = NoMatch
    bestNode = RunTree.Root
    failed = null
    outcome = Matcher.Open
    steadyRows = 0
    tests.beginAttempt(from)
    tree.clear()
    dead.begin(from)
    threads(0) = automaton.start
    nodes(0) = RunTree.Root
    size = 1
    settle()
  }

  /** Feeds a row; whether every thread stayed at its position, whatever rows came before. */
  private def feed(row: Long): Boolean = {
    step += 1
    nextSize = 0
    tests.moveTo(row)
    var isSteady = true
    var isOpen = true
    var thread = 0
    var work = 1
    while (isOpen && thread < size) {
      val state = threads(thread)
      var edge = automaton.firstEdge(state)
      val last = automaton.endEdge(state)
      work += last - edge
      while (isOpen && edge < last) {
        val guard = automaton.guard(edge)
        val target = automaton.target(edge)
        if (guard == Automaton.Always || (guard == Automaton.AtStart && row == 0)) {
          if (target == Automaton.Accept) {
            accept(thread)
            isOpen = false
          } else if (taken(target) != step) {
            if (isHopeless(target, row)) isSteady = false
            else {
              val truth = tests.truth(automaton.symbolOf(target))
              if (truth == Truth.True) {
                if (target != state || thread != nextSize) isSteady = false
                move(thread, state, target, row)
              } else if (truth == Truth.Failed) {
                bestLength = NoMatch
                failed = input.failure
                isOpen = false
                isSteady = false
              }
            }
          }
        }
        edge += 1
      }
      thread += 1
    }
    isSteady &&= nextSize == size
    swap()
    fed += 1
    settle()
    tests.work(work)
    isSteady
  }

  private def isHopeless(position: Int, row: Long): Boolean = {
    val memo = layout.memo(position)
    (memo >= 0 && dead.nonEmpty && dead.contains(row, memo)) || !filter.allows(position)
  }

  private def move(thread: Int, state: Int, target: Int, row: Long): Unit =
    // Before `^` or `$` in the middle of a pattern a position has no edges.
    if (automaton.firstEdge(target) < automaton.endEdge(target)) {
      taken(target) = step
      val node = if (target == state) nodes(thread) else tree.add(nodes(thread), target, fed)
      nextThreads(nextSize) = target
      nextNodes(nextSize) = node
      nextSize += 1
      val memo = layout.memo(target)
      if (memo >= 0 && fed >= tuning.firstRemembered) dead.visit(row, memo)
    }

  private def swap(): Unit = {
    val lastThreads = threads
    val lastNodes = nodes
    threads = nextThreads
    nodes = nextNodes
    size = nextSize
    nextThreads = lastThreads
    nextNodes = lastNodes
  }

  /** After a steady row: the next row to feed. Those before it would leave all as it is. */
  private def skip(row: Long, limit: Long): Long = {
    steadyRows += 1
    if (steadyRows < patience) row
    else {
      val next = tests.steadyEnd(limit)
      val skipped = next - row
      // If this row was accepted, so is each of them.
      if (bestLength == fed - 1) bestLength += skipped
      fed += skipped
      steadyRows = 0
      patience = if (skipped < WorthSkipping) (patience * 2).min(MaxPatience) else 1
      next
    }
  }

  /** The thread's path ends the match unless a more preferred thread does later. */
  private def accept(thread: Int): Unit = {
    bestLength = fed
    bestNode = nodes(thread)
    failed = null
  }

  private def settle(): Unit =
    if (size == 0) conclude(isFinal = true)
    else if (automaton.prefersAccept(threads(0), start == 0 && fed == 0)) {
      accept(0)
      resolve()
    }

  private def conclude(isFinal: Boolean): Unit =
    if (bestLength >= 0) resolve()
    else {
      outcome = Matcher.Failed
      if (failed != null) throw failed
      if (isFinal) dead.record()
    }

  private def resolve(): Unit = {
    outcome = Matcher.Matched
    runs.take(tree, bestNode, start, bestLength)
  }

  private def finish(endOfPartition: Boolean): Unit = if (outcome eq Matcher.Open) {
    var thread = 0
    while ((outcome eq Matcher.Open) && thread < size) {
      val state = threads(thread)
      var edge = automaton.firstEdge(state)
      while ((outcome eq Matcher.Open) && edge < automaton.endEdge(state)) {
        if (automaton.target(edge) == Automaton.Accept && holds(edge, endOfPartition)) {
          accept(thread)
          resolve()
        }
        edge += 1
      }
      thread += 1
    }
    if (outcome eq Matcher.Open) conclude(isFinal = endOfPartition)
  }

  private def holds(edge: Int, endOfPartition: Boolean): Boolean =
    automaton.guard(edge) match {
      case Automaton.Always => true
      case Automaton.AtStart => start == 0 && fed == 0
      case _ => endOfPartition
    }

  private def compact(): Unit = {
    tree.startMarking()
    (0 until size).foreach(thread => tree.mark(nodes(thread)))
    tree.mark(if (bestLength >= 0) bestNode else RunTree.Root)
    tree.compact()
    (0 until size).foreach(thread => nodes(thread) = tree.renumber(nodes(thread)))
    bestNode = if (bestLength >= 0) tree.renumber(bestNode) else RunTree.Root
    isGeneral = tree.size > tuning.maxRuns
  }
}

object AnchoredMatcher {
  private final val NoMatch = -1L
  private final val ThreadBytes = 32L
  private final val WorthSkipping = 8L
  private final val MaxPatience = 64
}
