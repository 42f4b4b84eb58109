package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher._
import io.matchrecognize.matcher.liveness.{FailureMemo, LivenessPruner}
import io.matchrecognize.matcher.state.{FoldCodec, StateReader, StateWriter}
import io.matchrecognize.pattern.Automaton

/**
 * An attempt from one start row, fed row by row: `begin`, `feed` until `decided` or no row is left,
 * then `finish`. Between two rows it can be saved, and restored later, usually without its path.
 *
 * @param anchors
 *   if all conditions read at most the tested row, its neighbours and rows at fixed distances from
 *   the first one, answers those that read more than the tested row; else null
 * @param summaries
 *   what the caller needs of a match, if not each of its rows
 * @param timeOuts
 *   whether a start row may time out (SHOW TIMEOUT MATCHES); it costs what `FailureMemo` saves
 * @param probe
 *   watches the search; null in all queries but traces
 */
private[matcher] abstract class OpenAttempt(
    automaton: Automaton,
    registers: RegisterPlan,
    input: MatchInput,
    anchors: AnchoredInput,
    budget: SearchBudget,
    summaries: Option[SummaryPlan],
    timeOuts: Boolean,
    tuning: MatcherTuning,
    probe: SearchProbe
) {
  protected val conditions =
    new ConditionTests(automaton.symbols.size, input, anchors, budget.maxSteps)
  private val account = new MemoryAccount(budget.maxPathBytes, input.reserve)
  // A failure counts even if a preferred path has the same future, and a trace shows what is tested.
  private val layout = new RegisterLayout(
    automaton,
    registers,
    conditions.readsMatch,
    symbol => probe != null || input.mayFail(symbol),
    account
  )
  // Otherwise paths, which grow with the attempt, are not saved but found again.
  private val savesPaths = layout.readsLabels || registers.labels.nonEmpty
  private val arena =
    new PathTree(automaton.positions, account, conditions.work, tuning.firstNodes, savesPaths)
  private val runs = new MatchRuns(
    automaton,
    arena,
    summaries.getOrElse(SummaryPlan(Vector.empty, Vector.empty, Vector.empty, -1)),
    account
  )
  private val isSummarised = summaries.exists(_.folds.isEmpty)
  private val spare = new SpareMemory(input)
  private val dead = new FailureMemo(layout.memoStates, spare)
  private val failedStates =
    new FailedStates(layout, input, automaton.positions, tuning, spare, conditions.work)
  protected val filter = new LivenessPruner(automaton, input, tuning.firstWaste)
  private val feeder = {
    val parts = new RowFeed.Parts(
      automaton,
      layout,
      input,
      conditions,
      arena,
      dead,
      failedStates,
      filter,
      tuning,
      account
    )
    if (probe == null) new RowFeed(parts) else new ProbedRowFeed(parts, probe)
  }
  private var current = new ThreadList(layout, account)
  private var next = new ThreadList(layout, account)
  private lazy val initialFolds = Array.tabulate(layout.folds)(input.initialFold)

  protected var start = 0L
  protected var fed = 0L
  // Rows of them that were passed over.
  protected var skipped = 0L
  // Skipping pays off if many rows are skipped: how many steady rows to wait for before trying.
  private var patience = 1
  private var steadyRows = 0
  // The most preferred path that ends the match so far, or the failure that cut it off.
  private var bestLength = NoMatch
  private var bestNode = PathTree.Root
  protected var failed: Throwable = _
  private var found: Matcher.Outcome = Matcher.Open
  private var isTrial = false
  private var isRestored = false

  /** Begins an attempt. Row 0 is the first row of the partition: only there `^` holds. */
  def begin(startRow: Long): Unit = {
    start = startRow
    fed = 0
    skipped = 0
    steadyRows = 0
    bestLength = NoMatch
    bestNode = PathTree.Root
    failed = null
    found = Matcher.Open
    isTrial = false
    isRestored = false
    arena.clear()
    dead.begin(startRow)
    failedStates.begin(startRow)
    conditions.beginAttempt(startRow)
    current.begin(automaton.start, if (layout.folds > 0) initialFolds else null)
    settle()
  }

  /** Forgets which states have failed. */
  protected final def forget(): Unit = {
    dead.reset()
    failedStates.reset()
  }

  /**
   * From here on looks only for a match that is preferred to all paths that depend on a missing
   * row: `feed` does not wait for the row, and a failure proves nothing.
   */
  def trial(): Unit = isTrial = true

  /**
   * Feeds the next row: the start row first, then the rows after it. Not after `decided`.
   *
   * @return
   *   false if a condition cannot be tested before another row arrives; then nothing has changed
   */
  def feed(row: Long): Boolean = {
    if (decided || row != start + fed) {
      throw new IllegalArgumentException(s"Row $row does not follow.")
    }
    if (arena.wantsCompaction) compact()
    val end = feeder.run(current, next, start, row)
    val isRead = isTrial || end != RowFeed.Undecided
    if (isRead) {
      end match {
        case RowFeed.AllTried =>
        case RowFeed.Accepted => accept(feeder.lastThread)
        case RowFeed.Failed => cutOff(input.failure)
        case RowFeed.Undecided => cutOff(null)
      }
      val threads = current
      current = next
      next = threads
      fed += 1
      settle()
    }
    isRead
  }

  /**
   * After a row was fed: the next row to feed, at most `limit`. Those before it would leave all as
   * it is: each thread stayed in its state, and until then no condition that was tested has another
   * truth.
   */
  protected final def skip(row: Long, limit: Long): Long =
    if (anchors == null || decided || row >= limit || !feeder.isSteady) row
    else {
      steadyRows += 1
      if (steadyRows < patience) row
      else {
        val next = feeder.steadyEnd(limit)
        val rows = next - row
        fed += rows
        skipped += rows
        steadyRows = 0
        patience = if (rows < WorthSkipping) (patience * 2).min(MaxPatience) else 1
        next
      }
    }

  /** After `feed` returned false: whether preferred paths do not depend on the missing row. */
  def hasBetterPaths: Boolean = next.size > 0

  /** Rows fed in this attempt. */
  def rowsFed: Long = fed

  /**
   * Saves the open attempt; false if it has to be begun again instead: no row was fed, or an error
   * may yet be raised.
   */
  def save(out: StateWriter, folds: FoldCodec): Boolean =
    fed > 0 && failed == null && current.isSavable(folds) && {
      out.putLong(fed)
      out.putLong(bestLength)
      out.putLong(conditions.steps)
      if (savesPaths) {
        compact()
        arena.save(out)
        out.putInt(bestNode)
      }
      current.save(out, folds, savesPaths)
      true
    }

  /** Resumes a saved attempt from a start row. */
  def restore(startRow: Long, in: StateReader, folds: FoldCodec): Unit = {
    begin(startRow)
    fed = in.getLong()
    bestLength = in.getLong()
    conditions.restore(in.getLong())
    if (savesPaths) {
      arena.restore(in)
      bestNode = in.getInt()
    }
    current.restore(in, folds, savesPaths)
    found = Matcher.Open
    isRestored = !savesPaths
  }

  /**
   * The last time at which a row can change the outcome, after all rows so far were fed. Without a
   * match, a path that no row continues times out where the limit ends.
   */
  def lastTime(frontier: Frontier): Long = {
    val last = feeder.lastTime(frontier, current, next, start, start + fed)
    if (timeOuts && bestLength == NoMatch && !frontier.accepts) Long.MaxValue else last
  }

  /** How the attempt ended, or `Open`. */
  def outcome: Matcher.Outcome = found

  /** Whether no further row can change the outcome. */
  def decided: Boolean = found ne Matcher.Open

  /** Ends the attempt: no row follows in it; `$` holds iff the partition ends here. */
  def finish(endOfPartition: Boolean): Unit = if (!decided) {
    var isWaiting = false
    var thread = 0
    while (thread < current.size && !decided) {
      val state = current.states(thread)
      var edge = automaton.firstEdge(state)
      val end = automaton.endEdge(state)
      while (edge < end && !decided) {
        if (automaton.target(edge) != Automaton.Accept) {
          if (!isWaiting && fed > 0) {
            isWaiting = true
            // This path times out if nothing matches.
            if (timeOuts && bestLength == NoMatch) bestNode = current.nodes(thread)
          }
        } else if (holds(edge, endOfPartition)) {
          accept(thread)
          resolve(Matcher.Matched)
        }
        edge += 1
      }
      thread += 1
    }
    if (!decided) conclude(timeOuts && isWaiting, isHopeless = endOfPartition && !timeOuts)
  }

  def length: Long = bestLength.max(0)

  def positionAt(offset: Long): Int = runs.positionAt(offset)

  protected final def matchSummary: MatchSummary =
    if (isSummarised && runs.isComplete) runs else null

  /** Steps of this attempt. */
  def steps: Long = conditions.steps

  private def holds(edge: Int, endOfPartition: Boolean): Boolean =
    automaton.guard(edge) match {
      case Automaton.Always => true
      case Automaton.AtStart => start == 0 && fed == 0
      case _ => endOfPartition
    }

  /** The thread's path ends the match unless a more preferred thread does later. */
  private def accept(thread: Int): Unit = {
    if (probe != null) probe.completed(fed, thread, current.size)
    bestLength = fed
    bestNode = current.nodes(thread)
    failed = null
  }

  /** No match unless a more preferred thread ends one later; otherwise the failure is raised. */
  private def cutOff(failure: Throwable): Unit = {
    bestLength = NoMatch
    failed = failure
  }

  /** Makes the attempt again, from its first row to the last one fed. */
  protected def repeat(isTrial: Boolean): Unit

  /** After each row: concludes if no thread is left, accepts if the first one prefers to. */
  private def settle(): Unit =
    if (current.size == 0) conclude(hasTimedOut = false, isHopeless = !isTrial)
    else if (automaton.prefersAccept(current.states(0), start == 0 && fed == 0)) {
      accept(0)
      resolve(Matcher.Matched)
    }

  /** No thread can match any more. */
  private def conclude(hasTimedOut: Boolean, isHopeless: Boolean): Unit =
    if (bestLength >= 0) resolve(Matcher.Matched)
    else if (failed != null) {
      found = Matcher.Failed
      throw failed
    } else if (hasTimedOut) {
      bestLength = fed
      resolve(Matcher.TimedOut)
    } else {
      if (isHopeless) {
        dead.record()
        failedStates.record(conditions.steps)
      }
      found = Matcher.Failed
    }

  private def resolve(outcome: Matcher.Outcome): Unit = {
    found = outcome
    // The path was not saved: the attempt is repeated from its first row.
    if (isRestored) repeat(isTrial)
    else runs.take(bestNode, start, bestLength)
  }

  private def compact(): Unit =
    bestNode = current.compact(arena, if (bestLength >= 0) bestNode else PathTree.Root, bestLength)

  private final val NoMatch = -1L
  private final val WorthSkipping = 8L
  private final val MaxPatience = 64
}
