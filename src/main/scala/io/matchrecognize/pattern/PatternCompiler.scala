package io.matchrecognize.pattern

import scala.collection.mutable

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
    maxPermuteElements: Int,
    maxInstructions: Int
) {
  import PatternCompiler.Rest
  import PatternProgram._

  private val program = new PatternProgram

  def compile(pattern: RowPattern): PatternProgram = {
    emit(pattern, 0, excluded = false)
    program.emit(Accept)
    program
  }

  // Loops without closures from here to `emitQuantified`: deep patterns take half as much stack.
  private def emit(pattern: RowPattern, depth: Int, excluded: Boolean): Unit = {
    PatternTooLarge.check(PatternTooLarge.Instructions, program.size + 1L, maxInstructions)
    pattern match {
      case Variable(name) =>
        PatternTooLarge.check(PatternTooLarge.Positions, program.positions + 1L, maxPositions)
        program.emitRow(symbolOf(name), excluded)
      case Concatenation(elements) =>
        val parts = elements.iterator
        while (parts.hasNext) emit(parts.next(), depth, excluded)
      case Alternation(branches) => emitAlternation(branches, depth, excluded)
      case quantified: Quantified => emitQuantified(quantified, depth, excluded)
      case Permutation(elements) => emitPermutation(elements.toIndexedSeq, depth, excluded)
      case Exclusion(element) => emit(element, depth, excluded = true)
      case StartAnchor => program.emit(AtStart)
      case EndAnchor => program.emit(AtEnd)
      case Empty =>
    }
  }

  private def emitAlternation(branches: Seq[RowPattern], depth: Int, excluded: Boolean): Unit = {
    val exit = new Target
    val entries = branches.map(_ => new Target)
    program.emit(Split(entries.toArray))
    val parts = entries.iterator.zip(branches)
    while (parts.hasNext) {
      val (entry, branch) = parts.next()
      program.place(entry)
      emit(branch, depth, excluded)
      program.emit(Jump(exit))
    }
    program.place(exit)
  }

  private def emitQuantified(quantified: Quantified, depth: Int, excluded: Boolean): Unit = {
    val Quantified(body, lower, upper, greedy) = quantified
    val exit = new Target
    val nullable = RowPatternAnalysis.isNullable(body)

    def choose(again: Target): Unit =
      program.emit(Split(if (greedy) Array(again, exit) else Array(exit, again)))

    /** One iteration that meets or exceeds the lower bound. */
    def iterate(): Unit = if (nullable) {
      program.emit(Enter(depth))
      emit(body, depth + 1, excluded)
      program.emit(Leave(depth, exit))
    } else {
      emit(body, depth, excluded)
    }

    (1 until lower).foreach(_ => emit(body, depth, excluded))
    val again = new Target
    upper match {
      case None if lower == 0 =>
        val entry = new Target
        program.place(again)
        choose(entry)
        program.place(entry)
        iterate()
        program.emit(Jump(again))
      case None =>
        program.place(again)
        iterate()
        choose(again)
      case Some(last) =>
        var copy = lower.max(1)
        while (copy <= last) {
          if (copy > lower) {
            val entry = new Target
            choose(entry)
            program.place(entry)
          }
          if (copy < last) iterate() else emit(body, depth, excluded)
          copy += 1
        }
    }
    program.place(exit)
  }

  private def emitPermutation(
      elements: IndexedSeq[RowPattern],
      depth: Int,
      excluded: Boolean
  ): Unit = {
    PatternTooLarge.check(PatternTooLarge.PermuteElements, elements.size.toLong, maxPermuteElements)
    val rigid = elements.map(RowPatternAnalysis.isRigid)
    // Each order takes a target and usually a position: count them before building.
    def checkOrders(count: Long, targets: Int): Unit =
      PatternTooLarge.check(PatternTooLarge.Positions, count + targets, maxPositions)
    val exit = new Target
    val targets = mutable.HashMap.empty[Rest, Target]
    val pending = mutable.Queue.empty[Rest]

    def targetOf(rest: Rest): Target =
      if (rest.elements.isEmpty) exit
      else
        targets.getOrElseUpdate(
          rest, {
            pending.enqueue(rest)
            new Target
          }
        )

    def place(rest: Rest): Unit = rest.elements match {
      case first :: others if rest.ordered =>
        emit(elements(first), depth, excluded)
        program.emit(Jump(targetOf(Rest(others, others.nonEmpty))))
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
        blocks.foreach { case (element, entry) =>
          program.place(entry)
          emit(elements(element), depth, excluded)
          val others = remaining.filter(_ != element)
          program.emit(Jump(targetOf(Rest(others, ordered = false))))
        }
    }

    val all = Rest(elements.indices.toList, ordered = false)
    program.emit(Jump(targetOf(all)))
    while (pending.nonEmpty) {
      val rest = pending.dequeue()
      program.place(targets(rest))
      place(rest)
    }
    program.place(exit)
  }
}

private object PatternCompiler {

  /** The elements of a PERMUTE that are still to be placed; in any order or in the given one. */
  final case class Rest(elements: List[Int], ordered: Boolean)
}
