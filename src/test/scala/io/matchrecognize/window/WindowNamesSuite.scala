package io.matchrecognize.window

import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.{Interpreted, Sampled}

/**
 * One name for windows of several queries, of which some have a row pattern: each query sees its
 * own, as the same statement with different names shows.
 */
class WindowNamesSuite extends Interpreted {
  private val pattern = "(PARTITION BY k ORDER BY ts ROWS BETWEEN CURRENT ROW AND UNBOUNDED " +
    "FOLLOWING PATTERN (A+) DEFINE A AS v > 3)"
  private val other = pattern.replace("v > 3", "v > 6")
  private val plain = "(PARTITION BY k)"
  private val ordered = "(PARTITION BY k ORDER BY ts)"

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("SELECT id % 3 AS k, id AS ts, id * 7 % 10 AS v FROM range(30)")
      .createOrReplaceTempView("named_input")
  }

  /**
   * Statements of two queries; INNER and OUTER are their windows, `i` and `o` the names of these.
   */
  private val statements = Seq(
    """SELECT k, ts, s, count(*) OVER o AS n FROM
      |  (SELECT k, ts, v, sum(v) OVER i AS s FROM named_input WINDOW i AS INNER)
      |  WINDOW o AS OUTER""",
    """SELECT k, ts, s, count(*) OVER o AS n FROM
      |  (SELECT k, ts, v, sum(v) OVER i AS s FROM named_input ORDER BY ts WINDOW i AS INNER) AS d
      |  ORDER BY k WINDOW o AS OUTER""",
    """WITH c AS (SELECT k, ts, v, sum(v) OVER i AS s FROM named_input WINDOW i AS INNER)
      |SELECT k, ts, s, count(*) OVER o AS n FROM c WINDOW o AS OUTER""",
    """SELECT k, ts, s, count(*) OVER o AS n FROM (
      |  WITH c AS (SELECT k, ts, v, sum(v) OVER i AS s FROM named_input WINDOW i AS INNER)
      |  SELECT * FROM c) WINDOW o AS OUTER""",
    """SELECT k, ts, s, count(*) OVER o AS n FROM (WITH c AS (SELECT * FROM named_input)
      |  SELECT k, ts, v, sum(v) OVER i AS s FROM c WINDOW i AS INNER) WINDOW o AS OUTER""",
    """SELECT a.k, a.ts, s, count(*) OVER o AS n FROM named_input AS a JOIN
      |  (SELECT ts AS t, sum(v) OVER i AS s FROM named_input WINDOW i AS INNER) ON ts = t
      |  WINDOW o AS OUTER""",
    """SELECT k, ts, s, count(*) OVER o AS n FROM (
      |  SELECT k, ts, v, sum(v) OVER i AS s FROM named_input WINDOW i AS INNER
      |  UNION ALL SELECT k, ts, v, 0 FROM named_input) WINDOW o AS OUTER""",
    """SELECT k, ts, (SELECT sum(s) FROM (SELECT sum(v) OVER i AS s FROM named_input
      |  WINDOW i AS INNER)) AS s, count(*) OVER o AS n FROM named_input WINDOW o AS OUTER""",
    """SELECT k, ts, 1 AS s, count(*) OVER o AS n FROM named_input WHERE ts IN (
      |  SELECT sum(v) OVER i AS s FROM named_input WINDOW i AS INNER) WINDOW o AS OUTER""",
    """SELECT a.k, a.ts, s, count(*) OVER o AS n FROM named_input AS a, LATERAL (
      |  SELECT max(s) AS s FROM (SELECT sum(v) OVER i AS s FROM named_input WINDOW i AS INNER))
      |  WINDOW o AS OUTER""",
    """FROM named_input |> SELECT k, ts, v, sum(v) OVER i AS s WINDOW i AS INNER
      |  |> SELECT k, ts, s, count(*) OVER o AS n WINDOW o AS OUTER""",
    """SELECT k, ts, s, count(*) OVER o AS n FROM (FROM named_input
      |  |> SELECT k, ts, v, sum(v) OVER i AS s WINDOW i AS INNER) WINDOW o AS OUTER""",
    """SELECT k, ts, s, count(*) OVER o AS n FROM (SELECT *, sum(v) OVER i AS s FROM named_input
      |  MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts ALL ROWS PER MATCH PATTERN (A B)
      |  DEFINE B AS v > PREV(v)) WINDOW i AS INNER) WINDOW o AS OUTER""",
    """SELECT k, ts, s, count(*) OVER o AS n FROM (SELECT k, ts, v, sum(v) OVER i AS s FROM
      |  (SELECT k, ts, v, count(*) OVER i AS c FROM named_input WINDOW i AS INNER)
      |  WINDOW i AS (PARTITION BY v)) WINDOW o AS OUTER"""
  ).map(_.stripMargin)

  private val windows = Seq(
    plain -> pattern,
    ordered -> pattern,
    pattern -> plain,
    pattern -> ordered,
    other -> pattern
  )

  private def named(statement: String, inner: String, outer: String): String =
    statement.replaceAll("\\bi\\b", inner).replaceAll("\\bo\\b", outer)

  private def answer(sql: String): Seq[String] = rows(sql).map(_.toString).sorted

  test("an inner window and an outer one of the same name", Slow) {
    for {
      (statement, i) <- statements.zipWithIndex
      ((inner, outer), j) <- windows.zipWithIndex
      // Pattern above ordinary window always, the others in turn.
      if j == 0 || (i + j) % 4 == 0
    } {
      val sql = statement.replace("INNER", inner).replace("OUTER", outer)
      val expected = answer(named(sql, "w1", "w2"))
      assert(answer(named(sql, "w", "w")) == expected, named(sql, "w", "w"))
    }
  }

  test("a view and a SQL function with a window of the name") {
    spark.sql(
      "CREATE OR REPLACE TEMPORARY VIEW named_view AS SELECT k, ts, v, sum(v) OVER w AS s " +
        s"FROM named_input WINDOW w AS $plain"
    )
    def query(name: String) =
      s"SELECT k, ts, s, count(*) OVER $name AS n FROM named_view WINDOW $name AS $pattern"
    assert(answer(query("w")) == answer(query("w2")))
  }

  test("a stage of a pipe sees its own windows only") {
    val error = intercept[AnalysisException](
      spark.sql(
        "FROM named_input |> SELECT k, ts, v, sum(v) OVER w AS s " +
          s"|> SELECT k, count(*) OVER w AS n WINDOW w AS $pattern"
      )
    )
    assert(error.getCondition == "MISSING_WINDOW_SPECIFICATION")
  }

  test("an ordinary window of the name has Spark's name of its column") {
    val inner = s"(SELECT k, ts, v, sum(v) OVER w FROM named_input WINDOW w AS $plain)"
    val expected = spark.sql(s"SELECT * FROM $inner").columns.toSeq
    val found = spark.sql(s"SELECT d.*, count(*) OVER w FROM $inner AS d WINDOW w AS $pattern")
    assert(found.columns.toSeq == expected :+ "count(*) OVER w")
    assert(found.head() != Row.empty)
  }

  test("the name of a column without an alias is its text without comments") {
    def names(items: String, window: String) =
      spark.sql(s"SELECT $items FROM named_input WINDOW w AS $window").columns.toSeq
    val items = "sum( v ) /* of\n(all) */ OVER -- by name\n  w, 'a  -- b' || /* c */ max(ts) OVER w"
    assert(names(items, pattern) == Seq("sum( v ) OVER w", "'a  -- b' || max(ts) OVER w"))
    val inline = s"count(*) OVER ${pattern.replace("PATTERN (A+)", "PATTERN/**/(A /* B */ +)")}"
    assert(names(inline, plain) == Seq(s"count(*) OVER ${pattern.replace("(A+)", "(A +)")}"))
    val measures = pattern.replace("ROWS", "MEASURES LAST(v) AS m ROWS")
    assert(names("m /* 1 */ OVER w, 1 + m /* 2 */ OVER w", measures) == Seq("m", "1 + m OVER w"))
  }

  test("an alias or a sample before a clause, in a statement with a row pattern window", Slow) {
    val clause =
      "MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES count(*) AS n, FIRST(v) AS v " +
        "PATTERN (A B+) DEFINE B AS v > PREV(v))"
    val measured = "(PARTITION BY k ORDER BY n, v MEASURES MAX(n) AS most " +
      "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A+) DEFINE A AS v > 3)"
    val statements = Seq(
      s"SELECT k, n FROM named_input INPUT $clause WINDOW w AS $measured",
      s"SELECT k, most OVER w AS most FROM named_input INPUT $clause WINDOW w AS $measured",
      s"SELECT k, most OVER $measured AS most FROM named_input INPUT $clause AS x",
      s"WITH c AS (SELECT * FROM named_input INPUT $clause) " +
        s"SELECT k, most OVER w AS most, sum(n) OVER w AS s FROM c WINDOW w AS $measured",
      s"SELECT k, count(*) OVER (w) AS s FROM (SELECT * FROM named_input INPUT $clause) AS x " +
        s"WINDOW w AS $measured"
    )
    // Some of these names are words of Spark's, as x is in X'1F'.
    val inputs = Seq("x", "AS day", "TABLESAMPLE (100 PERCENT) AS x")
    statements.foreach { statement =>
      val expected = answer(statement.replace("INPUT ", ""))
      assert(expected.nonEmpty)
      inputs.foreach { input =>
        assert(answer(statement.replace("INPUT", input)) == expected, s"$input in $statement")
      }
    }
  }

  test("a relation that a subquery in WITH reads again") {
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW named_again AS SELECT * FROM named_input")
    val others = "WITH c AS (SELECT * FROM named_input AS x (a, b, d) " +
      "WHERE NOT EXISTS (SELECT 1 FROM named_again WHERE v = d + 20)) "
    val queries = Seq(
      s"SELECT k, v, count(*) OVER w AS n FROM named_input WINDOW w AS $pattern",
      s"SELECT k, (SELECT max(d) FROM named_input AS x (a, b, d) WHERE a = named_input.k) AS m, " +
        s"count(*) OVER w AS n FROM named_input WINDOW w AS $pattern",
      s"SELECT k, count(*) OVER w AS n, sum(v) OVER u AS s FROM named_input " +
        s"WINDOW w AS $pattern, u AS $other"
    )
    Sampled.oneIn(3, queries).foreach { query =>
      val expected = answer(query)
      assert(answer(others + query) == expected, query)
      assert(
        answer(s"$others SELECT q.* FROM ($query) AS q JOIN (SELECT max(a) FROM c)") == expected
      )
    }
  }
}
