package io.matchrecognize.matcher

import io.matchrecognize.pattern.Automaton

/**
 * Finds the most preferred match from one start row, for every pattern and every class of
 * condition.
 *
 * One input is the rows of an attempt, fed one by one; one output is whether they begin with a
 * match, and its most preferred path. The matcher runs the ordered follow automaton breadth first:
 * after each row it holds a list of threads, most preferred first, each a position and the path and
 * registers that led there. A thread that may end the match cuts off all threads behind it; the
 * threads before it may still find something better.
 *
 *   - Two threads of one position merge iff all registers are equal that some condition ahead
 *     reads.
 *   - A condition whose evaluation fails cuts off what is behind it, as an end of the match would;
 *     a better path that ends later drops the failure, else it is raised.
 *   - Attempts that fail are remembered (`DeadStates`).
 *   - Arrays grow and are kept; a row or an attempt allocates nothing in the steady state.
 *
 * Use: `begin`, `feed` until `decided` or no row is left, then `finish`; attempts of one partition
 * in ascending order. Rows of several partitions may pass one matcher, see `reset`. Not thread
 * safe.
 *
 * @param timeOuts
 *   whether `timedOut` is asked for (SHOW TIMEOUT MATCHES); it costs what `DeadStates` saves
 */
final class ThreadedMatcher(
    val automaton: Automaton,
    registers: RegisterPlan,
    input: MatchInput,
    limits: MatcherLimits,
    val timeOuts: Boolean = false
) {
  import ThreadedMatcher._

  private val kinds: Array[Byte] = automaton.symbols.indices.map { symbol =>
    (if (input.alwaysTrue(symbol)) AlwaysTrue
     else if (input.rowLocal(symbol)) RowLocal
     else OnPath).toByte
  }.toArray
  private val layout = new RegisterLayout(automaton, registers, kinds.map(_ == OnPath))
  private val account = new MemoryAccount(limits.maxPathBytes)
  private val arena = new PathArena(automaton.positions, account)
  private val candidate = new Candidate(automaton, layout, input, arena)
  private val merges = new MergeTable(layout, input, sameLabels)
  private val dead = new DeadStates(layout.memoPositions)
  private var current = new ThreadList(layout, account)
  private var next = new ThreadList(layout, account)
  private var initialFolds: Array[AnyRef] = _

  // The step in which a position without live registers got its thread.
  private val stamps = new Array[Long](automaton.positions)
  private val localSteps = new Array[Long](automaton.symbols.size)
  private val localTruths = new Array[Int](automaton.symbols.size)
  private var step = 0L

  private var start = 0L
  private var fed = 0L
  private var stepCount = 0L
  private var sinceCheck = 0
  private var bestLength = NoMatch
  private var bestNode = PathArena.Root
  private var failed: Throwable = _
  private var resolved = false
  private var waiting = false

  /** Rows of another partition follow. */
  def reset(): Unit = dead.reset()

  /** Begins an attempt. Row 0 is the first row of the partition: only there `^` holds. */
  def begin(startRow: Long): Unit = {
    start = startRow
    fed = 0
    stepCount = 0
    bestLength = NoMatch
    bestNode = PathArena.Root
    failed = null
    resolved = false
    waiting = false
    arena.clear()
    dead.begin(startRow)
    countWork(1)
    current.size = 1
    current.positions(0) = automaton.start
    current.nodes(0) = PathArena.Root
    if (layout.slots > 0) layout.initialize(current.rows)
    if (layout.folds > 0) {
      if (initialFolds == null) initialFolds = Array.tabulate(layout.folds)(input.initialFold)
      System.arraycopy(initialFolds, 0, current.folds, 0, layout.folds)
    }
    if (layout.readsLabels) current.labelHashes(0) = 0
    settle()
  }

  /** Feeds the next row: the start row first, then the rows behind it. Not after `decided`. */
  def feed(row: Long): Unit = {
    if (resolved || row != start + fed) {
      throw new IllegalArgumentException(s"Row $row does not follow.")
    }
    if (arena.wantsCompaction) compact()
    step += 1
    next.size = 0
    candidate.begin(current, next, start, row, step)
    advance(row)
    val threads = current
    current = next
    next = threads
    fed += 1
    settle()
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
            keepWaiting(thread)
          }
        } else if (holds(edge, fed, endOfPartition)) {
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

  /** After `decided` or `finish`: whether the attempt found a match. */
  def matched: Boolean = bestLength >= 0

  /** Rows of the match, 0 if it is empty; of the path that timed out if `timedOut`. */
  def length: Long = if (matched) bestLength else if (timedOut) fed else 0

  /** Automaton position of a row of the match; the first row has offset 0. */
  def positionAt(offset: Long): Int = arena.committedAt(offset)

  def symbolAt(offset: Long): Int = automaton.symbolOf(positionAt(offset))

  /**
   * After `finish` without a match, if `timeOuts`: whether a path could have mapped another row.
   * `length` and `positionAt` then describe the most preferred such path.
   */
  def timedOut: Boolean = timeOuts && waiting && !matched

  /** Conditions evaluated by this attempt. */
  def steps: Long = stepCount

  private def advance(row: Long): Unit = {
    var thread = 0
    var open = true
    while (open && thread < current.size) {
      val state = current.positions(thread)
      var edge = automaton.firstEdge(state)
      val end = automaton.endEdge(state)
      countWork(1 + end - edge)
      while (open && edge < end) {
        val target = automaton.target(edge)
        val holding = holds(edge, fed, endOfPartition = false)
        if (target != Automaton.Accept) {
          if (holding) open = extend(thread, target, row)
        } else if (holding) {
          accept(thread)
          open = false
        }
        edge += 1
      }
      thread += 1
    }
  }

  /** Tries a thread's edge on the row; false if the evaluation failed, which cuts off the rest. */
  private def extend(thread: Int, position: Int, row: Long): Boolean = {
    val live = layout.live(position)
    val memo = layout.memo(position)
    if (live.isEmpty && stamps(position) == step) true
    else if (memo >= 0 && dead.contains(row, memo)) true
    else {
      next.reserve()
      val symbol = automaton.symbolOf(position)
      val kind = kinds(symbol)
      val truth =
        if (kind == AlwaysTrue) Truth.True
        else if (kind == RowLocal) localTruth(symbol, row)
        else {
          candidate.build(thread, symbol, layout.needed(position))
          countStep()
          input.testPath(symbol, candidate)
        }
      if (truth == Truth.True) {
        if (live.isEmpty) {
          stamps(position) = step
          if (memo >= 0 && fed >= DeadStates.FirstOffset) dead.visit(row, memo)
          append(thread, position)
        } else {
          if (kind != OnPath) candidate.build(thread, symbol, live)
          candidate.complete(live)
          if (!merges.findOrEnter(next, position, live, step)) append(thread, position)
        }
        true
      } else if (truth == Truth.Failed) {
        failed = input.failure
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

  private def localTruth(symbol: Int, row: Long): Int = {
    if (localSteps(symbol) != step) {
      countStep()
      localTruths(symbol) = input.testLocal(symbol, row)
      localSteps(symbol) = step
    }
    localTruths(symbol)
  }

  private def holds(edge: Int, rows: Long, endOfPartition: Boolean): Boolean =
    automaton.guard(edge) match {
      case Automaton.Always => true
      case Automaton.AtStart => start == 0 && rows == 0
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
        holds(first, fed, endOfPartition = false)
      ) {
        accept(0)
        resolve()
      }
    }

  private def resolve(): Unit = {
    resolved = true
    if (bestLength >= 0) arena.commit(bestNode, bestLength)
    else if (timedOut) arena.commit(bestNode, fed)
  }

  /** Remembers the path of a thread that waits, in case nothing matches. */
  private def keepWaiting(thread: Int): Unit =
    if (timeOuts && bestLength == NoMatch) bestNode = current.nodes(thread)

  private def raiseFailure(): Unit = if (failed != null) {
    resolved = true
    throw failed
  }

  private def compact(): Unit = {
    arena.startMarking()
    var thread = 0
    while (thread < current.size) {
      arena.mark(current.nodes(thread))
      thread += 1
    }
    if (bestLength >= 0) arena.mark(bestNode)
    arena.compact()
    thread = 0
    while (thread < current.size) {
      current.nodes(thread) = arena.renumber(current.nodes(thread))
      thread += 1
    }
    if (bestLength >= 0) bestNode = arena.renumber(bestNode)
  }

  /** Whether a new thread and the candidate, whose last rows agree, map all rows alike. */
  private def sameLabels(thread: Int): Boolean = {
    var left = arena.parent(next.nodes(thread))
    var right = current.nodes(candidate.parentThread)
    while (left != right && symbolOfNode(left) == symbolOfNode(right)) {
      left = arena.parent(left)
      right = arena.parent(right)
    }
    left == right
  }

  private def symbolOfNode(node: Int): Int = automaton.symbolOf(arena.position(node))

  private def countStep(): Unit = {
    stepCount += 1
    if (limits.maxSteps > 0 && stepCount > limits.maxSteps) {
      throw new StepLimitExceeded(limits.maxSteps)
    }
  }

  private def countWork(amount: Int): Unit = {
    sinceCheck += amount
    if (sinceCheck >= WorkBetweenChecks) {
      sinceCheck = 0
      input.checkCancelled()
    }
  }
}

private object ThreadedMatcher {
  private final val NoMatch = -1L
  private final val AlwaysTrue = 0
  private final val RowLocal = 1
  private final val OnPath = 2
  private final val WorkBetweenChecks = 4096
}
