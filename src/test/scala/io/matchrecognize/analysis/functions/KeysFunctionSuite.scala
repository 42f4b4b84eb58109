package io.matchrecognize.analysis.functions

import org.apache.spark.sql.Row

import io.matchrecognize.QuerySuite

/** `match_recognize_keys`: the keys of the rows that a clause reads, in columns of fixed names. */
class KeysFunctionSuite extends QuerySuite {
  private def keys(clause: String) = spark.sql(
    "SELECT * FROM match_recognize_keys(query => \"SELECT * FROM VALUES ('a', '9', 1D, 'x'), " +
      "('a', NULL, 2D, 'y') AS t(`a``{g}`, s, v, text) MATCH_RECOGNIZE (" +
      clause.replace("PATTERN", "MEASURES COUNT(*) AS n PATTERN") + ")\")"
  )

  private def comments(clause: String): Seq[(String, String)] =
    keys(clause).schema.map(field => field.name -> field.getComment().get)

  test("keys by number, as written in their comments, and texts that are sorted or compared") {
    val clause = "PARTITION BY `a``{g}`, v % 2 ORDER BY lower(s), v DESC PATTERN (A B) " +
      "DEFINE B AS text > A.text AND v > PREV(v) AND s = 'x'"
    assert(
      comments(clause) == Seq(
        "partition_1" -> "`a``{g}`",
        "partition_2" -> "v % 2",
        "order_1" -> "lower(s)",
        "order_2" -> "v",
        "text_1" -> "lower(s)",
        "text_2" -> "text"
      )
    )
    assert(
      keys(clause).collect().toSet ==
        Set(Row("a", 1d, "9", 1d, "9", "x"), Row("a", 0d, null, 2d, null, "y"))
    )
  }

  test("a row without columns for each row of a clause without keys") {
    assert(keys("PATTERN (A)").collect().toSeq == Seq(Row(), Row()))
  }
}
