package io.matchrecognize.fuzz

import io.matchrecognize.matcher.BruteForceOracle
import io.matchrecognize.matcher.BruteForceOracle._

/**
 * One partition of a clause: its search by [[BruteForceOracle]], conditions and measures by
 * [[ExpressionOracle]].
 *
 * @param open
 *   whether rows may arrive after the last one
 * @param eager
 *   whether an expression with NEXT needs all rows that it reads, even those that cannot change it
 * @param lenient
 *   treat a condition that fails with an error as not TRUE
 */
final class PartitionOracle(
    query: FuzzQuery,
    rows: IndexedSeq[FuzzRow],
    budget: Int,
    open: Boolean = false,
    eager: Boolean = false,
    lenient: Boolean = false
) {
  private val conditions = query.conditions.toMap

  val search =
    new BruteForceOracle(query.pattern, rows.size, holds, budget.max(rows.size * 100))

  val skip: Skip = (query.skip.kind, query.skip.variable.map(query.members)) match {
    case ("PAST LAST ROW", _) => PastLast
    case ("TO NEXT ROW", _) => ToNext
    case ("TO FIRST", Some(names)) => ToFirstOf(names)
    case (_, Some(names)) => ToLastOf(names)
    case other => throw new IllegalStateException(other.toString)
  }

  private def expressions(start: Int, labels: IndexedSeq[String], current: Int, number: Long) =
    new ExpressionOracle(rows, start, labels, current, number, query.members, open)

  private def holds(start: Int, labels: Vector[String], number: Long): Boolean = {
    if (labels.size > PartitionOracle.LongestPath) throw BudgetSpent
    conditions.get(labels.last).forall { condition =>
      val values = expressions(start, labels, start + labels.size - 1, number)
      if (eager) values.requireRows(condition)
      try values.isTrue(condition)
      catch { case Failure(_) if lenient => false }
    }
  }

  /** Output rows of a match or of a path that timed out. */
  def output(event: Event): Vector[Seq[Any]] = {
    val labels = event.path.map(_.label)
    def row(shown: Int, current: Int) = {
      val values = expressions(event.start, labels, current, event.number)
      if (eager) query.measures.foreach(values.requireRows)
      query.output(rows(shown), query.measures.map(values.value))
    }
    if (query.oneRow) Vector(row(event.start, event.start + labels.size - 1))
    else if (labels.isEmpty && query.rowsPerMatch.endsWith("OMIT EMPTY MATCHES")) Vector.empty
    else if (labels.isEmpty) Vector(row(event.start, event.start - 1))
    else
      labels.indices.toVector
        .filterNot(event.path(_).excluded)
        .map(offset => row(event.start + offset, event.start + offset))
  }

  /** The output row of an unmatched row. */
  def unmatched(row: Int): Seq[Any] = query.output(rows(row), query.measures.map(_ => null))
}

object PartitionOracle {

  /** Each expression walks the path again, for each of its rows. */
  private val LongestPath = 100
}
