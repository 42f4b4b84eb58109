package io.matchrecognize.analysis

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.TemporaryViewRelation
import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.{Interpreted, Minor}

/** Keys that are constants, and windows of time as keys. */
class KeyChecksSuite extends Interpreted {
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
  }

  test("a constant with a name or within an expression is allowed, and no key is evaluated") {
    Seq(
      "PARTITION BY 'EU' AS region ORDER BY k",
      "PARTITION BY 7 AS year, 'EU' region ORDER BY k"
    ).foreach(keys => assert(rows(query(keys)).map(_.get(0)).toSet.size == 1, keys))
    Seq(
      "PARTITION BY '2024-01-01'::date ORDER BY k",
      "PARTITION BY 'a' || CAST(NULL AS STRING) ORDER BY k",
      "PARTITION BY 'a' || 'b', ('x'), (1), 'a' 'b' ORDER BY k",
      "PARTITION BY DATE '2024-01-01' ORDER BY k"
    ).foreach(keys => assert(rows(query(keys)) == Seq(Row(12L, 1L)), keys))
    withConf("spark.sql.ansi.enabled" -> "true") {
      // Of the execution, as without the clause.
      spark.sql(query("PARTITION BY 'a' + 1 ORDER BY k")).queryExecution.assertAnalyzed()
    }
  }

  if (!Minor.has("4.1")) test("Spark has no parameters in views") {
    val text = query("PARTITION BY :p ORDER BY k")
    val e = intercept[AnalysisException](
      spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW of_marker AS $text", Map("p" -> "x"))
    )
    assert(e.getCondition == "UNSUPPORTED_FEATURE.PARAMETER_MARKER_IN_UNEXPECTED_STATEMENT")
  }
  else
    test("a parameter of a view, a script or CACHE TABLE is not a constant of the text") {
      val text = query("PARTITION BY :p, lower(:p) ORDER BY :n DESC, k")
      val named = Map[String, Any]("p" -> "x", "n" -> 2)
      def answer(sql: String) = assert(rows(sql) == Seq(Row(12L, 1L)), sql)
      try {
        spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW of_marker AS $text", named)
        answer("SELECT * FROM of_marker")
        val places = query("PARTITION BY ? ORDER BY ?, k")
        spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW of_marker AS $places", Array[Any]("x", 2))
        answer("SELECT * FROM of_marker")
        val inside = s"SELECT * FROM ($text) WHERE EXISTS ($text)"
        spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW of_marker AS $inside", named)
        answer("SELECT * FROM of_marker")
        spark.sql(s"CACHE TABLE cached_marker AS $text", named)
        answer("SELECT * FROM cached_marker")
        // Other places of the clause take a literal only.
        val types = query("PARTITION BY CAST(1 AS DECIMAL(10, :n)), :p 'y' ORDER BY k")
        spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW of_marker AS $types", named)
        answer("SELECT * FROM of_marker")
        spark.sql(
          s"EXECUTE IMMEDIATE 'CREATE OR REPLACE TEMPORARY VIEW of_marker AS $text' " +
            "USING 'x' AS p, 2 AS n"
        )
        answer("SELECT * FROM of_marker")
        val script = s"BEGIN CREATE OR REPLACE TEMPORARY VIEW of_marker AS $text; $text; END"
        assert(spark.sql(script, named).collect().toSeq == Seq(Row(12L, 1L)))
        val e = intercept[AnalysisException](
          spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW v AS ${text.replace(":n", "2")}", named)
        )
        assert(e.getCondition == refused)
      } finally {
        spark.sql("DROP VIEW IF EXISTS of_marker")
        spark.sql("DROP VIEW IF EXISTS cached_marker"): Unit
      }
    }

  test("a view stays readable whose text has a constant") {
    val catalog = spark.sessionState.catalog
    spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW older AS ${query("ORDER BY k")}")
    try {
      val view = catalog.getTempViewOrPermanentTableMetadata(TableIdentifier("older"))
      val text = view.viewText.get.replace("BY k", "BY 'x', k")
      val older = TemporaryViewRelation(view.copy(viewText = Some(text)))
      catalog.createTempView("older", older, overrideIfExists = true)
      assert(rows("SELECT * FROM older") == Seq(Row(12L, 1L)))
    } finally spark.sql("DROP VIEW older"): Unit
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

  test("windows of time are refused as keys, and are keys if a subquery has them") {
    Seq(
      "PARTITION BY window(ts, '5 minutes') ORDER BY k",
      "PARTITION BY g, window(ts, '5 minutes', '1 minute') AS w ORDER BY k",
      "PARTITION BY Window(ts, '5 minutes').start ORDER BY k",
      "PARTITION BY date(builtin.window(ts, '1 day').end) ORDER BY k",
      "PARTITION BY g ORDER BY window(ts, '5 minutes'), k"
    ).foreach(keys => assert(condition(query(keys)).endsWith("UNSUPPORTED.TIME_WINDOW"), keys))
    Seq("session_window(ts, '5 minutes').start", "date(session_window(ts, '5 minutes').end)")
      .foreach { key =>
        val refused = condition(query(s"PARTITION BY $key ORDER BY k"))
        assert(refused.endsWith("UNSUPPORTED.SESSION_WINDOW"), key)
      }
    val windows = "(SELECT *, window(ts, '5 minutes') AS w FROM key_input)"
    Seq("w", "w.start", "w AS x").foreach { key =>
      val keyed = query(s"PARTITION BY $key ORDER BY k").replace("key_input", windows)
      assert(rows(keyed).length == 5, key)
    }
    val time = query("PARTITION BY window_time(w) ORDER BY k").replace("key_input", windows)
    assert(condition(time).endsWith("UNSUPPORTED.TIME_WINDOW"))
  }

  test("sessions that are merged are keys") {
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
