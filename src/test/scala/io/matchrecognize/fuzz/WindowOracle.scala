package io.matchrecognize.fuzz

import io.matchrecognize.matcher.BruteForceOracle._

/**
 * The output of a row pattern window: the frame of a row is a partition of its own, which is
 * searched from its first row (INITIAL) or from each of its rows (SEEK).
 *
 * @param query
 *   with ONE ROW PER MATCH
 * @param after
 *   how many rows of a frame follow the current row, None if all
 */
final class WindowOracle(query: FuzzQuery, isSeek: Boolean, after: Option[Int], budget: Int) {
  import WindowOracle._

  /** The rows of a partition in order, None if it is too expensive or ends in an error. */
  def partition(rows: IndexedSeq[FuzzRow]): Option[Vector[Seq[Any]]] =
    try {
      var next = 0
      Some(rows.indices.toVector.map { row =>
        val end = after.fold(rows.size)(n => (row + n + 1).min(rows.size))
        val frame = rows.slice(row, end)
        val oracle = new PartitionOracle(query, frame, budget)
        val starts = if (row < next) Nil else if (isSeek) frame.indices else Seq(0)
        val found = starts.iterator
          .map(start => start -> oracle.search.attempt(start, frame.size, 1))
          .collectFirst { case (start, Found(path)) => Event("match", start, path, 1) }
        found.foreach { event =>
          val labels = event.path.map(_.label)
          next =
            if (labels.isEmpty || oracle.skip == ToNext) row + 1
            else row + oracle.search.resume(oracle.skip, event.start, labels)
        }
        val measures = found.fold(query.measures.map(_ => null: Any)) { event =>
          oracle.output(event).head.drop(query.clauseColumns.indexOf("m0"))
        }
        val reduced = found.fold(IndexedSeq.empty[FuzzRow]) { event =>
          frame.slice(event.start, event.start + event.path.size)
        }
        Seq(rows(row)("g"), rows(row)("k")) ++ measures ++ Functions.map(_._2(reduced))
      })
    } catch { case BudgetSpent | _: Failure | _: SkipError | _: StackOverflowError => None }
}

object WindowOracle {
  private def values(rows: Seq[FuzzRow]): Seq[Long] =
    rows.map(_.v).collect { case v: Long => v }

  /** Functions over the reduced frame. */
  val Functions: Seq[(String, Seq[FuzzRow] => Any)] = Seq(
    "count(*)" -> (_.size.toLong),
    "sum(v)" -> (rows => if (values(rows).isEmpty) null else values(rows).sum),
    "first_value(k)" -> (_.headOption.map(_.k).orNull),
    "last_value(v)" -> (_.lastOption.map(_.v).orNull),
    "nth_value(k, 2)" -> (_.lift(1).map(_.k).orNull),
    "count(DISTINCT v) FILTER (WHERE k > 2)" ->
      (rows => values(rows.filter(_.k > 2)).distinct.size.toLong),
    "max(v)" -> (rows => values(rows).maxOption.orNull)
  )
}
