package io.matchrecognize.pattern

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import io.matchrecognize.pattern.RowPattern._

/**
 * Compiles a normalised row pattern to a `PatternProgram`.
 *
 * Quantifiers: copies below the lower bound are mandatory and may map no row; from the copy that
 * meets the lower bound onwards an iteration that maps no row ends the loop and counts as satisfied
 * (ISO 19075-5, 7.2.8). The last mandatory copy of an unbounded quantifier is the loop itself.
 *
 * PERMUTE means the alternation of all permutations in lexicographic order, so a choice inside an
 * element is decided after the permutation. While all elements placed so far are rigid (one path
 * only) there is no such choice, and permutations of the same placed elements share their rest: k
 * variables need k * 2^(k-1) positions. After an element with choices each order of the rest is
 * written out; equal rests are shared.
 */
private[pattern] final class PatternCompiler(
    symbolOf: String => Int,
    maxPositions: Int,
    maxInstructions: Int
) {
  import PatternCompiler._
  import PatternProgram._

  private val program = new PatternProgram

  // What is still to do, the innermost part on top: the thread's stack does not grow with the
  // pattern's depth.
  private val pending = mutable.Stack.empty[Iterator[Step]]

  def compile(pattern: RowPattern): PatternProgram = {
    emit(pattern, 0, excluded = false)
    while (pending.nonEmpty) if (pending.top.hasNext) pending.top.next()() else pending.pop()
    program.emit(Accept)
    program
  }

  /** Emits a pattern or leaves it to `pending`, so that it must be the last call of a step. */
  private def emit(pattern: RowPattern, depth: Int, excluded: Boolean): Unit = {
    PatternTooLarge.check(PatternTooLarge.Instructions, program.size + 1L, maxInstructions)
    pattern match {
      case Variable(name) =>
        PatternTooLarge.check(PatternTooLarge.Positions, program.positions + 1L, maxPositions)
        program.emitRow(symbolOf(name), excluded)
      case Concatenation(elements) =>
        pending.push(elements.iterator.map(element => () => emit(element, depth, excluded)))
      case Alternation(branches) => pending.push(alternation(branches, depth, excluded))
      case quantified: Quantified => pending.push(quantifier(quantified, depth, excluded))
      case Permutation(elements) =>
        pending.push(permutation(elements.toIndexedSeq, depth, excluded))
      case Exclusion(element) => emit(element, depth, excluded = true)
      case StartAnchor => program.emit(AtStart)
      case EndAnchor => program.emit(AtEnd)
      case Empty =>
    }
  }

  private def alternation(
      branches: Seq[RowPattern],
      depth: Int,
      excluded: Boolean
  ): Iterator[Step] = {
    val exit = new Target
    val entries = branches.map(_ => new Target)
    program.emit(Split(entries.toArray))
    entries.iterator.zip(branches).flatMap { case (entry, branch) =>
      Iterator[Step](
        () => {
          program.place(entry)
          emit(branch, depth, excluded)
        },
        () => program.emit(Jump(exit))
      )
    } ++ Iterator(() => program.place(exit))
  }

  private def quantifier(quantified: Quantified, depth: Int, excluded: Boolean): Iterator[Step] = {
    val Quantified(body, lower, upper, greedy) = quantified
    val exit = new Target
    val nullable = RowPatternAnalysis.isNullable(body)

    def choose(again: Target): Unit =
      program.emit(Split(if (greedy) Array(again, exit) else Array(exit, again)))

    def chooseEntry(): Unit = {
      val entry = new Target
      choose(entry)
      program.place(entry)
    }

    def mandatory: Step = () => emit(body, depth, excluded)

    /** One iteration that meets or exceeds the lower bound. */
    def iteration: Iterator[Step] =
      if (!nullable) Iterator(mandatory)
      else
        Iterator(
          () => {
            program.emit(Enter(depth))
            emit(body, depth + 1, excluded)
          },
          () => program.emit(Leave(depth, exit))
        )

    val again = new Target
    val last = upper match {
      case None if lower == 0 =>
        Iterator[Step](() => program.place(again), () => chooseEntry()) ++ iteration ++
          Iterator[Step](() => program.emit(Jump(again)))
      case None =>
        Iterator[Step](() => program.place(again)) ++ iteration ++
          Iterator[Step](() => choose(again))
      case Some(most) =>
        lower.max(1).to(most).iterator.flatMap { copy =>
          (if (copy > lower) Iterator[Step](() => chooseEntry()) else Iterator.empty) ++
            (if (copy < most) iteration else Iterator(mandatory))
        }
    }
    Iterator.fill(lower - 1)(mandatory) ++ last ++ Iterator(() => program.place(exit))
  }

  private def permutation(
      elements: IndexedSeq[RowPattern],
      depth: Int,
      excluded: Boolean
  ): Iterator[Step] = {
    PatternTooLarge.check(
      PatternTooLarge.PermuteElements,
      elements.size.toLong,
      PatternTooLarge.MaxPermuteElements
    )
    val rigid = elements.map(RowPatternAnalysis.isRigid)
    // Each order takes a target and usually a position: count them before building.
    def checkOrders(count: Long, targets: Int): Unit =
      PatternTooLarge.check(PatternTooLarge.Positions, count + targets, maxPositions)
    val exit = new Target
    val targets = mutable.HashMap.empty[Rest, Target]
    val unplaced = mutable.Queue.empty[Rest]

    def targetOf(rest: Rest): Target =
      if (rest.elements.isEmpty) exit
      else
        targets.getOrElseUpdate(
          rest, {
            unplaced.enqueue(rest)
            new Target
          }
        )

    def jump(rest: Rest): Step = () => program.emit(Jump(targetOf(rest)))

    def place(rest: Rest): Iterator[Step] = rest.elements match {
      case first :: others if rest.ordered =>
        Iterator(() => emit(elements(first), depth, excluded), jump(Rest(others, others.nonEmpty)))
      case remaining =>
        val blocks = mutable.ArrayBuffer.empty[(Int, Target)]
        val entries = remaining.flatMap { element =>
          val others = remaining.filter(_ != element)
          if (rigid(element)) {
            blocks += element -> new Target
            List(blocks.last._2)
          } else {
            checkOrders((1 to others.size).foldLeft(1L)(_ * _), targets.size)
            others.permutations.map(order => targetOf(Rest(element :: order, ordered = true)))
          }
        }
        program.emit(Split(entries.toArray))
        blocks.iterator.flatMap { case (element, entry) =>
          Iterator[Step](
            () => {
              program.place(entry)
              emit(elements(element), depth, excluded)
            },
            jump(Rest(remaining.filter(_ != element), ordered = false))
          )
        }
    }

    val all = Rest(elements.indices.toList, ordered = false)
    program.emit(Jump(targetOf(all)))
    Iterator.continually(unplaced).takeWhile(_.nonEmpty).flatMap { rests =>
      val rest = rests.dequeue()
      program.place(targets(rest))
      place(rest)
    } ++ Iterator(() => program.place(exit))
  }
}

private object PatternCompiler {

  type Step = () => Unit

  /** The elements of a PERMUTE that are still to be placed; in any order or in the given one. */
  final case class Rest(elements: List[Int], ordered: Boolean)
}

/**
 * A row pattern as a program whose order of choices is the preferment: bounded quantifiers and
 * PERMUTE are written out, and each `Row` instruction is one position of the automaton.
 *
 * Loops whose body may map no row are bracketed by `Enter` and `Leave`. Both carry the number of
 * such loops around them, so that a walk needs to remember only one number: the outermost loop that
 * it has entered since the last row. All loops inside it were entered later.
 */
private[pattern] final class PatternProgram {
  import PatternProgram._

  private val instructions = ArrayBuffer.empty[Instruction]
  private var rows = 0

  def size: Int = instructions.size
  def positions: Int = rows
  def apply(pc: Int): Instruction = instructions(pc)

  def emit(instruction: Instruction): Unit = instructions += instruction

  /** Emits the next position. */
  def emitRow(symbol: Int, excluded: Boolean): Unit = {
    emit(Row(rows, symbol, excluded))
    rows += 1
  }

  /** Jumps to the target lead to the next instruction. */
  def place(target: Target): Unit = target.pc = size
}

private[pattern] object PatternProgram {

  /** The index of an instruction, known once it has been placed. */
  final class Target { var pc: Int = -1 }

  sealed trait Instruction
  final case class Row(position: Int, symbol: Int, excluded: Boolean) extends Instruction
  final case class Jump(to: Target) extends Instruction

  /** Continues at one of the choices, most preferred first. */
  final case class Split(choices: Array[Target]) extends Instruction

  /** @param depth the number of enclosing loops */
  final case class Enter(depth: Int) extends Instruction

  /** @param exit where an iteration that mapped no row continues, after the loop */
  final case class Leave(depth: Int, exit: Target) extends Instruction
  case object AtStart extends Instruction
  case object AtEnd extends Instruction
  case object Accept extends Instruction
}

/**
 * A row pattern is larger than its caller allows.
 *
 * @param kind
 *   what there is too much of, a constant of the companion
 * @param size
 *   how many there are; for kinds that are counted while building, the count at which building
 *   stopped
 */
final class PatternTooLarge(val kind: String, val size: Long, val limit: Long)
    extends RuntimeException(s"The row pattern has $size $kind, the limit is $limit.")

object PatternTooLarge {

  /** Occurrences of variables after bounded quantifiers and PERMUTE are written out. */
  final val Positions = "positions"
  final val PermuteElements = "elements in one PERMUTE"

  /** Ten elements have 3,628,800 orders. */
  final val MaxPermuteElements = 10

  /** Pairs of positions that may follow each other. */
  final val Edges = "edges"

  /** Instructions of the pattern's program, including those that map no row. */
  final val Instructions = "instructions"

  def check(kind: String, size: Long, limit: Int): Unit =
    if (size > limit) throw new PatternTooLarge(kind, size, limit.toLong)
}
