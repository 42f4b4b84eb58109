package io.matchrecognize

import org.apache.spark.sql.{AnalysisException, Row}

/** The clause in statements that cache, describe or store a query. */
class StatementsSuite extends Interpreted {
  private val clause =
    "MATCH_RECOGNIZE (PARTITION BY K ORDER BY t MEASURES COUNT(*) AS n, LAST(b.P) AS bottom " +
      "PATTERN (A B*) DEFINE B AS p < PREV(p))"
  private val expected = Seq(Row(1, 1L, null), Row(1, 3L, 6), Row(2, 1L, null))

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(
      "CREATE TABLE falls USING parquet AS SELECT * FROM VALUES (1, 1, 10), (1, 2, 8), (1, 3, 6), " +
        "(1, 4, 9), (2, 1, 5) AS v(k, t, p)"
    )
  }

  private def sorted(sql: String): Seq[Row] =
    rows(sql).sortBy(r => (r.getInt(0), r.getLong(1), Option(r.get(2)).map(_.toString)))

  private def withObjects(drops: String*)(body: => Unit): Unit =
    try body
    finally {
      spark.sql("USE default")
      drops.foreach(d => spark.sql(s"DROP $d"))
    }

  test("a persistent view, from another database and under other confs") {
    withObjects("VIEW IF EXISTS default.outer_falls", "VIEW default.view_falls", "DATABASE aside") {
      spark.sql("CREATE DATABASE aside")
      spark.sql(s"CREATE VIEW view_falls AS SELECT * FROM falls $clause")
      spark.sql(
        "CREATE VIEW outer_falls AS SELECT k, n, bottom FROM view_falls MATCH_RECOGNIZE (" +
          "ORDER BY k, n MEASURES 1 AS one ALL ROWS PER MATCH PATTERN (A+))"
      )
      spark.sql("USE aside")
      Seq(
        Nil,
        // A view runs with the confs of its creation.
        Seq("spark.sql.caseSensitive" -> "true"),
        Seq("spark.sql.ansi.enabled" -> "false"),
        Seq("spark.sql.ansi.doubleQuotedIdentifiers" -> "true")
      ).foreach { confs =>
        withConf(confs: _*) {
          assert(sorted("SELECT * FROM default.view_falls") == expected, confs)
          assert(sorted("SELECT * FROM default.outer_falls") == expected, confs)
        }
      }
      val shown = rows("SHOW CREATE TABLE default.view_falls").head.getString(0)
      assert(shown.contains(clause), shown)
    }
  }

  test("a view made under caseSensitive keeps it") {
    withObjects("VIEW cased") {
      withConf("spark.sql.caseSensitive" -> "true") {
        spark.sql(
          "CREATE VIEW cased AS SELECT * FROM falls MATCH_RECOGNIZE (ORDER BY k, t " +
            "MEASURES COUNT(a.*) AS lower, COUNT(A.*) AS upper PATTERN (a A+) DEFINE A AS p > 0)"
        )
      }
      assert(rows("SELECT * FROM cased") == Seq(Row(1L, 4L)))
    }
  }

  test("a temporary view reads session variables when it is read; a persistent one has none") {
    spark.sql("DECLARE OR REPLACE VARIABLE at_most INT DEFAULT 9")
    val query = "SELECT * FROM falls MATCH_RECOGNIZE (ORDER BY k, t MEASURES COUNT(*) AS n " +
      "PATTERN (A+) DEFINE A AS p < at_most)"
    withObjects("VIEW below", "TEMPORARY VARIABLE at_most") {
      spark.sql(s"CREATE TEMPORARY VIEW below AS $query")
      assert(rows("SELECT * FROM below") == Seq(Row(2L), Row(1L)))
      spark.sql("SET VAR at_most = 100")
      assert(rows("SELECT * FROM below") == Seq(Row(5L)))
      val error = intercept[AnalysisException](spark.sql(s"CREATE VIEW kept_below AS $query"))
      assert(error.getCondition == "INVALID_TEMP_OBJ_REFERENCE")
    }
  }

  test("CREATE TABLE AS SELECT, INSERT, CACHE TABLE, DESCRIBE QUERY, WITH") {
    withObjects("TABLE IF EXISTS stored", "VIEW IF EXISTS cached_falls") {
      spark.sql(s"CREATE TABLE stored USING parquet AS SELECT * FROM falls $clause")
      assert(sorted("SELECT * FROM stored") == expected)
      spark.sql(s"INSERT INTO stored SELECT * FROM falls $clause")
      assert(rows("SELECT * FROM stored").length == 2 * expected.length)
      spark.sql(s"INSERT OVERWRITE stored SELECT * FROM falls $clause WHERE n > 1")
      assert(rows("SELECT * FROM stored") == Seq(Row(1, 3L, 6)))
      spark.sql(s"CACHE TABLE cached_falls AS SELECT * FROM falls $clause")
      assert(sorted("SELECT * FROM cached_falls") == expected)
      spark.sql("UNCACHE TABLE cached_falls")
      assert(
        rows(s"DESCRIBE QUERY SELECT * FROM falls $clause").map(r => (r.get(0), r.get(1))) ==
          Seq(("K", "int"), ("n", "bigint"), ("bottom", "int"))
      )
      assert(
        sorted(
          s"WITH a AS (SELECT * FROM falls $clause), b AS (SELECT * FROM a) SELECT * FROM b"
        ) == expected
      )
    }
  }
}
