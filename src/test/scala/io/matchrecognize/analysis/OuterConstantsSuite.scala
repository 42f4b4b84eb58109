package io.matchrecognize.analysis

import scala.util.{Failure, Random, Success, Try}

import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.tagobjects.Slow

import io.matchrecognize.Interpreted
import io.matchrecognize.Sampled

/**
 * Columns of the outer query in a clause: taken as constants only if every row of the outer query
 * has their value.
 */
class OuterConstantsSuite extends Interpreted {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql("SELECT id AS ts, id % 10 AS v FROM range(20)").createOrReplaceTempView("const_input")
    spark.sql("SELECT * FROM VALUES (1), (2) AS y(k)").createOrReplaceTempView("const_keys")
  }

  private def clause(bound: String): String =
    s"const_input MATCH_RECOGNIZE (ORDER BY ts MEASURES v AS m PATTERN (A) DEFINE A AS v >= $bound)"

  /** The outer value and the number of matches, by LATERAL and by a scalar subquery. */
  private def counts(outer: String, column: String, bound: String): Seq[Seq[Row]] = Seq(
    s"SELECT $column, n FROM $outer, LATERAL (SELECT count(*) AS n FROM ${clause(bound)})",
    s"SELECT $column, (SELECT count(*) FROM ${clause(bound)}) AS n FROM $outer"
  ).map(sql => rows(s"$sql ORDER BY 1"))

  private val expected = Seq(Row(8, 4L))

  test("a column with one value, through operators that keep it") {
    Seq(
      "(SELECT 8 AS c) AS o",
      "(SELECT * FROM (SELECT 8 AS c, 1 AS d) WHERE d = 1) AS o",
      "(SELECT DISTINCT c FROM (SELECT 8 AS c) ORDER BY c LIMIT 1) AS o",
      "(SELECT 8) AS o(c)",
      "(SELECT b AS c FROM (SELECT 8 AS b)) AS o",
      "(SELECT 8 AS c FROM const_keys GROUP BY k HAVING k = 1) AS o",
      "(SELECT x.* FROM (SELECT 8 AS c, 1 AS k) x JOIN const_keys y ON x.k = y.k) AS o",
      "(SELECT x.* FROM (SELECT 8 AS c, 1 AS k) x LEFT JOIN const_keys y ON x.k = y.k) AS o",
      "(SELECT x.* FROM const_keys y RIGHT JOIN (SELECT 8 AS c, 1 AS k) x ON x.k = y.k) AS o",
      "(SELECT x.* FROM (SELECT 8 AS c, 1 AS k) x LEFT SEMI JOIN const_keys y ON x.k = y.k) AS o",
      "(SELECT x.* FROM (SELECT 8 AS c, 3 AS k) x LEFT ANTI JOIN const_keys y ON x.k = y.k) AS o",
      "(SELECT c FROM (SELECT 8 AS c, 1 AS k) x, LATERAL (SELECT x.k + 1)) AS o"
    ).foreach(outer => assert(counts(outer, "c", "o.c") == Seq(expected, expected), outer))
  }

  test("hints, windows, generators and other operators that keep the rows", Slow) {
    spark.sql(
      "CREATE OR REPLACE TEMPORARY VIEW const_view AS WITH q AS (SELECT 8 AS b) SELECT b AS c FROM q"
    )
    Seq(
      "(SELECT /*+ REPARTITION(1) */ 8 AS c) AS o",
      "(SELECT /*+ REPARTITION(2, c) */ c FROM (SELECT 8 AS c)) AS o",
      "(SELECT /*+ REBALANCE */ 8 AS c) AS o",
      "(SELECT /*+ BROADCAST(x) */ x.c FROM (SELECT 8 AS c, 1 AS k) x JOIN const_keys USING (k)) AS o",
      "(SELECT 8 AS c, row_number() OVER (ORDER BY k) AS r FROM const_keys WHERE k = 1) AS o",
      "(SELECT c, max(c) OVER () AS m FROM (SELECT 8 AS c)) AS o",
      "(SELECT c FROM (SELECT 8 AS c) LATERAL VIEW explode(array(1)) e AS y) AS o",
      "(SELECT c FROM (SELECT 8 AS c) LATERAL VIEW OUTER explode(array()) e AS y) AS o",
      "(SELECT c FROM (SELECT 8 AS c) DISTRIBUTE BY c SORT BY c) AS o",
      "(SELECT c FROM (SELECT 8 AS c) ORDER BY c LIMIT 1 OFFSET 0) AS o",
      "(SELECT c FROM (SELECT 8 AS c) TABLESAMPLE (100 PERCENT)) AS o",
      "(SELECT 8 AS c EXCEPT SELECT 1) AS o",
      "(SELECT 8 AS c INTERSECT SELECT 8) AS o",
      "(SELECT 8 AS c |> WHERE c > 1 |> LIMIT 1) AS o",
      "const_view AS o"
    ).foreach(outer => assert(counts(outer, "c", "o.c") == Seq(expected, expected), outer))
  }

  test("a DataFrame as the outer query") {
    val outer = spark
      .sql("SELECT 8 AS c, timestamp_seconds(id) AS at FROM range(1)")
      .withWatermark("at", "1 second")
      .dropDuplicates("c")
      .repartition(1)
      .hint("broadcast")
      .observe("seen", org.apache.spark.sql.functions.expr("count(*)"))
    outer.createOrReplaceTempView("const_frame")
    assert(counts("const_frame", "c", "c") == Seq(expected, expected))
  }

  test("a column that an operator makes is refused") {
    Seq(
      "(SELECT c FROM (SELECT 1 AS k) LATERAL VIEW explode(array(8)) e AS c)",
      "(SELECT max(k) OVER () AS c FROM const_keys)"
    ).foreach { outer =>
      val error = intercept[AnalysisException](counts(s"$outer AS o", "c", "o.c"))
      assert(error.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED.OUTER_REFERENCE", outer)
    }
  }

  test("a column with one value in some rows only is refused") {
    def refused(outer: String, bound: String): Unit = {
      val error = intercept[AnalysisException](counts(outer, "c", bound))
      assert(error.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED.OUTER_REFERENCE", outer)
    }
    Seq(
      "(SELECT 1 AS c UNION ALL SELECT 8 AS c) AS o",
      "(SELECT 1 AS c UNION SELECT 8 AS c) AS o",
      "(SELECT * FROM (SELECT 1 AS c UNION ALL SELECT 8 AS c) WHERE c > 0) AS o",
      "(SELECT /*+ REPARTITION(1) */ * FROM (SELECT 1 AS c UNION ALL SELECT 8 AS c)) AS o",
      "(SELECT c FROM (SELECT 1 AS c, 2 AS d) UNPIVOT (c FOR n IN (c, d))) AS o",
      "(SELECT c FROM (SELECT 1 AS c, 2 AS d) GROUP BY ROLLUP (c)) AS o"
    ).foreach(refused(_, "o.c"))
    for { join <- Seq("LEFT", "FULL"); bound <- Seq("o.c", "coalesce(o.c, 1)", "ifnull(c, 1)") }
      refused(
        s"(SELECT x.c FROM const_keys y $join JOIN (SELECT 8 AS c, 1 AS k) x ON x.k = y.k) AS o",
        bound
      )
    refused(
      "(SELECT x.c FROM (SELECT 8 AS c, 1 AS k) x RIGHT JOIN const_keys y ON x.k = y.k) AS o",
      "o.c"
    )
  }

  private val greatest =
    "(SELECT max(m) FROM const_input MATCH_RECOGNIZE (ORDER BY ts MEASURES coalesce(c, 9) AS m PATTERN (A)))"

  test("a column is named as what Spark puts in place of HAVING") {
    assert(rows(s"SELECT $greatest AS fake FROM (SELECT 8 AS c)") == Seq(Row(8)))
  }

  test("a key that some groups of the outer query lack is refused") {
    def groups(by: String, expression: String = "c") =
      s"SELECT c, (SELECT count(*) FROM ${clause(s"coalesce($expression, 1)")}) AS n " +
        s"FROM (SELECT 8 AS c, 2 AS d) GROUP BY $by"
    assert(rows(groups("c")) == expected)
    assert(rows(groups("c, d")) == expected)
    Seq(
      groups("ROLLUP (c)"),
      groups("CUBE (c, d)"),
      groups("GROUPING SETS ((c), (d))"),
      groups("d, ROLLUP (c)"),
      groups("c WITH ROLLUP"),
      s"SELECT c FROM (SELECT 8 AS c) GROUP BY ROLLUP (c) HAVING " +
        s"(SELECT count(*) FROM ${clause("coalesce(c, 1)")}) = 4",
      // Spark resolves these over the input of the groups.
      s"SELECT c FROM (SELECT 8 AS c) GROUP BY ROLLUP (c) HAVING $greatest = 8",
      s"SELECT c, count(*) FROM (SELECT 8 AS c) GROUP BY CUBE (c) HAVING 8 = $greatest",
      s"SELECT c, count(*) OVER (ORDER BY c ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING " +
        s"PATTERN (A)) FROM (SELECT 8 AS c) GROUP BY ROLLUP (c) HAVING $greatest = 8"
    ).foreach { sql =>
      val error = intercept[AnalysisException](rows(sql))
      assert(error.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED.OUTER_REFERENCE", sql)
    }
  }

  /** A random query of columns c and k, whose c has one value in all rows or several. */
  private def outer(random: Random, depth: Int): String = {
    def pick[T](options: T*): T = options(random.nextInt(options.length))
    def part = s"(${outer(random, depth - 1)})"
    if (depth == 0)
      pick(
        s"SELECT ${pick(1, 4, 8)} AS c, ${pick(1, 2)} AS k",
        s"SELECT ${pick(4, 8)} AS c, k FROM const_keys",
        "SELECT k AS c, k FROM const_keys"
      )
    else
      random.nextInt(10) match {
        case 0 => s"SELECT * FROM $part ${pick("UNION ALL", "UNION", "EXCEPT")} SELECT * FROM $part"
        case 1 => s"SELECT DISTINCT * FROM $part INTERSECT SELECT * FROM $part"
        case 2 => s"SELECT c, k FROM $part WHERE k > ${pick(0, 1)}"
        case 3 => s"SELECT max(c) AS c, k FROM $part GROUP BY k"
        case 4 => s"WITH q AS $part SELECT * FROM q ORDER BY c, k LIMIT 2"
        case 5 => s"SELECT ${pick("8", "k", "c")} AS c, k FROM $part"
        case 6 => s"SELECT x.c, y.k FROM $part AS x, $part AS y"
        case _ =>
          val join = pick("", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")
          val k = if (join.endsWith("I")) "x.k" else pick("x.k", "y.k")
          s"SELECT x.c, $k FROM $part AS x $join JOIN $part AS y ON x.k = y.k"
      }
  }

  test("random outer queries: the rows of an ordinary subquery, or refused") {
    var equal = 0
    (0 until Sampled.size(150, 10)).foreach { i =>
      val query = outer(new Random(i.toLong), 1 + i % 3)
      val bound = if (i % 4 == 0) "coalesce(o.c, 1)" else "o.c"
      def counted(input: String) =
        rows(s"SELECT c, k, n FROM ($query) AS o, LATERAL (SELECT count(*) AS n FROM $input)")
          .map(_.toString)
          .sorted
      Try(counted(clause(bound))) match {
        case Success(found) =>
          equal += 1
          assert(found == counted(s"const_input WHERE v >= $bound"), query)
        case Failure(e: AnalysisException) =>
          assert(e.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED.OUTER_REFERENCE", e)
        case Failure(e) => throw e
      }
    }
    assert(equal > Sampled.size(15, 1) && equal < Sampled.size(120, 10))
  }

  test("the nullable side of an outer join beside LATERAL is refused") {
    val error = intercept[AnalysisException](
      rows(
        "SELECT * FROM const_keys y LEFT JOIN (SELECT 8 AS c, 1 AS k) x ON x.k = y.k, " +
          s"LATERAL (SELECT count(*) FROM ${clause("coalesce(x.c, 1)")})"
      )
    )
    assert(error.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED.OUTER_REFERENCE")
  }

  test("other parts of a clause: WITHIN, quantifiers, measures and keys") {
    def query(outer: String, parts: String) =
      s"SELECT n FROM $outer AS o, LATERAL (SELECT max(n) AS n FROM const_input " +
        s"MATCH_RECOGNIZE ($parts))"
    val parts = Seq(
      "ORDER BY ts MEASURES count(*) AS n PATTERN (A+) WITHIN c" -> 8L,
      "ORDER BY ts MEASURES count(*) AS n PATTERN (A{c})" -> 8L,
      "ORDER BY ts MEASURES c AS n PATTERN (A+)" -> 8,
      "PARTITION BY ts % c ORDER BY ts MEASURES count(*) AS n PATTERN (A+)" -> 3L
    )
    parts.foreach { case (text, value) =>
      val n = rows(query("(SELECT 8 AS c)", text)).head.get(0)
      assert(text.contains("WITHIN") || n == value, text)
      val error = intercept[AnalysisException](
        rows(query("(SELECT 8 AS c UNION ALL SELECT 2)", text))
      )
      // A bound that is not constant has its own condition.
      assert(error.getCondition.startsWith("MATCH_RECOGNIZE_"), text)
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
