package io.matchrecognize.pattern

import java.util.Arrays

import scala.collection.mutable

/**
 * Builds the Glushkov automaton of a program: walks it from each state, depth first in order of
 * preference, and collects the edges met.
 *
 * The rest of a walk depends on the instruction, on the outermost loop entered since the last row
 * (an iteration that ends there has mapped no row) and on the guard passed. A second visit with the
 * same three would meet the same edges again, all of them less preferred, so it is dropped.
 */
private[pattern] final class AutomatonBuilder(
    symbols: IndexedSeq[String],
    program: PatternProgram,
    maxEdges: Int
) {
  import AutomatonBuilder._
  import PatternProgram._

  private val positions = program.positions
  private val edgeStarts = new Array[Int](positions + 2)
  private val edgeTargets = new mutable.ArrayBuilder.ofInt
  private val edgeGuards = new mutable.ArrayBuilder.ofByte

  // For each position, and last for Accept: the last state whose walk met it.
  private val metUnguarded = Array.fill(positions + 1)(-1)
  private val metGuarded = Array.fill(positions + 1)(-1)

  // Visits of the current walk: the first one of each instruction, and all others.
  private val firstWalks = Array.fill(program.size)(-1)
  private val firstPoints = new Array[Long](program.size)
  private var visited = mutable.HashSet.empty[Long]
  private var stack = new Array[Long](64)
  private var stacked = 0

  def build(): Automaton = {
    val rows = new Array[Row](positions)
    (0 until program.size).foreach { pc =>
      program(pc) match {
        case row: Row =>
          rows(row.position) = row
          edgeStarts(row.position) = edgeTargets.length
          walk(row.position, pc + 1)
        case _ =>
      }
    }
    edgeStarts(positions) = edgeTargets.length
    walk(positions, 0)
    edgeStarts(positions + 1) = edgeTargets.length
    new Automaton(
      symbols,
      rows.map(_.symbol),
      rows.map(_.excluded),
      edgeStarts,
      edgeTargets.result(),
      edgeGuards.result()
    )
  }

  private def walk(state: Int, entry: Int): Unit = {
    val atStart = state == positions
    // A new set, because clearing one that has grown costs as much as its size.
    if (visited.nonEmpty) visited = mutable.HashSet.empty
    stacked = 0
    push(entry, NoLoop, guarded = false)
    while (stacked > 0) {
      stacked -= 1
      val point = stack(stacked)
      if (visit(state, point)) execute(state, atStart, point)
    }
  }

  /** False if the walk has been there. */
  private def visit(state: Int, point: Long): Boolean = {
    val pc = (point >>> 32).toInt
    if (firstWalks(pc) != state) {
      firstWalks(pc) = state
      firstPoints(pc) = point
      true
    } else firstPoints(pc) != point && visited.add(point)
  }

  private def execute(state: Int, atStart: Boolean, point: Long): Unit = {
    val pc = (point >>> 32).toInt
    val loop = (point >>> 1).toInt & NoLoop
    val guarded = (point & 1) != 0
    program(pc) match {
      case Row(position, _, _) => if (atStart || !guarded) addEdge(state, position, guarded)
      case Accept => addEdge(state, Automaton.Accept, guarded)
      case Jump(to) => push(to.pc, loop, guarded)
      case Split(choices) => choices.reverseIterator.foreach(to => push(to.pc, loop, guarded))
      case Enter(depth) => push(pc + 1, loop.min(depth), guarded)
      case Leave(depth, exit) =>
        if (loop > depth) push(pc + 1, loop, guarded)
        else push(exit.pc, if (loop == depth) NoLoop else loop, guarded)
      case AtStart => if (atStart) push(pc + 1, loop, guarded = true)
      // At the start of an attempt a row follows, so the start state has no guard but `^`.
      case AtEnd => if (!atStart) push(pc + 1, loop, guarded = true)
    }
  }

  private def push(pc: Int, loop: Int, guarded: Boolean): Unit = {
    if (stacked == stack.length) stack = Arrays.copyOf(stack, stacked * 2)
    stack(stacked) = (pc.toLong << 32) | (loop.toLong << 1) | (if (guarded) 1L else 0L)
    stacked += 1
  }

  private def addEdge(state: Int, target: Int, guarded: Boolean): Unit = {
    val place = if (target == Automaton.Accept) positions else target
    val known =
      metUnguarded(place) == state || (guarded && metGuarded(place) == state)
    if (!known) {
      PatternTooLarge.check(PatternTooLarge.Edges, edgeTargets.length + 1L, maxEdges)
      val guard =
        if (!guarded) Automaton.Always
        else if (state == positions) Automaton.AtStart
        else Automaton.AtEnd
      edgeTargets.addOne(target)
      edgeGuards.addOne(guard.toByte)
      if (guarded) metGuarded(place) = state
      else {
        metUnguarded(place) = state
        // Edges after an unguarded Accept are never taken.
        if (target == Automaton.Accept) stacked = 0
      }
    }
  }
}

object AutomatonBuilder {
  final val DefaultMaxPositions = 200000
  private final val MaxEdges = 4000000

  /** The automaton of a pattern, which is built for the first that asks under this limit. */
  def of(pattern: RowPattern, maxPositions: Int): Automaton =
    pattern.built match {
      case Some((automaton, `maxPositions`)) => automaton
      case _ =>
        val automaton = AutomatonBuilder(pattern, maxPositions)
        pattern.built = Some(automaton -> maxPositions)
        automaton
    }

  /**
   * Builds the automaton of a pattern, in which each variable has one spelling.
   *
   * @throws PatternTooLarge
   *   a limit is exceeded
   */
  def apply(pattern: RowPattern, maxPositions: Int = DefaultMaxPositions): Automaton = {
    val normal = RowPatternNormalizer.normalize(pattern)
    val symbols = RowPatternAnalysis.variables(pattern, identity)
    val maxInstructions = (maxPositions.toLong * 16 + 1000).min(Int.MaxValue.toLong).toInt
    val compiler = new PatternCompiler(symbols.zipWithIndex.toMap, maxPositions, maxInstructions)
    new AutomatonBuilder(symbols, compiler.compile(normal), MaxEdges).build()
  }

  /** No loop has been entered since the last row. */
  private final val NoLoop = 0x7fffffff
}
