package io.matchrecognize.streaming.task

import io.matchrecognize.execution.compile.ClauseProgram
import io.matchrecognize.execution.pointer.{PointerBase, PointerProgram}
import io.matchrecognize.plans.PatternClause

/**
 * What a clause has in addition over a stream.
 *
 * @param lookBack
 *   rows before a start row that PREV may read
 * @param endless
 *   what makes a partition with nothing open leave state, forever, see [[UnboundedStateCheck]]
 * @param isBounded
 *   whether the watermark ends all attempts
 */
final case class StreamedClause(lookBack: Int, endless: Seq[String], isBounded: Boolean) {

  /** Whether a partition is remembered once it has had a match. */
  val numbersMatches: Boolean = endless.contains(UnboundedStateCheck.MatchNumbers)
}

object StreamedClause {
  def of(clause: PatternClause, program: ClauseProgram): StreamedClause = {
    val lookBack = rowsBefore(program)
    StreamedClause(
      lookBack,
      UnboundedStateCheck.endless(clause, lookBack),
      program.within.isDefined || program.conditions.deadlines.exists(_.endsAll)
    )
  }

  /** Rows before a start row that a clause may read. */
  private def rowsBefore(clause: ClauseProgram): Int = {
    val inMeasures = clause.measures.pointers.map(rowsBefore(_, 0))
    val inConditions = clause.conditions.bySymbol.zip(clause.automaton.fewestBefore).flatMap {
      case (condition, fewest) => condition.toSeq.flatMap(_.pointers.map(rowsBefore(_, fewest)))
    }
    (inMeasures ++ inConditions).maxOption.getOrElse(0)
  }

  /**
   * How far before a match a row reads that follows `fewest` rows of the match at least: a row of a
   * variable that no match has follows Int.MaxValue of them.
   */
  private def rowsBefore(pointer: PointerProgram, fewest: Int): Int = {
    val within = pointer.base match {
      case PointerBase.BeforeLast(offset, _) => (fewest - offset).max(0)
      case PointerBase.AfterFirst(offset, _) => offset
      case PointerBase.Register(_, _) => 0
    }
    (-pointer.physical.toLong - within).max(0L).min(Int.MaxValue).toInt
  }
}
