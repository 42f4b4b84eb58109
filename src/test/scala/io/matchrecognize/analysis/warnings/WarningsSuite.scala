package io.matchrecognize.analysis.warnings

import io.matchrecognize.Interpreted

/** Queries, and the sentences that `match_recognize_warnings` says of them. */
abstract class WarningsSuite extends Interpreted {

  protected def warnings(sql: String, hasData: Boolean): Seq[String] = {
    val text = sql.replace("\\", "\\\\").replace("'", "\\'")
    rows(s"SELECT * FROM match_recognize_warnings(query => '$text', data => $hasData)")
      .map(_.getString(0))
  }

  /** A view of rows. */
  protected def view(name: String, columns: String, values: String*): Unit =
    spark
      .sql(s"SELECT * FROM VALUES ${values.map(row => s"($row)").mkString(", ")} AS t($columns)")
      .createOrReplaceTempView(name)

  protected def check(
      input: String,
      clause: String,
      hasData: Boolean = true
  )(expected: String*): Unit = {
    val measures = if (clause.contains("MEASURES")) "" else "MEASURES COUNT(*) AS n "
    val sql = s"SELECT * FROM $input MATCH_RECOGNIZE (" +
      clause.replaceFirst("PATTERN", s"${measures}PATTERN") + ")"
    assert(warnings(sql, hasData) == expected)
  }
}
