package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher.liveness.{FailureMemo, LivenessPruner}
import io.matchrecognize.matcher.state.{FoldCodec, StateReader, StateWriter}
import io.matchrecognize.matcher.{
  MatchInput,
  Matcher,
  MatcherLimits,
  MatcherTuning,
  MemoryAccount,
  RegisterPlan,
  StreamWindow,
  Truth
}
import io.matchrecognize.pattern.Automaton

/**
 * A Pike VM: simulates the position automaton with an ordered list of threads, as RE2's NFA does
 * for text. Finds the most preferred match from one start row, for every pattern and every class of
 * condition.
 *
 * One input is the rows of an attempt, fed one by one; one output is whether they begin with a
 * match, and its most preferred path. The matcher runs the ordered follow automaton breadth first:
 * after each row it holds a list of threads, most preferred first, each a position and the path and
 * registers that led there. A thread that may end the match cuts off all threads after it; the
 * threads before it may still find something better.
 *
 *   - Two threads of one position merge iff all registers are equal that some condition ahead
 *     reads.
 *   - A condition whose evaluation fails cuts off what is after it, as an end of the match would; a
 *     better path that ends later drops the failure, else it is raised.
 *   - Attempts that fail are remembered (`FailureMemo`); when they cost too much, paths that cannot
 *     match are not tried (`LivenessPruner`).
 *   - Arrays grow and are kept; a row or an attempt allocates nothing in the steady state.
 *
 * Rows may also be fed one by one: `begin`, `feed` until `decided` or no row is left, then
 * `finish`; `attempt` does just that. An open attempt can be saved between two rows and restored
 * later, mostly without its path.
 *
 * @param timeOuts
 *   whether `timedOut` is asked for (SHOW TIMEOUT MATCHES); it costs what `FailureMemo` saves
 */
final class PikeMatcher(
    override val automaton: Automaton,
    registers: RegisterPlan,
    input: MatchInput,
    limits: MatcherLimits,
    timeOuts: Boolean = false,
    tuning: MatcherTuning = MatcherTuning.default
) extends Matcher {
  import PikeMatcher._

  private val conditions = new ConditionCounter(automaton.symbols.size, input, limits.maxSteps)
  private val layout = new RegisterLayout(automaton, registers, conditions.onPath)
  private val account = new MemoryAccount(limits.maxPathBytes, input.reserve)
  private val arena = new PathTree(automaton.positions, account, tuning.firstNodes)
  private val candidate = new PendingThread(automaton, layout, input, arena)
  private val merges = new MergeTable(layout, input, sameLabels)
  private val dead = new FailureMemo(layout.memoPositions)
  private val filter = new LivenessPruner(automaton, input, tuning.firstWaste)
  private var current = new ThreadList(layout, account)
  private var next = new ThreadList(layout, account)
  private var initialFolds: Array[AnyRef] = _

  // The step in which a position without live registers got its thread.
  private val stamps = new Array[Long](automaton.positions)
  private var step = 0L

  private var rows = 0L
  private var lastEnd = 0L
  private var start = 0L
  private var fed = 0L
  private var bestLength = NoMatch
  private var bestNode = PathTree.Root
  private var failed: Throwable = _
  private var resolved = false
  private var waiting = false
  private var undecided = false
  private var restored = false

  // Else paths are found again when they are asked for: they would grow with the attempt.
  private val savesPaths = layout.readsLabels || registers.labels.nonEmpty

  /**
   * Whether a condition that cannot be tested yet only stops the paths that are less preferred, as
   * one that fails does; if no better path matches, `RowMissing` is raised.
   */
  var isTentative = false

  override def beginPartition(partitionRows: Long): Unit = {
    rows = partitionRows
    lastEnd = 0
    dead.reset()
    filter.beginPartition()
  }

  override def attempt(start: Long, end: Long): Unit = {
    // What an earlier attempt found hopeless may still wait where a shorter window ends.
    if (end < lastEnd) forget()
    lastEnd = end
    begin(start)
    var row = start
    while (!resolved && row < end) {
      filter.moveTo(row)
      feed(row)
      row += 1
    }
    if (!resolved) finish(end == rows)
    // A path that waits at the end of its window need not lead to a match.
    if (!matched && !timeOuts) filter.waste(start, fed, rows)
  }

  /** Forgets what earlier attempts found hopeless if a shorter window may let it time out. */
  def forget(): Unit = if (timeOuts) dead.reset()

  /** Whether the future of a search depends on nothing but the positions of its threads. */
  def isRowLocal: Boolean = !conditions.onPath.contains(true)

  /** What tells of this search which start rows match; for row-local patterns. */
  def parallel(window: StreamWindow): SharedStarts =
    new SharedStarts(automaton, input, window, timeOuts)

  /** Begins an attempt. Row 0 is the first row of the partition: only there `^` holds. */
  def begin(startRow: Long): Unit = {
    start = startRow
    fed = 0
    bestLength = NoMatch
    bestNode = PathTree.Root
    failed = null
    resolved = false
    waiting = false
    restored = false
    arena.clear()
    dead.begin(startRow)
    conditions.beginAttempt()
    current.size = 1
    current.positions(0) = automaton.start
    current.nodes(0) = PathTree.Root
    if (layout.slots > 0) layout.initialize(current.rows)
    if (layout.folds > 0) {
      if (initialFolds == null) initialFolds = Array.tabulate(layout.folds)(input.initialFold)
      System.arraycopy(initialFolds, 0, current.folds, 0, layout.folds)
    }
    if (layout.readsLabels) current.labelHashes(0) = 0
    settle()
  }

  /**
   * Feeds the next row: the start row first, then the rows after it. Not after `decided`.
   *
   * @return
   *   false if a condition cannot be tested before another row has come; then nothing has changed
   */
  def feed(row: Long): Boolean = {
    if (resolved || row != start + fed) {
      throw new IllegalArgumentException(s"Row $row does not follow.")
    }
    if (arena.wantsCompaction)
      bestNode = current.compact(arena, if (bestLength >= 0) bestNode else PathTree.Root)
    step += 1
    next.size = 0
    candidate.begin(current, next, start, row, step)
    undecided = false
    advance(row)
    if (!undecided) {
      val threads = current
      current = next
      next = threads
      fed += 1
      settle()
    }
    !undecided
  }

  /** After `feed` said false: whether paths are open that do not depend on the missing row. */
  def hasBetterPaths: Boolean = next.size > 0

  /** Rows fed in this attempt. */
  def rowsFed: Long = fed

  /** Whether the path of the outcome is known: not in an attempt that was restored. */
  def hasPath: Boolean = !restored

  /**
   * Saves the open attempt; false if it has to be begun again instead: no row was fed, or an error
   * may yet be raised.
   */
  def save(out: StateWriter, folds: FoldCodec): Boolean =
    fed > 0 && failed == null && current.isSavable(folds) && {
      out.putLong(start)
      out.putLong(fed)
      out.putLong(bestLength)
      out.putLong(conditions.steps)
      if (savesPaths) {
        bestNode = current.compact(arena, if (bestLength >= 0) bestNode else PathTree.Root)
        arena.save(out)
        out.putInt(bestNode)
      }
      current.save(out, folds, savesPaths)
      true
    }

  /** Goes on with an attempt that was saved. */
  def restore(in: StateReader, folds: FoldCodec): Unit = {
    begin(in.getLong())
    fed = in.getLong()
    bestLength = in.getLong()
    conditions.restore(in.getLong())
    if (savesPaths) {
      arena.restore(in)
      bestNode = in.getInt()
    }
    current.restore(in, folds, savesPaths)
    resolved = false
    restored = !savesPaths
  }

  /** Whether no further row can change the outcome. */
  def decided: Boolean = resolved

  /** No row follows in this attempt; `$` holds iff the partition ends here. */
  def finish(endOfPartition: Boolean): Unit = if (!resolved) {
    var thread = 0
    while (thread < current.size && !resolved) {
      val state = current.positions(thread)
      var edge = automaton.firstEdge(state)
      val end = automaton.endEdge(state)
      while (edge < end && !resolved) {
        if (automaton.target(edge) != Automaton.Accept) {
          if (!waiting && fed > 0) {
            waiting = true
            // In case nothing matches.
            if (timeOuts && bestLength == NoMatch) bestNode = current.nodes(thread)
          }
        } else if (holds(edge, endOfPartition)) {
          accept(thread)
          resolve()
        }
        edge += 1
      }
      thread += 1
    }
    if (!resolved) {
      raiseFailure()
      if (bestLength == NoMatch && endOfPartition && !timeOuts) dead.bury()
      resolve()
    }
  }

  override def matched: Boolean = bestLength >= 0

  override def length: Long = if (matched) bestLength else if (timedOut) fed else 0

  override def positionAt(offset: Long): Int = arena.committedAt(offset)

  override def timedOut: Boolean = timeOuts && waiting && !matched

  /** Conditions evaluated by this attempt. */
  def steps: Long = conditions.steps

  private def advance(row: Long): Unit = {
    val threads = current.size
    var thread = 0
    var open = true
    var work = 1
    while (open && thread < threads) {
      val state = current.positions(thread)
      var edge = automaton.firstEdge(state)
      val end = automaton.endEdge(state)
      work += end - edge
      while (open && edge < end) {
        if (automaton.guard(edge) == Automaton.Always || holds(edge, endOfPartition = false)) {
          val target = automaton.target(edge)
          if (target != Automaton.Accept) open = extend(thread, target, row)
          else {
            accept(thread)
            open = false
          }
        }
        edge += 1
      }
      if (work >= ConditionCounter.WorkBetweenChecks) {
        conditions.work(work)
        work = 0
      }
      thread += 1
    }
    conditions.work(work)
  }

  /**
   * Tries a thread's edge on the row; false if the evaluation failed, which cuts off the rest, or
   * has to wait.
   */
  private def extend(thread: Int, position: Int, row: Long): Boolean = {
    val live = layout.live(position)
    val memo = layout.memo(position)
    // The stamp of a position with live registers is never set.
    if (stamps(position) == step) true
    else if (memo >= 0 && dead.nonEmpty && dead.contains(row, memo)) true
    else if (!filter.allows(position)) true
    else {
      next.reserve()
      val symbol = automaton.symbolOf(position)
      val onPath = conditions.onPath(symbol)
      val truth =
        if (!onPath) conditions.testLocal(symbol, row, step)
        else {
          candidate.build(thread, symbol, layout.needed(position))
          conditions.testPath(symbol, candidate)
        }
      if (truth == Truth.True) {
        // Behind `^` or `$` in the middle of a pattern nothing follows.
        if (automaton.firstEdge(position) == automaton.endEdge(position)) ()
        else if (live.isEmpty) {
          stamps(position) = step
          if (memo >= 0 && fed >= tuning.firstRemembered) dead.visit(row, memo)
          append(thread, position)
        } else {
          if (!onPath) candidate.build(thread, symbol, live)
          candidate.complete(live)
          if (!merges.findOrEnter(next, position, live, step)) append(thread, position)
        }
        true
      } else if (truth == Truth.Undecided && !isTentative) {
        undecided = true
        false
      } else if (truth == Truth.Failed || truth == Truth.Undecided) {
        failed = if (truth == Truth.Failed) input.failure else PikeMatcher.RowMissing
        bestLength = NoMatch
        false
      } else true
    }
  }

  private def append(thread: Int, position: Int): Unit = {
    val place = next.size
    next.positions(place) = position
    next.nodes(place) = arena.add(current.nodes(thread), position)
    next.size = place + 1
  }

  private def holds(edge: Int, endOfPartition: Boolean): Boolean =
    automaton.guard(edge) match {
      case Automaton.Always => true
      case Automaton.AtStart => start == 0 && fed == 0
      case _ => endOfPartition
    }

  /** The thread's path ends the match unless a more preferred thread does later. */
  private def accept(thread: Int): Unit = {
    bestLength = fed
    bestNode = current.nodes(thread)
    failed = null
  }

  /** After each row: no thread is left, or the first one ends the match before all others. */
  private def settle(): Unit =
    if (current.size == 0) {
      raiseFailure()
      if (bestLength == NoMatch) dead.bury()
      resolve()
    } else {
      val state = current.positions(0)
      val first = automaton.firstEdge(state)
      if (
        first < automaton.endEdge(state) && automaton.target(first) == Automaton.Accept &&
        holds(first, endOfPartition = false)
      ) {
        accept(0)
        resolve()
      }
    }

  private def resolve(): Unit = {
    resolved = true
    if (restored) ()
    else if (bestLength >= 0) arena.commit(bestNode, bestLength)
    else if (timedOut) arena.commit(bestNode, fed)
  }

  private def raiseFailure(): Unit = if (failed != null) {
    resolved = true
    throw failed
  }

  /** Whether a new thread and the candidate, whose last rows agree, map all rows alike. */
  private def sameLabels(thread: Int): Boolean =
    arena.sameLabels(
      arena.parent(next.nodes(thread)),
      current.nodes(candidate.parentThread),
      automaton
    )
}

private[matcher] object PikeMatcher {
  private final val NoMatch = -1L

  /** The most preferred path left depends on a row that has not come. */
  object RowMissing extends RuntimeException("a row is missing", null, false, false)
}
