package io.matchrecognize.analysis

import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.Interpreted

/**
 * Columns of the outer query in a clause: parameters of SQL functions and other constants of
 * Projects are taken, all others are refused.
 */
class OuterConstantsSuite extends Interpreted {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql("SELECT id AS ts, id % 10 AS v FROM range(20)").createOrReplaceTempView("const_input")
    spark.sql("SELECT * FROM VALUES (1), (2) AS y(k)").createOrReplaceTempView("const_keys")
  }

  private def clause(bound: String): String =
    s"const_input MATCH_RECOGNIZE (ORDER BY ts MEASURES v AS m PATTERN (A) DEFINE A AS v >= $bound)"

  test("constants of Projects, from one to the next") {
    val outer = spark.range(1).selectExpr("8 AS c", "id")
    val count = s"(SELECT count(*) FROM ${clause("c")}) AS n"
    assert(outer.selectExpr(count).collect().toSeq == Seq(Row(4L)))
    assert(outer.selectExpr("c + 1 AS c", "id").selectExpr("c", count).head() == Row(9, 2L))
    val error = intercept[AnalysisException](outer.selectExpr("c + id AS c").selectExpr(count))
    assert(error.getCondition == refused)
  }

  private val refused = "MATCH_RECOGNIZE_UNSUPPORTED.OUTER_REFERENCE"

  test("a constant of any other operator is refused, by LATERAL and in a scalar subquery") {
    Seq(
      "(SELECT 8 AS c) AS o",
      "(SELECT * FROM (SELECT 8 AS c, 1 AS d) WHERE d = 1) AS o",
      "(SELECT 8 AS c FROM const_keys GROUP BY k HAVING k = 1) AS o",
      "(SELECT x.* FROM (SELECT 8 AS c, 1 AS k) x JOIN const_keys y ON x.k = y.k) AS o",
      "(SELECT x.c FROM const_keys y LEFT JOIN (SELECT 8 AS c, 1 AS k) x ON x.k = y.k) AS o",
      "(SELECT c FROM (SELECT 8 AS c, 1 AS k) x, LATERAL (SELECT x.k + 1)) AS o",
      "(SELECT 8 AS c EXCEPT SELECT 1) AS o",
      "(SELECT 1 AS c UNION ALL SELECT 8 AS c) AS o",
      "(SELECT c FROM (SELECT 1 AS c, 2 AS d) UNPIVOT (c FOR n IN (c, d))) AS o",
      "(SELECT c FROM (SELECT 1 AS c, 2 AS d) GROUP BY ROLLUP (c)) AS o",
      "(SELECT c FROM (SELECT 1 AS k) LATERAL VIEW explode(array(8)) e AS c) AS o",
      "(WITH q AS (SELECT 8 AS c) SELECT c FROM q) AS o"
    ).foreach { outer =>
      Seq(
        s"SELECT c, n FROM $outer, LATERAL (SELECT count(*) AS n FROM ${clause("o.c")})",
        s"SELECT c, (SELECT count(*) FROM ${clause("coalesce(o.c, 1)")}) AS n FROM $outer"
      ).foreach { sql =>
        assert(intercept[AnalysisException](rows(sql)).getCondition == refused, sql)
      }
    }
  }

  test("a key that some groups of the outer query lack is refused") {
    val greatest = "(SELECT max(m) FROM const_input MATCH_RECOGNIZE (" +
      "ORDER BY ts MEASURES coalesce(c, 9) AS m PATTERN (A)))"
    Seq(
      s"SELECT c, $greatest FROM (SELECT 8 AS c) GROUP BY ROLLUP (c)",
      // Spark resolves these over the input of the groups.
      s"SELECT c FROM (SELECT 8 AS c) GROUP BY ROLLUP (c) HAVING $greatest = 8",
      s"SELECT c, count(*) FROM (SELECT 8 AS c) GROUP BY CUBE (c) HAVING 8 = $greatest"
    ).foreach { sql =>
      assert(intercept[AnalysisException](rows(sql)).getCondition == refused, sql)
    }
    val frame = spark.range(1).selectExpr("8 AS c").rollup("c")
    val error =
      intercept[AnalysisException](frame.agg(org.apache.spark.sql.functions.expr(greatest)))
    assert(error.getCondition == refused)
  }

  test("parts of a clause: WITHIN, measures and keys") {
    Seq(
      "ORDER BY ts MEASURES count(*) AS n PATTERN (A+) WITHIN c" -> 9L,
      "ORDER BY ts MEASURES c AS n PATTERN (A+)" -> 8L,
      "PARTITION BY ts % c ORDER BY ts MEASURES count(*) AS n PATTERN (A+)" -> 3L
    ).foreach { case (parts, value) =>
      try {
        spark.sql(
          "CREATE OR REPLACE TEMPORARY FUNCTION parts_of(c INT) RETURNS TABLE(n BIGINT) RETURN " +
            s"SELECT max(n) FROM const_input MATCH_RECOGNIZE ($parts)"
        )
        assert(rows("SELECT n FROM parts_of(8)") == Seq(Row(value)), parts)
        assert(rows("SELECT n FROM parts_of(4 + 4)") == Seq(Row(value)), parts)
        val error = intercept[AnalysisException](
          rows("SELECT n FROM const_keys, LATERAL parts_of(k)")
        )
        // A bound that is not constant has its own condition.
        assert(error.getCondition.startsWith("MATCH_RECOGNIZE_"), parts)
      } finally spark.sql("DROP TEMPORARY FUNCTION IF EXISTS parts_of")
    }
  }

  private def function(parameter: String, bound: String): String =
    s"CREATE OR REPLACE TEMPORARY FUNCTION within_p(p INT $parameter) RETURNS TABLE(n BIGINT) " +
      "RETURN SELECT count(*) FROM const_input MATCH_RECOGNIZE (ORDER BY ts " +
      s"MEASURES count(*) AS n PATTERN (A+) WITHIN $bound)"

  test("a parameter of a function: without a default, with one, with NULL for a value") {
    try {
      spark.sql(function("", "p"))
      assert(rows("SELECT n FROM within_p(9)") == Seq(Row(2L)))
      spark.sql(function("DEFAULT 3", "p"))
      assert(rows("SELECT n FROM within_p()") == Seq(Row(5L)))
      val called = intercept[AnalysisException](rows("SELECT n FROM within_p(NULL)"))
      assert(called.getCondition == "MATCH_RECOGNIZE_INVALID_WITHIN.BOUND")
      // A call without the argument would fail, so the function is not created.
      val created = intercept[AnalysisException](spark.sql(function("DEFAULT NULL", "p")))
      assert(created.getCondition == called.getCondition)
      spark.sql(function("DEFAULT NULL", "coalesce(p, 3)"))
      assert(rows("SELECT n FROM within_p()") == Seq(Row(5L)))
    } finally spark.sql("DROP TEMPORARY FUNCTION IF EXISTS within_p")
  }
}
