package io.matchrecognize.fuzz

import io.matchrecognize.fuzz.ClauseOracle._
import io.matchrecognize.matcher.BruteForceOracle
import io.matchrecognize.matcher.BruteForceOracle._

/**
 * The output of a whole clause: the search by [[BruteForceOracle]], conditions and measures by
 * [[ExpressionOracle]], rows per match and skips by the rules of the standard.
 *
 * @param lenient
 *   take a condition that fails for one that is not TRUE
 */
final class ClauseOracle(query: FuzzQuery, budget: Int, lenient: Boolean = false) {

  /** Output rows of one partition in order, or the error that the query ends with. */
  def partition(rows: IndexedSeq[FuzzRow]): Answer = {
    val conditions = query.conditions.toMap
    def expressions(start: Int, labels: IndexedSeq[String], current: Int, number: Long) =
      new ExpressionOracle(rows, start, labels, current, number, query.members)
    def holds(start: Int, labels: Vector[String], number: Long): Boolean = {
      if (labels.size > LongestPath) throw BudgetSpent
      conditions.get(labels.last).forall { condition =>
        val values = expressions(start, labels, start + labels.size - 1, number)
        try values.isTrue(condition)
        catch { case Failure(_) if lenient => false }
      }
    }
    val search = new BruteForceOracle(query.pattern, rows.size, holds, budget.max(rows.size * 100))
    val isUnmatchedShown = query.rowsPerMatch.endsWith("WITH UNMATCHED ROWS")
    try {
      val outcome =
        search.search(skip, query.windowEnd(rows, _), isUnmatchedShown, query.showsTimeouts)
      outcome.error match {
        case Some(message) => Raised(condition(message))
        case None =>
          val matched = outcome.events.map { event =>
            val labels = event.path.map(_.label)
            def row(shown: Int, current: Int) = {
              val values = expressions(event.start, labels, current, event.number)
              query.output(rows(shown), query.measures.map(values.value))
            }
            event.start -> (
              if (query.oneRow) Vector(row(event.start, event.start + labels.size - 1))
              else if (labels.isEmpty && query.rowsPerMatch.endsWith("OMIT EMPTY MATCHES"))
                Vector.empty
              else if (labels.isEmpty) Vector(row(event.start, event.start - 1))
              else
                labels.indices.toVector
                  .filterNot(event.path(_).excluded)
                  .map(offset => row(event.start + offset, event.start + offset))
            )
          }
          val lone = outcome.unmatched.map { row =>
            row -> Vector(query.output(rows(row), query.measures.map(_ => null)))
          }
          Rows(query.read((matched ++ lone).sortBy(_._1).flatMap(_._2)))
      }
    } catch { case BudgetSpent | _: StackOverflowError => TooExpensive }
  }

  private def skip: Skip = (query.skip.kind, query.skip.variable.map(query.members)) match {
    case ("PAST LAST ROW", _) => PastLast
    case ("TO NEXT ROW", _) => ToNext
    case ("TO FIRST", Some(names)) => ToFirstOf(names)
    case (_, Some(names)) => ToLastOf(names)
    case other => throw new IllegalStateException(other.toString)
  }

  private def condition(message: String): String = message.split(' ').take(2) match {
    case Array("skip", "first") => "MATCH_RECOGNIZE_SKIP_TO_FIRST_ROW"
    case Array("skip", "missing") => "MATCH_RECOGNIZE_SKIP_TO_MISSING_ROW"
    case _ => "DIVIDE_BY_ZERO"
  }
}

object ClauseOracle {

  /** Each expression walks the path again, for each of its rows. */
  private val LongestPath = 100

  sealed trait Answer
  final case class Rows(rows: Vector[Seq[Any]]) extends Answer

  /** The query fails with this error condition. */
  final case class Raised(condition: String) extends Answer
  case object TooExpensive extends Answer
}
