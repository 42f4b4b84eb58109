package io.matchrecognize.execution.compile

import io.matchrecognize.execution.condition.ConditionsProgram
import io.matchrecognize.execution.pointer.{PointerBase, PointerProgram}
import io.matchrecognize.pattern.Automaton

/**
 * The frame of a row pattern window, beyond which no condition reads, and which conditions depend
 * on where it begins or ends.
 *
 * A condition that reads `n` rows back depends on the beginning only if its variable may be mapped
 * to one of the first `n` rows of a match: in `A B+` with `PREV(x)` in B it never is.
 *
 * @param rows
 *   how many rows follow the current row, None if all
 * @param before
 *   for each symbol how far its condition reads before the frame at most; 0 if it never does
 * @param after
 *   for each symbol how far its condition reads after the tested row if the frame is bounded
 */
final case class FrameProgram(rows: Option[Long], before: Array[Int], after: Array[Int]) {

  /** How many rows of a frame have truths that depend on its beginning. */
  val reach: Int = before.maxOption.getOrElse(0)

  val dependsOnFrame: Boolean = before.exists(_ > 0) || after.exists(_ > 0)

  def isDependent(symbol: Int): Boolean =
    dependsOnFrame && (before(symbol) > 0 || after(symbol) > 0)

  /**
   * Whether the truth of a condition on a row is another one in the frame than in the partition.
   */
  def isLimited(symbol: Int, row: Long, first: Long, end: Long): Boolean =
    before(symbol) > 0 && first > 0 && row - before(symbol) < first ||
      after(symbol) > 0 && row + after(symbol) >= end
}

object FrameProgram {

  /** MATCH_RECOGNIZE: everything is in the partition. */
  val none: FrameProgram = FrameProgram(None, Array.empty, Array.empty)

  def of(automaton: Automaton, conditions: ConditionsProgram, rows: Option[Long]): FrameProgram = {
    val pointers = conditions.bySymbol.map(_.toSeq.flatMap(_.pointers))
    FrameProgram(
      rows,
      pointers.zip(automaton.fewestBefore).map { case (own, depth) =>
        def isInMatch(p: PointerProgram) = p.base == PointerBase.Current && -p.physical <= depth
        farthest(own.filterNot(isInMatch).map(-_.physical))
      },
      pointers.map(own => if (rows.isEmpty) 0 else farthest(own.map(_.physical)))
    )
  }

  private def farthest(distances: Seq[Int]): Int = distances.foldLeft(0)(_ max _)
}
