package io.matchrecognize.pattern

import scala.collection.immutable.ArraySeq
import scala.collection.mutable

/**
 * The Glushkov position automaton of a row pattern, its edges in the order of preference.
 *
 * A position is one occurrence of a variable after bounded quantifiers and PERMUTE are written out.
 * A state is a position (its row has just been mapped) or the start state, whose number is the
 * number of positions. Each state has an ordered list of edges, most preferred first, each to a
 * position or to `Automaton.Accept`, which maps no row.
 *
 * Invariants:
 *
 *   - no state has two edges with the same target and guard, an edge after a more preferred one
 *     with the same target and a weaker guard, or one after an unguarded Accept
 *   - only edges of the start state are guarded by `^`: after a row it cannot hold
 *   - only Accept edges of positions are guarded by `$`: before a row it cannot hold
 *   - a position may have no edges (it was followed by `^`, or by `$` and a variable)
 */
final class Automaton private[pattern] (
    val symbols: IndexedSeq[String],
    positionSymbols: Array[Int],
    positionExcluded: Array[Boolean],
    edgeStarts: Array[Int],
    edgeTargets: Array[Int],
    edgeGuards: Array[Byte]
) extends Serializable {

  private val alike: Array[Int] = {
    val first = mutable.HashMap.empty[(ArraySeq[Int], ArraySeq[Byte]), Int]
    Array.tabulate(positions) { position =>
      val (from, end) = (firstEdge(position), endEdge(position))
      val edges = (
        ArraySeq.unsafeWrapArray(edgeTargets.slice(from, end)),
        ArraySeq.unsafeWrapArray(edgeGuards.slice(from, end))
      )
      first.getOrElseUpdate(edges, position)
    }
  }

  def positions: Int = positionSymbols.length

  def start: Int = positions

  /** The symbol of a position, an index into `symbols`. */
  def symbolOf(position: Int): Int = positionSymbols(position)

  /** Whether the rows of a position are hidden by an exclusion. */
  def excluded(position: Int): Boolean = positionExcluded(position)

  def hasExclusion: Boolean = positionExcluded.contains(true)

  def edges: Int = edgeTargets.length

  /** The first edge of a state; its edges end where those of the next state begin. */
  def firstEdge(state: Int): Int = edgeStarts(state)

  def endEdge(state: Int): Int = edgeStarts(state + 1)

  /** The first position with the same edges in the same order, as in a follow automaton. */
  def firstAlike(position: Int): Int = alike(position)

  /** The position that an edge leads to, or `Automaton.Accept`. */
  def target(edge: Int): Int = edgeTargets(edge)

  /** One of the guards of the companion. */
  def guard(edge: Int): Int = edgeGuards(edge).toInt

  /** The targets of a state's edges. */
  def targets(state: Int): Seq[Int] = (firstEdge(state) until endEdge(state)).map(target)

  /** Whether a state has an edge to Accept with a guard. */
  def accepts(state: Int, byGuard: Int): Boolean =
    (firstEdge(state) until endEdge(state)).exists { edge =>
      target(edge) == Automaton.Accept && guard(edge) == byGuard
    }

  /** Whether a thread at the state prefers ending the match to all its other paths. */
  def prefersAccept(state: Int, atStart: Boolean): Boolean = {
    val first = firstEdge(state)
    first < endEdge(state) && target(first) == Automaton.Accept &&
    (guard(first) == Automaton.Always || (atStart && guard(first) == Automaton.AtStart))
  }

  /**
   * For each symbol how many rows of a match precede its row at least; `MaxValue` if it has none.
   */
  def fewestBefore: Array[Int] = {
    val fewest = Array.fill(symbols.size)(Int.MaxValue)
    steps(_ => true).zipWithIndex.foreach { case (reached, rows) =>
      reached.filter(_ != Automaton.Accept).map(symbolOf).foreach { symbol =>
        fewest(symbol) = fewest(symbol).min(rows)
      }
    }
    fewest
  }

  /** Whether each match has a row of one of some symbols. */
  def needsOneOf(symbols: Set[Int]): Boolean =
    !steps(position => !symbols(symbolOf(position))).exists(_.contains(Automaton.Accept))

  /**
   * A search in breadth: the targets of the edges that paths take first, second and so on. Paths go
   * on from the positions that pass, from each once.
   */
  private def steps(passes: Int => Boolean): Iterator[Seq[Int]] = {
    val seen = new Array[Boolean](positions)
    Iterator.unfold(Seq(start)) { states =>
      val reached = states.flatMap(targets).distinct
      val next = reached.filter(p => p != Automaton.Accept && passes(p) && !seen(p))
      next.foreach(seen(_) = true)
      Option.when(states.nonEmpty)(reached -> next)
    }
  }
}

object Automaton {

  /** Target of the edges that end the match. */
  final val Accept = -1

  /** The edge has no guard. */
  final val Always = 0

  /** `^`: only before the first row of the partition. */
  final val AtStart = 1

  /** `$`: only after the last row of the partition. */
  final val AtEnd = 2
}
