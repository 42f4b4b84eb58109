package io.matchrecognize.analysis

import org.apache.spark.sql.AnalysisException

import io.matchrecognize.QuerySuite

/**
 * Mistakes that need more than one statement; [[io.matchrecognize.errors.ErrorQuery]] has the rest.
 */
class AnalysisErrorSuite extends QuerySuite {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("SELECT 1 AS k, 2 AS v")
      .createOrReplaceTempView("t")
  }

  private val prefix = "MATCH_RECOGNIZE_"

  test("a pattern that is too large names the limit") {
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
}
