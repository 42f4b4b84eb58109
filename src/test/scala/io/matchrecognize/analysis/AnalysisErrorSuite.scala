package io.matchrecognize.analysis

import scala.util.{Failure, Random, Success, Try}

import org.apache.spark.sql.AnalysisException

import io.matchrecognize.Interpreted

/**
 * Mistakes that need more than one statement; [[io.matchrecognize.errors.ErrorQuery]] has the rest.
 */
class AnalysisErrorSuite extends Interpreted {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("SELECT 1 AS k, 2 AS v")
      .createOrReplaceTempView("t")
  }

  private val prefix = "MATCH_RECOGNIZE_"

  test("a pattern that is too large names the limit", Slow) {
    def error(pattern: String): AnalysisException =
      intercept[AnalysisException](
        spark.sql(
          s"SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES 1 AS m PATTERN ($pattern))"
        )
      )
    val bound = error("A{300000}")
    assert(bound.getCondition == s"${prefix}PATTERN_TOO_LARGE.POSITIONS")
    assert(bound.getSqlState == "54001")
    assert(bound.getMessage.contains("spark.matchRecognize.maxPatternPositions"))
    val permute = error("PERMUTE(A, B, C, D, E, F, G, H, I, J, K)")
    assert(permute.getCondition == s"${prefix}PATTERN_TOO_LARGE.PERMUTE")
    assert(permute.getMessage.contains("lists 11 elements"))
    assert(
      rows(
        "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES 1 AS m PATTERN (PERMUTE(A, B, C, D, E, F, G, H)))"
      ).isEmpty
    )
    assert(
      rows(
        "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES 1 AS m PATTERN (A{1,10000}))"
      ).length == 1
    )
  }

  test("a view that lost a column") {
    spark.sql("CREATE TABLE base USING parquet AS SELECT 1 AS k, 2 AS v")
    try {
      spark.sql(
        "CREATE OR REPLACE VIEW w AS SELECT * FROM base MATCH_RECOGNIZE " +
          "(ORDER BY k MEASURES LAST(v) AS m PATTERN (A))"
      )
      assert(rows("SELECT * FROM w").length == 1)
      spark.sql("DROP TABLE base")
      spark.sql("CREATE TABLE base USING parquet AS SELECT 1 AS k")
      val lost = intercept[AnalysisException](spark.sql("SELECT * FROM w"))
      assert(lost.getCondition == "UNRESOLVED_COLUMN.WITH_SUGGESTION")
    } finally {
      spark.sql("DROP VIEW IF EXISTS w")
      spark.sql("DROP TABLE IF EXISTS base")
    }
  }

  test("an aggregate that reads the parameter of a lambda around it") {
    def query(measure: String, define: String) = "SELECT * FROM t MATCH_RECOGNIZE " +
      s"(ORDER BY k MEASURES $measure AS m PATTERN (A+) DEFINE A AS $define)"
    val outer = Seq(
      query("transform(array(1, 2), x -> SUM(v * x))", "TRUE"),
      query("transform(array(1, 2), x -> COUNT(*) FILTER (WHERE v > x))", "TRUE"),
      query("1", "exists(array(1, 2), x -> SUM(v + x) > 0)")
    )
    outer.foreach { sql =>
      val e = intercept[AnalysisException](spark.sql(sql))
      assert(e.getCondition == "UNSUPPORTED_EXPR_FOR_OPERATOR", sql)
    }
    val own = query(
      "transform(array(1, 2), x -> SUM(aggregate(array(v, 1), 0, (a, b) -> a + b)) + LAST(v * x))",
      "exists(array(-1, 1), x -> SUM(v) < LAST(v + x))"
    )
    assert(rows(own).map(_.getSeq[Long](0)) == Seq(Seq(5L, 7L)))
  }

  test(
    "random aggregates inside lambdas are refused if they read a parameter of an outer one",
    Slow
  ) {
    val random = new Random(1)
    def pick[T](options: T*): T = options(random.nextInt(options.size))
    val lambdas = Seq(
      "size(transform(array(v, 1), %p -> %s))",
      "size(filter(array(v, 1), %p -> %s > 0))",
      "CAST(exists(array(v, 1), %p -> %s > 0) AS INT)",
      "CAST(forall(array(v, 1), %p -> %s > 0) AS INT)",
      "aggregate(array(v, 1), 0D, (y, %p) -> y + CAST(%s AS DOUBLE))",
      "size(zip_with(array(v), array(1), (y, %p) -> %s))",
      "size(transform_values(map(1, v), (y, %p) -> %s))",
      "size(transform_keys(map(v, 1), (%p, y) -> %s))",
      "size(map_filter(map(1, v), (y, %p) -> %s > 0))",
      "size(array_sort(array(v, 1), (%p, y) -> CAST(%s AS INT)))"
    )
    def value(of: String) = pick(of, s"$of + 1", s"v * $of", s"CASE WHEN $of > 1 THEN v END")
    def aggregate(of: String) = pick(
      s"SUM(${value(of)})",
      s"COUNT(${value(of)})",
      s"MIN(${value(of)})",
      s"AVG(${value(of)})",
      s"COUNT(*) FILTER (WHERE ${value(of)} > 0)",
      s"SUM(v) FILTER (WHERE v < ${value(of)})",
      s"SUM(aggregate(array(v, ${value(of)}), 0, (a, b) -> a + b))",
      s"MAX(element_at(transform(array(v), z -> z + $of), 1))"
    )
    def inside(parameters: Seq[String], body: String): String = parameters.foldLeft(body) {
      (text, parameter) => pick(lambdas: _*).replace("%p", parameter).replace("%s", text)
    }
    (0 until 100).foreach { i =>
      val parameters = Seq("x", "p", "q").take(1 + random.nextInt(3))
      val isOuter = i % 2 == 0
      val expression = inside(parameters, aggregate(if (isOuter) pick(parameters: _*) else "v"))
      val (measure, define) =
        if (random.nextBoolean()) (expression, "TRUE") else ("1", s"$expression >= 0")
      val sql = "SELECT * FROM t MATCH_RECOGNIZE " +
        s"(ORDER BY k MEASURES $measure AS m PATTERN (A+) DEFINE A AS $define)"
      Try(spark.sql(sql)) match {
        case Success(_) => assert(!isOuter, sql)
        case Failure(e: AnalysisException) =>
          assert(isOuter && e.getCondition == "UNSUPPORTED_EXPR_FOR_OPERATOR", s"$sql\n$e")
        case Failure(e) => fail(sql, e)
      }
    }
  }
}
