package io.matchrecognize.matcher.threads

import java.util.{Arrays, HashMap, TreeMap}

import scala.jdk.CollectionConverters._

import io.matchrecognize.matcher.state.{StateReader, StateWriter}
import io.matchrecognize.matcher.{MatchInput, SpareMemory, StreamLimit, Truth, WorkMeter}
import io.matchrecognize.pattern.Automaton

/**
 * Determines in one pass over the rows which start rows match and where: the threads of all start
 * rows run together. For patterns with only row-local conditions: the future of an attempt then
 * depends only on the positions of its threads, and start rows whose threads are at the same
 * positions proceed as one [[StartRuns]], however many they are.
 *
 * Trying one start row after the other reads the rows after a failed one again, which is quadratic
 * with many start rows in a long limit. Attempts do not depend on each other, so the outcome of
 * those after an open one can be known before it is decided; AFTER MATCH SKIP then decides which of
 * them count.
 *
 * @param limit
 *   null without WITHIN; limits do not end earlier than those of earlier start rows
 * @param timeOuts
 *   whether start rows that may have timed out count as matches
 */
private[matcher] final class SharedStarts(
    automaton: Automaton,
    input: MatchInput,
    limit: StreamLimit,
    timeOuts: Boolean
) {
  import SharedStarts._

  private val symbols = automaton.symbols.size
  private val truths = new Array[Boolean](symbols)
  private val fewestBefore = automaton.fewestBefore
  private var groups = new HashMap[PositionList, StartRuns]
  private var spare = new HashMap[PositionList, StartRuns]
  // The ends of matches by start row, including those that may have timed out.
  private val matched = new TreeMap[Long, Long]
  private var row = 0L
  // The limits of start rows before it end before `row`.
  private var alive = 0L

  private val stamps = new Array[Long](automaton.positions)
  private var stamp = 0L
  private val list = new Array[Int](automaton.positions)
  private var listSize = 0
  private var isAccepted = false
  private val work = new WorkMeter(input.checkCancelled _)
  private val memory = new SpareMemory(input)
  private var held = 0L
  private var rowsSinceCount = 0

  /** Begins at a row that no open attempt has read. */
  def begin(start: Long): Unit = {
    groups.clear()
    matched.clear()
    row = start
    alive = start
    memory.release()
    held = 0
    rowsSinceCount = 0
  }

  /**
   * Reads the rows before `end`.
   *
   * @return
   *   `Read`, or why there are no answers: `Untestable` if a condition fails or cannot be tested
   *   yet, `NoMemory`
   */
  def readTo(end: Long): Int = {
    var result = Read
    while (result == Read && row < end) {
      result = if (!hasMemory) NoMemory else if (!test()) Untestable else Read
      if (result == Read) read()
    }
    if (result != Read) begin(row)
    result
  }

  /** The first row that was not read. */
  def nextRow: Long = row

  /** Forgets the start rows before `start`: their rows are no longer asked for. */
  def skipTo(start: Long): Unit = {
    alive = alive.max(start)
    work.add(groups.size + 1L)
    groups.values.forEach(_.dropTo(start))
    groups.values.removeIf(_.isEmpty)
    matched.headMap(start).clear()
  }

  /** Whether later rows can still change the answer for the first start row left. */
  def isOpen(start: Long): Boolean = open(start).isDefined

  private def open(start: Long): Option[StartRuns] = groups.values.asScala.find(_.first == start)

  /** The last time at which a row can change the answer for the first start row left. */
  def lastTime(start: Long, frontier: Frontier): Long = open(start).fold(Long.MaxValue) { group =>
    if (timeOuts && !canMatch(group)) Long.MaxValue
    else frontier.lastTime(group.positions, group.positions.length, start, null)
  }

  private def canMatch(group: StartRuns): Boolean =
    group.firstEnd != StartRuns.NoMatch || group.positions.exists(
      automaton.accepts(_, Automaton.Always)
    )

  /** Start rows that are open. */
  def openStarts: Long = groups.values.asScala.iterator.map(_.size).sum

  /** Whether a start row that no further row decides matches or may have timed out. */
  def matches(start: Long): Boolean =
    open(start).fold(matched.containsKey(start))(timeOuts || canMatch(_))

  def save(out: StateWriter): Unit = {
    out.putLong(row)
    out.putLong(alive)
    out.putInt(groups.size)
    groups.values.forEach(_.save(out))
    out.putInt(matched.size)
    matched.forEach { (start, end) =>
      out.putLong(start)
      out.putLong(end - start)
    }
  }

  def restore(in: StateReader): Unit = {
    begin(in.getLong())
    alive = in.getLong()
    (0 until in.getInt()).foreach { _ =>
      val group = StartRuns.read(in)
      groups.put(new PositionList(group.positions), group)
    }
    (0 until in.getInt()).foreach { _ =>
      val start = in.getLong()
      matched.put(start, start + in.getLong())
    }
  }

  /** Groups come and go with each row, so what they take is counted only now and then. */
  private def hasMemory: Boolean = {
    rowsSinceCount += 1
    rowsSinceCount < RowsBetweenCounts || {
      rowsSinceCount = 0
      memory.giveBack(held)
      held = groups.values.asScala.iterator.map(_.bytes).sum + matched.size * MatchBytes
      val isGranted = memory.take(held)
      if (!isGranted) held = 0
      isGranted
    }
  }

  private def test(): Boolean = {
    var symbol = 0
    var isKnown = true
    while (isKnown && symbol < symbols) {
      // Rows before the first start row left may be gone.
      val truth =
        if (input.alwaysTrue(symbol)) Truth.True
        else if (row - fewestBefore(symbol) < alive) Truth.False
        else input.testLocal(symbol, row)
      truths(symbol) = truth == Truth.True
      isKnown = truth == Truth.True || truth == Truth.False
      symbol += 1
    }
    isKnown
  }

  private def read(): Unit = {
    work.add(symbols.toLong)
    if (limit != null) expire()
    val next = spare
    next.clear()
    groups.values.forEach { group =>
      work.add(group.runs + 1L)
      begin()
      group.positions.foreach(advance)
      if (isAccepted) group.accept(row)
      move(group, next)
    }
    begin()
    advance(automaton.start)
    val own = new StartRuns(Arrays.copyOf(list, listSize))
    own.add(row, 1, if (isAccepted) row else StartRuns.NoMatch)
    move(own, next)
    spare = groups
    groups = next
    row += 1
  }

  /** Ends the attempts whose limits end before the row. */
  private def expire(): Unit = {
    while (alive < row && limit.isBeyond(alive, row)) alive += 1
    groups.values.forEach { group =>
      if (group.first < alive) {
        val accepts = group.positions.exists(automaton.accepts(_, Automaton.Always))
        while (!group.isEmpty && group.first < alive) {
          val end = if (accepts || timeOuts) row else group.firstEnd
          if (end != StartRuns.NoMatch) matched.put(group.first, end)
          group.dropFirst()
        }
      }
    }
    groups.values.removeIf(_.isEmpty)
  }

  private def begin(): Unit = {
    stamp += 1
    listSize = 0
    isAccepted = false
  }

  /** Adds the positions that a thread moves to with the row, unless a better one has ended. */
  private def advance(state: Int): Unit = {
    var edge = automaton.firstEdge(state)
    val end = automaton.endEdge(state)
    while (!isAccepted && edge < end) {
      val guard = automaton.guard(edge)
      val holds = guard == Automaton.Always || (guard == Automaton.AtStart && row == 0)
      val target = automaton.target(edge)
      if (holds) {
        if (target == Automaton.Accept) isAccepted = true
        else if (stamps(target) != stamp && truths(automaton.symbolOf(target))) {
          stamps(target) = stamp
          if (automaton.firstEdge(target) < automaton.endEdge(target)) {
            list(listSize) = target
            listSize += 1
          }
        }
      }
      edge += 1
    }
  }

  /** Merges start rows with those whose threads are now at the same positions, or ends them. */
  private def move(group: StartRuns, next: HashMap[PositionList, StartRuns]): Unit = {
    val ends = listSize > 0 && automaton.prefersAccept(list(0), atStart = false)
    if (ends) group.accept(row + 1)
    if (ends || listSize == 0) {
      while (!group.isEmpty) {
        if (group.firstEnd != StartRuns.NoMatch) matched.put(group.first, group.firstEnd)
        group.dropFirst()
      }
    } else {
      val positions = Arrays.copyOf(list, listSize)
      val key = new PositionList(positions)
      val present = next.get(key)
      if (present != null && present.first < group.first) present.take(group)
      else {
        group.positions = positions
        if (present != null) group.take(present)
        next.put(key, group)
      }
    }
  }
}

private[matcher] object SharedStarts {
  // Results of `readTo`.
  final val Read = 0
  final val Untestable = 1
  final val NoMemory = 2

  private final val RowsBetweenCounts = 256

  /** An entry of the map. */
  private final val MatchBytes = 96L

  /** A list of positions as a key. */
  private final class PositionList(val positions: Array[Int]) {
    override def hashCode: Int = Arrays.hashCode(positions)
    override def equals(other: Any): Boolean = other match {
      case that: PositionList => Arrays.equals(positions, that.positions)
      case _ => false
    }
  }
}
