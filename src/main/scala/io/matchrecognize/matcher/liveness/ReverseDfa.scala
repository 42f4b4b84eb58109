package io.matchrecognize.matcher.liveness

import java.nio.LongBuffer
import java.util.{Arrays, BitSet, HashMap}

import io.matchrecognize.matcher.SpareMemory
import io.matchrecognize.pattern.Automaton

/**
 * The lazily determinised reverse automaton: reads rows backwards and says which automaton
 * positions may map a row so that a match can still follow. Its states are sets of positions,
 * numbered as they turn up; a transition is computed once, for all rows and partitions of a task.
 *
 * State `C(i)` holds position q iff q's condition is TRUE on row i and q may end the match there or
 * has an edge to a position of `C(i + 1)`. `C(n)`, after the last row, is the state `End`; it has
 * no position and lets `$` hold. Guards `^` belong to the start state alone, which is in no set.
 *
 * @param free
 *   for each symbol whether its condition counts as TRUE on every row
 * @param maxBytes
 *   about how much memory the states may take; beyond it, or if the task has no more, `transition`
 *   returns `Overflow`
 */
private[matcher] final class ReverseDfa(
    automaton: Automaton,
    free: Array[Boolean],
    maxBytes: Long,
    memory: SpareMemory
) {
  import ReverseDfa._

  private val positions = automaton.positions
  private val words = (positions + 63) >>> 6

  // The positions of each symbol, and of all free ones.
  private val masks = automaton.symbols.indices.map { symbol =>
    setOf(position => automaton.symbolOf(position) == symbol)
  }.toArray
  private val freeMask = setOf(position => free(automaton.symbolOf(position)))
  private val accepting = setOf(automaton.accepts(_, Automaton.Always))
  private val acceptingAtEnd =
    setOf(p => automaton.accepts(p, Automaton.Always) || automaton.accepts(p, Automaton.AtEnd))

  // The positions with an edge to each position.
  private val predecessors: Array[Array[Int]] = {
    val found = Array.fill(positions)(Array.newBuilder[Int])
    for {
      from <- 0 until positions
      edge <- automaton.firstEdge(from) until automaton.endEdge(from)
      if automaton.target(edge) != Automaton.Accept
    } found(automaton.target(edge)) += from
    found.map(_.result())
  }

  // A buffer around an array is equal by its elements.
  private val numbers = new HashMap[LongBuffer, Integer]
  private var sets = new Array[Array[Long]](16)
  private var candidates = new Array[Array[Long]](16)
  private var asked = new Array[Array[Int]](16)
  private var tables = new Array[Transitions](16)
  private var startTargets = new Array[Int](16)
  private val steps = new IntMemo(memory)
  private val targets = new IntMemo(memory)
  private var count = 0
  private var bytes = 0L
  // Whether a state was not added.
  private var isFull = false
  addState(new Array[Long](words), acceptingAtEnd)

  /** Forgets all states if they have become too many. */
  def makeRoom(): Unit = if (isFull) {
    numbers.clear()
    (0 until count).foreach(state => tables(state) = null)
    memory.giveBack(bytes)
    memory.retry()
    count = 0
    bytes = 0
    isFull = false
    steps.clear()
    targets.clear()
    addState(new Array[Long](words), acceptingAtEnd)
  }

  /** How many states there are, numbered from 0. */
  def size: Int = count

  /** The symbols whose conditions decide what precedes a state. */
  def symbolsOf(state: Int): Array[Int] = asked(state)

  /**
   * The state before `state`.
   *
   * @param truths
   *   bit i is set iff the condition of `symbolsOf(state)(i)` is TRUE on the row between them
   */
  def transition(state: Int, truths: Long): Int = {
    val known = tables(state)(truths)
    if (known != IntMemo.Unknown) known
    else {
      val previous = compute(state, truths)
      if (previous != Overflow) {
        val more = tables(state).growth
        if (more == 0 || take(more)) tables(state)(truths) = previous else isFull = true
      }
      previous
    }
  }

  /**
   * The states before those of a search by `stepIndex`; negative where `addStep` was not called. It
   * is a new array after `addStep`.
   */
  def knownSteps: Array[Int] = steps.array

  /**
   * Remembers the state before another if the truths on the row between them are these.
   *
   * @param truths
   *   a number of `TruthCodes`
   */
  def addStep(state: Int, truths: Int, previous: Int): Unit =
    steps(stepIndex(state, truths).toLong) = previous

  /** The positions of a state, one bit each. */
  def positionsOf(state: Int): Array[Long] = sets(state)

  def contains(state: Int, position: Int): Boolean =
    (sets(state)(position >>> 6) & (1L << position)) != 0

  /**
   * Where the most preferred path goes from the start state with a row, whose state is `state`: a
   * position of that, `Automaton.Accept`, or `NoMatch`.
   */
  def startTarget(row: Long, state: Int): Int =
    if (row == 0) follow(automaton.start, state, firstRow = true) else startTargets(state)

  /** The same from any automaton state; `firstRow` if `^` holds. */
  def follow(from: Int, state: Int, firstRow: Boolean): Int = {
    var edge = automaton.firstEdge(from)
    val last = automaton.endEdge(from)
    while (edge < last) {
      val target = automaton.target(edge)
      val guard = automaton.guard(edge)
      if (
        guard == Automaton.Always || (guard == Automaton.AtStart && firstRow) ||
        (guard == Automaton.AtEnd && state == End)
      ) {
        if (target == Automaton.Accept || contains(state, target)) return target
      }
      edge += 1
    }
    NoMatch
  }

  /** `follow` from a position, remembered. */
  def next(from: Int, state: Int): Int = {
    val index = state.toLong * positions + from
    var target = targets(index)
    if (target == IntMemo.Unknown) {
      target = follow(from, state, firstRow = false)
      targets(index) = target
    }
    target
  }

  private def compute(state: Int, truths: Long): Int = {
    val symbols = asked(state)
    val set = freeMask.clone()
    var i = 0
    while (i < symbols.length) {
      if ((truths & (1L << i)) != 0) {
        val mask = masks(symbols(i))
        var word = 0
        while (word < words) {
          set(word) |= mask(word)
          word += 1
        }
      }
      i += 1
    }
    val possible = candidates(state)
    var word = 0
    while (word < words) {
      set(word) &= possible(word)
      word += 1
    }
    numberOf(set)
  }

  /** The state of some positions that is not `End`, or `Overflow`. */
  private def numberOf(set: Array[Long]): Int = {
    val number = numbers.get(LongBuffer.wrap(set))
    if (number != null) number.intValue
    else if (count >= MaxStates) overflow
    else addState(set, before(set))
  }

  private def overflow: Int = {
    isFull = true
    Overflow
  }

  private def take(more: Long): Boolean = bytes <= maxBytes && {
    val isGranted = memory.take(more)
    if (isGranted) bytes += more
    isGranted
  }

  /** The positions that may precede one of the set or may end a match. */
  private def before(set: Array[Long]): Array[Long] = {
    val result = accepting.clone()
    BitSet.valueOf(set).stream.forEach { position =>
      predecessors(position).foreach(p => result(p >>> 6) |= 1L << p)
    }
    result
  }

  private def addState(set: Array[Long], possible: Array[Long]): Int = {
    val symbols = masks.indices.filter { symbol =>
      !free(symbol) && (0 until words).exists(word => (possible(word) & masks(symbol)(word)) != 0)
    }.toArray
    val table = Transitions(symbols.length)
    val isGranted = take(words * 16L + StateBytes + table.bytes)
    // There is always the state after the last row.
    if (!isGranted && count != End) overflow
    else {
      if (count == sets.length) grow()
      val state = count
      sets(state) = set
      candidates(state) = possible
      asked(state) = symbols
      tables(state) = table
      count += 1
      // No set of positions leads to it.
      if (state != End) numbers.put(LongBuffer.wrap(set), state)
      startTargets(state) = follow(automaton.start, state, firstRow = false)
      state
    }
  }

  private def grow(): Unit = {
    val size = count * 2
    sets = Arrays.copyOf(sets, size)
    candidates = Arrays.copyOf(candidates, size)
    asked = Arrays.copyOf(asked, size)
    tables = Arrays.copyOf(tables, size)
    startTargets = Arrays.copyOf(startTargets, size)
  }

  private def setOf(holds: Int => Boolean): Array[Long] = {
    val set = new Array[Long](words)
    (0 until positions).filter(holds).foreach(p => set(p >>> 6) |= 1L << p)
    set
  }
}

private[matcher] object ReverseDfa {

  /** The state after the last row of a partition. */
  final val End = 0

  /** No path leads to a match. */
  final val NoMatch = -2

  /** There are too many states. */
  final val Overflow = -3

  /** Symbols whose conditions are tested: their truths are the bits of a long. */
  final val MaxSymbols = 63

  /** Where `knownSteps` has the state before `state`; negative if the truths are unknown. */
  def stepIndex(state: Int, truths: Int): Int = (state << 8) | truths

  private final val MaxStates = 0xffff
  private final val StateBytes = 200L
}
