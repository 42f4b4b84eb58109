package io.matchrecognize.analysis

import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.Interpreted

/** SQL functions in MEASURES, DEFINE, WITHIN and the keys are inlined. */
class SqlFunctionsSuite extends Interpreted {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("SELECT * FROM VALUES (1, 10), (2, 8), (3, 6), (4, 9), (5, NULL) AS v(t, p)")
      .createOrReplaceTempView("fn_input")
    Seq(
      "inc(x INT) RETURNS INT RETURN x + 1",
      "sum_of(x INT, y INT DEFAULT 100) RETURNS BIGINT RETURN x + x + y",
      "text_of(x INT) RETURNS STRING RETURN concat('n', inc(inc(x)))",
      "same(x DOUBLE) RETURNS BOOLEAN RETURN x = x",
      "highest() RETURNS INT RETURN SELECT max(p) FROM fn_input",
      "of_key(x INT) RETURNS INT RETURN SELECT max(p) FROM fn_input WHERE t = x",
      "two() RETURNS INT RETURN 2",
      "any_number() RETURNS DOUBLE RETURN rand()",
      "shorter(x STRING) RETURNS INT RETURN length(x)"
    ).foreach(f => spark.sql(s"CREATE OR REPLACE TEMPORARY FUNCTION $f"))
  }

  private def clause(measures: String, define: String = "B AS p < PREV(p)", rest: String = "") =
    s"SELECT * FROM fn_input MATCH_RECOGNIZE (ORDER BY t MEASURES $measures $rest " +
      s"PATTERN (A B*) DEFINE $define)"

  private def condition(sql: String): String =
    intercept[AnalysisException](spark.sql(sql)).getCondition

  test("over one row, over results of the match, nested, in offsets") {
    val frame = spark.sql(
      clause(
        "inc(LAST(p)) AS a, LAST(inc(B.p)) AS b, SUM(inc(p)) AS c, text_of(A.p) AS d, " +
          "inc(CAST(COUNT(*) AS INT)) AS e, PREV(p, two()) AS f, inc(inc(FIRST(t))) AS g"
      )
    )
    assert(frame.schema.forall(_.nullable))
    assert(
      frame.collect().toSeq == Seq(
        Row(7, 7, 27L, "n12", 4, 10, 3),
        Row(10, null, 10L, "n11", 2, 8, 6),
        Row(null, null, null, null, 2, 6, 7)
      )
    )
    assert(
      rows(clause("COUNT(*) AS n", "B AS inc(p) < PREV(inc(p)) AND inc(SUM(B.p)) > 8")) ==
        Seq(3L, 1L, 1L).map(Row(_))
    )
  }

  test("arguments are cast, defaults filled in, results cast") {
    val frame =
      spark.sql(clause("sum_of(FIRST(p)) AS a, sum_of(CAST(LAST(t) AS SMALLINT), 1) AS b"))
    assert(frame.schema.map(_.dataType.sql) == Seq("BIGINT", "BIGINT"))
    assert(frame.head() == Row(120L, 7L))
    assert(rows(clause("shorter(FIRST(p)) AS n")).head == Row(2))
  }

  test("an argument that is not deterministic is evaluated once") {
    val sql = "SELECT * FROM range(500) MATCH_RECOGNIZE (ORDER BY id MEASURES same(rand()) AS a, " +
      "rand() BETWEEN 0.3 AND 0.6 OR TRUE AS b, LAST(same(rand() + id * 0)) AS c PATTERN (A))"
    assert(rows(sql).distinct == Seq(Row(true, true, true)))
    assert(rows(clause("any_number() BETWEEN 0 AND 1 AS a")).forall(_ == Row(true)))
    assert(
      condition(clause("1 AS n", "B AS any_number() > 0")) ==
        "MATCH_RECOGNIZE_INVALID_EXPRESSION.NON_DETERMINISTIC"
    )
  }

  test("keys and WITHIN") {
    val sql = "SELECT * FROM fn_input MATCH_RECOGNIZE (PARTITION BY inc(t) % 2 ORDER BY inc(t) " +
      "MEASURES COUNT(*) AS n PATTERN (A+) WITHIN two())"
    assert(rows(sql).map(_.getLong(0)).sorted == Seq(1L, 2L, 2L))
    assert(spark.sql(sql).columns.toSeq == Seq("n"))
  }

  test("a body with a subquery: alone it works, over an argument it is refused") {
    assert(rows(clause("highest() - LAST(p) AS n")).map(_.get(0)) == Seq[Any](4, 1, null))
    assert(
      rows(clause("COUNT(*) AS n", "B AS p < highest() - 1")).map(_.getLong(0)) == Seq(3, 1, 1)
    )
    Seq(clause("of_key(LAST(t)) AS n"), clause("1 AS n", "B AS of_key(3) > p")).foreach { sql =>
      assert(condition(sql) == "MATCH_RECOGNIZE_UNSUPPORTED.CORRELATED_SUBQUERY")
    }
  }

  test("mistakes keep Spark's conditions") {
    assert(condition(clause("inc(1, 2) AS n")) == "WRONG_NUM_ARGS.WITHOUT_SUGGESTION")
    assert(condition(clause("inc() AS n")) == "WRONG_NUM_ARGS.WITHOUT_SUGGESTION")
    assert(
      condition(clause("FINAL inc(p) AS n")) == "MATCH_RECOGNIZE_INVALID_RUNNING_FINAL.FUNCTION"
    )
    val inLambda = condition(clause("transform(array(1), x -> inc(x)) AS n"))
    val known = Set("UNSUPPORTED_FEATURE.LAMBDA_FUNCTION_WITH_SQL_UDF", "UNSUPPORTED_SQL_UDF_USAGE")
    assert(known(inLambda), inLambda)
    assert(condition(clause("inc(nosuch) AS n")) == "UNRESOLVED_COLUMN.WITH_SUGGESTION")
  }

  test("a persistent function in a view, from another database") {
    spark.sql("CREATE FUNCTION tenfold(x INT) RETURNS INT RETURN x * 10")
    spark.sql("CREATE FUNCTION hundredfold(x INT) RETURNS INT RETURN tenfold(tenfold(x))")
    spark.sql("CREATE DATABASE fn_other")
    try {
      spark.sql(
        "CREATE VIEW fn_view AS SELECT * FROM VALUES (1, 3), (2, 5) AS v(t, p) MATCH_RECOGNIZE " +
          "(ORDER BY t MEASURES hundredfold(LAST(p)) AS a, SUM(tenfold(p)) AS b PATTERN (A+) " +
          "DEFINE A AS tenfold(p) > 0)"
      )
      spark.sql("USE fn_other")
      assert(rows("SELECT * FROM default.fn_view") == Seq(Row(500, 80L)))
    } finally {
      spark.sql("USE default")
      spark.sql("DROP DATABASE fn_other")
      spark.sql("DROP VIEW IF EXISTS fn_view")
      spark.sql("DROP FUNCTION hundredfold")
      spark.sql("DROP FUNCTION tenfold")
    }
  }

  private val longest =
    "MATCH_RECOGNIZE (PARTITION BY t % parts ORDER BY t MEASURES COUNT(*) AS n " +
      "PATTERN (A B*) DEFINE B AS p < PREV(p) AND p > least)"

  private def withFunctions(kind: String, input: String)(test: => Unit): Unit = {
    val parameters = "(parts INT, least INT DEFAULT 0)"
    spark.sql(
      s"CREATE $kind runs_of$parameters RETURNS TABLE(n BIGINT) RETURN SELECT n FROM $input $longest"
    )
    spark.sql(
      s"CREATE $kind longest_of$parameters RETURNS BIGINT RETURN SELECT max(n) FROM $input $longest"
    )
    try test
    finally Seq("runs_of", "longest_of").foreach(name => spark.sql(s"DROP $kind $name"))
  }

  test("the parameters of a function whose body has the clause") {
    withFunctions("TEMPORARY FUNCTION", "fn_input") {
      assert(rows("SELECT n FROM runs_of(1, 6) ORDER BY n") == Seq(1L, 1L, 1L, 2L).map(Row(_)))
      assert(rows("SELECT n FROM runs_of(1) ORDER BY n") == Seq(1L, 1L, 3L).map(Row(_)))
      assert(rows("SELECT count(*) FROM runs_of(least => 6, parts => 2)") == Seq(Row(5L)))
      assert(rows("SELECT longest_of(1), longest_of(1, 6), longest_of(5)") == Seq(Row(3L, 2L, 1L)))
      assert(rows("SELECT * FROM VALUES (1), (2) AS v(x), LATERAL runs_of(5)").size == 10)
      val prepared = spark.sql("SELECT longest_of(:parts, :least)", Map("parts" -> 1, "least" -> 6))
      assert(prepared.collect().toSeq == Seq(Row(2L)))
    }
  }

  test("persistent functions") {
    spark.sql("CREATE TABLE fn_table USING parquet AS SELECT * FROM fn_input")
    try
      withFunctions("FUNCTION", "fn_table") {
        assert(rows("SELECT longest_of(1), longest_of(1, 6)") == Seq(Row(3L, 2L)))
        assert(rows("SELECT sum(n) FROM runs_of(2)") == Seq(Row(5L)))
      }
    finally spark.sql("DROP TABLE fn_table")
  }

  test("an argument that is not constant is refused, and in LATERAL a column too") {
    withFunctions("TEMPORARY FUNCTION", "fn_input") {
      Seq(
        "SELECT t, longest_of(1, p) FROM fn_input",
        "SELECT * FROM fn_input, LATERAL runs_of(1, p)",
        s"SELECT * FROM (SELECT 1 AS parts, 6 AS least), LATERAL (SELECT * FROM fn_input $longest)"
      ).foreach(sql => assert(condition(sql) == "MATCH_RECOGNIZE_UNSUPPORTED.OUTER_REFERENCE", sql))
    }
  }
}
