package io.matchrecognize.matcher.twopass

import io.matchrecognize.matcher._
import io.matchrecognize.matcher.liveness.{ExactLiveStates, ReverseDfa, StateBlocks}
import io.matchrecognize.matcher.threads.PositionBuffer
import io.matchrecognize.pattern.Automaton

/**
 * The engine for patterns with only row-local conditions, in time linear in the rows of the
 * partition and of the matches.
 *
 * A backward pass (`ReverseDfa`) finds for each row the live positions. The most preferred match
 * from a start row then takes in each state the first edge to a live position or to Accept: by
 * definition that edge leads to a match, and no edge before it does. The truth of a condition does
 * not depend on the path, so this holds whatever the path was. Start rows without a match cost one
 * lookup.
 *
 * The backward pass tests conditions that the search in order of preference might not test. If one
 * fails, or if the pattern takes too many states, the partition is left to the general engine,
 * which raises the failure where the search meets it.
 *
 * Where matches overlap so much that walking them would not be linear in the rows, and summaries
 * are enough for the caller, the rest of the partition is answered by `BackwardSummaries`.
 *
 * @param general
 *   the engine for partitions left to it
 * @param summaries
 *   None if the caller needs each row of each match
 */
final class TwoPassMatcher(
    val automaton: Automaton,
    input: MatchInput,
    budget: SearchBudget,
    general: => Matcher,
    summaries: Option[(SummaryPlan, SummaryFolds)] = None,
    tuning: TwoPassTuning = TwoPassTuning()
) extends Matcher {
  import TwoPassMatcher._

  private val reach =
    new ReverseDfa(
      automaton,
      automaton.symbols.indices.map(input.alwaysTrue).toArray,
      tuning.maxBytes,
      new SpareMemory(input)
    )
  private val states =
    new ExactLiveStates(reach, input, automaton.symbols.size, tuning.blocks)
  private val account = new MemoryAccount(budget.maxPathBytes, input.reserve)
  private val walkedPositions = new PositionBuffer(automaton.positions, account)
  private val work = new WorkMeter(input.checkCancelled _)
  private lazy val fallback = general
  private lazy val overlapping: BackwardSummaries = summaries
    .filter { case (plan, _) => BackwardSummaries.applies(automaton, plan) }
    .map { case (plan, folds) =>
      new BackwardSummaries(automaton, reach, states, plan, folds, input, work)
    }
    .orNull

  private var rows = 0L
  private var freeRows = 0L
  private var isRead = false
  private var isGeneral = false
  // Whether the latest attempt was left to the general engine.
  private var isFallback = false
  private var isFallbackBegun = false
  private var matchLength = NoMatch
  private var walkedRows = 0L
  private var isSummarised = false
  // Whether it was tried.
  private var isSummaryAsked = false
  private var hasSummary = false
  private var matchStart = 0L
  private var firstPosition = 0
  // Start row of the match whose positions `walkedPositions` holds.
  private var walkedStart = -1L

  override def beginPartition(partitionRows: Long): Unit = {
    rows = partitionRows
    freeRows = (rows >>> 3).max(1L).min(FreeRows)
    isRead = false
    isGeneral = false
    isFallback = false
    isFallbackBegun = false
    if (isSummarised) overlapping.clear()
    isSummarised = false
    isSummaryAsked = false
    hasSummary = false
    walkedStart = -1
    walkedRows = 0
  }

  override def attempt(start: Long, end: Long): Matcher.Outcome = {
    if (end != rows) throw new IllegalArgumentException("Two passes take no limit.")
    if (!isRead) read()
    isFallback = isGeneral
    if (isGeneral) fallback.attempt(start, end)
    else if (start < input.frameFirst + input.frameReach) attemptInFrame(start, end)
    else {
      val first = reach.startTarget(start, states.stateAt(start))
      if (first < 0) {
        matchLength = if (first == Automaton.Accept) 0 else NoMatch
        hasSummary = false
        work.add(1)
      } else {
        if (!isSummaryAsked && walkedRows > (start + freeRows) * tuning.maxOverlap)
          summarise(start)
        hasSummary = isSummarised
        matchStart = start
        firstPosition = first
        if (isSummarised) {
          overlapping.moveTo(start)
          matchLength = overlapping.end - start
          work.add(1)
        } else walk(start, first)
      }
      if (matchLength >= 0) Matcher.Matched else Matcher.Failed
    }
  }

  /** An attempt whose first conditions depend on where the frame begins. */
  private def attemptInFrame(start: Long, end: Long): Matcher.Outcome = {
    hasSummary = false
    matchLength = NoMatch
    val border = rows.min(input.frameFirst + input.frameReach)
    val beginning = new FrameBeginning(automaton, input, reach, states, start, border)
    if (!beginning.isRead) {
      isFallback = true
      if (!isFallbackBegun) fallback.beginPartition(rows)
      isFallbackBegun = true
      fallback.attempt(start, end)
    } else {
      val first = beginning.next(automaton.start, start)
      if (first == Automaton.Accept) matchLength = 0
      else if (first >= 0) walk(start, first, border, beginning)
      work.add(border - start + 1)
      if (matchLength >= 0) Matcher.Matched else Matcher.Failed
    }
  }

  private def summarise(start: Long): Unit = {
    isSummaryAsked = true
    isSummarised = overlapping != null && overlapping.begin(rows, start)
  }

  override def length: Long = if (isFallback) fallback.length else matchLength.max(0)

  override def summary: MatchSummary = if (!isFallback && hasSummary) overlapping else null

  override def positionAt(offset: Long): Int =
    if (isFallback) fallback.positionAt(offset)
    else if (hasSummary && offset == matchLength - 1) overlapping.lastPosition
    else {
      if (hasSummary && walkedStart != matchStart) walk(matchStart, firstPosition)
      walkedPositions(offset)
    }

  private def read(): Unit = {
    isRead = true
    isGeneral = !states.build(rows)
    isFallbackBegun = isGeneral
    if (isGeneral) fallback.beginPartition(rows)
  }

  private def walk(
      start: Long,
      first: Int,
      border: Long = 0L,
      beginning: FrameBeginning = null
  ): Unit = {
    var position = first
    var offset = 0L
    while (position != Automaton.Accept) {
      walkedPositions.ensure(offset + 1)
      walkedPositions(offset) = position
      offset += 1
      if (offset % WorkMeter.BetweenChecks == 0) work.add(WorkMeter.BetweenChecks)
      val row = start + offset
      position =
        if (row < border) beginning.next(position, row)
        else reach.next(position, states.stateAt(row))
    }
    matchLength = offset
    walkedStart = start
    walkedRows += offset
    work.add(offset % WorkMeter.BetweenChecks + 1)
  }
}

object TwoPassMatcher {
  private final val NoMatch = -1L

  /** The most positions times rows that depend on where a frame begins. */
  final val MaxFrameStates = 1L << 14

  // Rows that a search may walk before overlaps count, an eighth of a small partition's rows:
  // summaries read all rows of the partition.
  private final val FreeRows = 1024L

  /**
   * Whether the engine can run a search.
   *
   * @param tested
   *   for each condition that is not constantly TRUE whether it is row-local
   */
  def takes(tested: Seq[Boolean], hasLimit: Boolean): Boolean =
    !hasLimit && tested.forall(identity) && tested.size <= ReverseDfa.MaxSymbols
}

/**
 * Sizes that change what the engine costs, never what it finds; tests make them small.
 *
 * @param maxBytes
 *   about how much memory the sets of positions may take in one task
 * @param maxOverlap
 *   matches are summarised once more rows were walked than this many times those passed
 */
final case class TwoPassTuning(
    maxBytes: Long = 64L << 20,
    maxOverlap: Long = 4,
    blocks: StateBlocks = StateBlocks()
)
