package io.matchrecognize.fuzz

import io.matchrecognize.fuzz.ClauseOracle._
import io.matchrecognize.matcher.BruteForceOracle.BudgetSpent

/**
 * The output of a whole clause on a table, rows per match and skips by the rules of the standard.
 *
 * @param lenient
 *   treat a condition that fails with an error as not TRUE
 */
final class ClauseOracle(query: FuzzQuery, budget: Int, lenient: Boolean = false) {

  /** Output rows of one partition in order, or the error that the query ends with. */
  def partition(rows: IndexedSeq[FuzzRow]): Answer = {
    val oracle = new PartitionOracle(query, rows, budget, lenient = lenient)
    val isUnmatchedShown = query.rowsPerMatch.endsWith("WITH UNMATCHED ROWS")
    try {
      val outcome = oracle.search.search(
        oracle.skip,
        query.windowEnd(rows, _),
        isUnmatchedShown,
        query.showsTimeouts
      )
      outcome.error match {
        case Some(message) => Raised(condition(message))
        case None =>
          val matched = outcome.events.map(event => event.start -> oracle.output(event))
          val lone = outcome.unmatched.map(row => row -> Vector(oracle.unmatched(row)))
          Rows(query.read((matched ++ lone).sortBy(_._1).flatMap(_._2)))
      }
    } catch { case BudgetSpent | _: StackOverflowError => TooExpensive }
  }
}

object ClauseOracle {
  sealed trait Answer
  final case class Rows(rows: Vector[Seq[Any]]) extends Answer

  /** The query fails with this error condition. */
  final case class Raised(condition: String) extends Answer
  case object TooExpensive extends Answer

  /** The error condition of a failure that an oracle reports. */
  def condition(message: String): String = message.split(' ').take(2) match {
    case Array("skip", "first") => "MATCH_RECOGNIZE_SKIP_TO_FIRST_ROW"
    case Array("skip", "missing") => "MATCH_RECOGNIZE_SKIP_TO_MISSING_ROW"
    case _ => "DIVIDE_BY_ZERO"
  }
}
