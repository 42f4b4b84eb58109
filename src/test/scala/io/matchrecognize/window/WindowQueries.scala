package io.matchrecognize.window

import io.matchrecognize.Interpreted

/** Queries with row patterns in windows over eight prices. */
abstract class WindowQueries extends Interpreted {
  protected def prices(values: Int*): String =
    values.zipWithIndex
      .map { case (v, i) => s"(1, ${i + 1}, $v)" }
      .mkString("(VALUES ", ", ", " AS t(g, k, v))")

  protected val eight = prices(90, 80, 70, 80, 90, 50, 40, 60)

  protected def window(parts: String, skip: String = "PAST LAST ROW"): String =
    s"""PARTITION BY g ORDER BY k
       |  MEASURES FINAL LAST(v) AS last_v, CLASSIFIER() AS label, 'yes' AS matched
       |  ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
       |  AFTER MATCH SKIP $skip $parts""".stripMargin

  protected val v = "PATTERN (A B+ C+) DEFINE B AS v < PREV(v), C AS v > PREV(v)"

  protected def row(values: Any*): Seq[Any] = values

  protected def run(select: String, window: String, from: String = eight): Seq[Seq[Any]] =
    rows(s"SELECT k, $select FROM $from WINDOW w AS ($window) ORDER BY k").map(_.toSeq)
}
