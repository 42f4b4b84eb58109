package io.matchrecognize.analysis

import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.QuerySuite

/** Keys that are constants, and windows of time as keys. */
class KeyChecksSuite extends QuerySuite {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql(
        "SELECT id % 2 AS g, id AS k, timestamp_seconds(id * 100) AS ts FROM range(12, 0, -1, 1)"
      )
      .createOrReplaceTempView("key_input")
  }

  private def query(keys: String): String =
    s"SELECT * FROM key_input MATCH_RECOGNIZE ($keys MEASURES count(*) AS n, FIRST(k) AS f PATTERN (A+))"

  private def condition(sql: String): String =
    intercept[AnalysisException](rows(sql)).getCondition

  private val refused = "MATCH_RECOGNIZE_INVALID_EXPRESSION.CONSTANT_KEY"

  test("a string or an integer as a key is refused, wherever the clause is") {
    val text = query("ORDER BY 'k'")
    Seq(
      text,
      query("ORDER BY 2L DESC"),
      query("ORDER BY k, r'x'"),
      s"SELECT (SELECT max(n) FROM ($text))",
      s"WITH c AS ($text) SELECT * FROM c",
      s"FROM key_input |> MATCH_RECOGNIZE (ORDER BY 1 MEASURES 1 AS x PATTERN (A))",
      s"CREATE OR REPLACE TEMPORARY VIEW constant_key AS $text",
      query("ORDER BY k").replace("AS f", "AS f, MATCH_ROWTIME() AS r").replace("BY k", "BY 'k'")
    ).foreach(sql => assert(condition(sql) == refused, sql))
  }

  test("a constant that is not written as one is allowed") {
    assert(rows(query("ORDER BY k")) == Seq(Row(12L, 1L)))
    assert(
      spark.sql(query("ORDER BY :p, k"), Map("p" -> "k")).collect().toSeq == Seq(Row(12L, 1L))
    )
    assert(spark.sql(query("ORDER BY ?, k"), Array(2)).collect().toSeq == Seq(Row(12L, 1L)))
    spark.sql("DECLARE OR REPLACE VARIABLE key_text STRING DEFAULT 'k'")
    try assert(rows(query("PARTITION BY key_text ORDER BY k")) == Seq(Row(12L, 1L)))
    finally spark.sql("DROP TEMPORARY VARIABLE key_text")
    assert(rows(query("PARTITION BY 1 + 1, NULL ORDER BY k")) == Seq(Row(12L, 1L)))
    val inlined = s"SELECT l.* FROM (SELECT 8 AS c), LATERAL (${query("ORDER BY k % c, k")}) l"
    assert(rows(inlined) == Seq(Row(12L, 8L)))
  }

  test("double quotes that delimit names") {
    withConf(
      "spark.sql.ansi.enabled" -> "true",
      "spark.sql.ansi.doubleQuotedIdentifiers" -> "true"
    ) {
      assert(rows(query("""PARTITION BY "g" ORDER BY "k"""")).map(_.get(1)).toSet == Set(6L))
      assert(condition(query("ORDER BY 'k'")) == refused)
    }
  }

  test("a row pattern window takes constants, as Spark's windows do") {
    val frame = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A+)"
    val counts = rows(
      s"SELECT count(*) OVER (PARTITION BY 'x' ORDER BY k, 2 $frame) FROM key_input"
    )
    assert(counts.map(_.getLong(0)).max == 12)
  }

  test("tumbling windows and sessions that are merged are keys") {
    assert(rows(query("PARTITION BY window(ts, '5 minutes') ORDER BY k")).length == 5)
    val sessions = "(SELECT session_window, g, count(*) AS k FROM key_input GROUP BY g, " +
      "session_window(ts, '5 minutes'))"
    val merged = query("PARTITION BY session_window ORDER BY k")
    assert(rows(merged.replace("key_input", sessions)).length == 2)
    assert(rows(merged.replace("key_input", s"(SELECT * FROM $sessions WHERE k > 1)")).length == 2)
    val renamed = "PARTITION BY session_window AS w ORDER BY k"
    assert(rows(query(renamed).replace("key_input", sessions)).length == 2)
    assert(
      condition(query("ORDER BY session_window(ts, '5 minutes'), k")) ==
        "MATCH_RECOGNIZE_UNSUPPORTED.SESSION_WINDOW"
    )
  }

  test("a variable named PATTERN") {
    def run(pattern: String) = rows(
      s"SELECT * FROM key_input MATCH_RECOGNIZE (ORDER BY k MEASURES count(*) AS n PATTERN $pattern)"
    )
    assert(run("(PATTERN (A B)) DEFINE PATTERN AS k = 1") == Seq(Row(3L)))
    assert(run("(`PATTERN` (A B))").length == 4)
    assert(run("(PATTERN A)").length == 6)
    assert(run("(A PATTERN (B C))").length == 3)
  }
}
