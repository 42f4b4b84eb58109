package io.matchrecognize.analysis

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException

import io.matchrecognize.QuerySuite
import io.matchrecognize.errors.MatchRecognizeException

/** Mistakes in a clause: condition, SQLSTATE, and the piece of the user's text that is shown. */
class AnalysisErrorSuite extends QuerySuite {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("SELECT 1 AS k, 2 AS v, 'x' AS c, named_struct('f', 1) AS s, map(1, 2) AS m")
      .createOrReplaceTempView("t")
    spark.sql("SELECT 1 AS z").createOrReplaceTempView("o")
  }

  /**
   * Runs a clause over `t` that has the given parts.
   *
   * @param fragment
   *   the text under the caret
   */
  private def check(
      condition: String,
      sqlState: String,
      fragment: String,
      measures: String = "COUNT(*) AS n",
      define: String = "B AS TRUE",
      keys: String = "ORDER BY k",
      rest: String = ""
  ): Unit = {
    val sql = s"SELECT *\nFROM t MATCH_RECOGNIZE (\n  $keys\n  MEASURES $measures\n  $rest\n" +
      s"  PATTERN (A B+)\n  DEFINE $define)"
    val error = intercept[AnalysisException](spark.sql(sql))
    val context = s"$condition: ${error.getMessage}"
    assert(error.asInstanceOf[SparkThrowable].getCondition == condition, context)
    assert(error.getSqlState == sqlState, context)
    assert(error.getQueryContext.headOption.map(_.fragment).contains(fragment), context)
    assert(!error.getMessage.contains("__mr_"), context)
    // Errors that Spark itself raises show line and position only.
    if (error.isInstanceOf[MatchRecognizeException])
      assert(error.getMessage.contains("== SQL (line"), context)
  }

  private val prefix = "MATCH_RECOGNIZE_"

  test("names") {
    check(s"${prefix}INVALID_VARIABLE.UNKNOWN", "42704", "Z.k", measures = "Z.k AS m")
    check(s"${prefix}INVALID_VARIABLE.UNKNOWN", "42704", "Z", measures = "CLASSIFIER(Z) AS m")
    check(s"${prefix}INVALID_VARIABLE.INPUT_QUALIFIER", "42704", "t.k", measures = "t.k AS m")
    check(s"${prefix}INVALID_VARIABLE.NOT_PRIMARY", "42704", "C", define = "C AS TRUE")
    check(s"${prefix}DUPLICATE_NAME.VARIABLE", "42713", "b", define = "B AS TRUE, b AS FALSE")
    check(
      s"${prefix}DUPLICATE_NAME.OUTPUT_COLUMN",
      "42713",
      "n",
      measures = "COUNT(*) AS n, MAX(v) AS n"
    )
    check(
      s"${prefix}DUPLICATE_NAME.OUTPUT_COLUMN",
      "42713",
      "v",
      measures = "COUNT(*) AS v",
      rest = "ALL ROWS PER MATCH"
    )
    check("UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "A.nosuch", measures = "A.nosuch AS m")
    check("UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "nosuch", define = "B AS nosuch > 1")
    check("FIELD_NOT_FOUND", "42704", "A.s.g", measures = "A.s.g AS m")
  }

  test("navigation") {
    check(
      s"${prefix}INVALID_NAVIGATION.NESTING",
      "42K0E",
      "FIRST(v)",
      measures = "LAST(FIRST(v)) AS m"
    )
    check(
      s"${prefix}INVALID_NAVIGATION.NESTING",
      "42K0E",
      "SUM(v)",
      define = "B AS FIRST(SUM(v)) > 0"
    )
    check(s"${prefix}INVALID_NAVIGATION.NO_COLUMN", "42K0E", "LAST(1)", measures = "LAST(1) AS m")
    check(s"${prefix}INVALID_OFFSET", "2202J", "-5", measures = "PREV(v, -5) AS m")
    check(s"${prefix}INVALID_OFFSET", "2202J", "1.5", measures = "PREV(v, 1.5) AS m")
    check(s"${prefix}INVALID_OFFSET", "2202J", "LAST(v, TRUE)", measures = "LAST(v, TRUE) AS m")
    check("NON_FOLDABLE_ARGUMENT", "42K08", "k", measures = "LAST(v, k) AS m")
    check("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "42605", "PREV()", measures = "PREV() AS m")
    check(
      s"${prefix}INVALID_RUNNING_FINAL.FINAL_IN_DEFINE",
      "42K0E",
      "LAST(A.v)",
      define = "B AS FINAL LAST(A.v) > 5"
    )
    check(
      s"${prefix}INVALID_RUNNING_FINAL.FUNCTION",
      "42K0E",
      "LOWER(c)",
      measures = "FINAL LOWER(c) AS m"
    )
  }

  test("expressions") {
    val invalid = s"${prefix}INVALID_EXPRESSION"
    check(
      s"$invalid.MIXED_VARIABLES",
      "42K0E",
      "LAST(A.v + B.v)",
      measures = "LAST(A.v + B.v) AS m"
    )
    check(s"$invalid.MIXED_VARIABLES", "42K0E", "MAX_BY(A.v, v)", measures = "MAX_BY(A.v, v) AS m")
    check(s"$invalid.NON_DETERMINISTIC", "42K0E", "rand()", define = "B AS rand() > 0.5")
    check(s"$invalid.VARIABLE_STAR", "42K0E", "A.*", measures = "LOWER(A.*) AS m")
    check(s"$invalid.VARIABLE_STAR", "42K0E", "*", measures = "struct(*) AS m")
    check(s"$invalid.VARIABLE_STAR", "42K0E", "*", define = "B AS array(*) IS NULL")
    check(s"$invalid.VARIABLE_STAR", "42K0E", "*", measures = "COUNT(DISTINCT *) AS m")
    check(
      s"$invalid.VARIABLE_EXPECTED",
      "42K0E",
      "CLASSIFIER(A.v)",
      measures = "CLASSIFIER(A.v) AS m"
    )
    check(
      s"$invalid.MEASURES_ONLY",
      "42K0E",
      "MATCH_PROCTIME()",
      define = "B AS MATCH_PROCTIME() IS NULL"
    )
    check(s"$invalid.WINDOW_FUNCTION", "42K0E", "MAX(v) OVER ()", measures = "MAX(v) OVER () AS m")
    check("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09", "B.v + 1", define = "B AS B.v + 1")
    check("NESTED_AGGREGATE_FUNCTION", "42607", "MIN(v)", measures = "MAX(MIN(v)) AS m")
    check("UNRESOLVED_ROUTINE", "42883", "nosuch(v)", measures = "nosuch(v) AS m")
    check(
      "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
      "42K0E",
      "explode(array(v))",
      measures = "explode(array(v)) AS m"
    )
  }

  test("clause and keys") {
    check(
      s"${prefix}INVALID_CLAUSE.MISSING_ORDER_BY",
      "42601",
      "MATCH_ROWTIME()",
      keys = "",
      measures = "MATCH_ROWTIME() AS m"
    )
    check("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "42K09", "m", keys = "ORDER BY m")
    check(
      "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
      "42K09",
      "m",
      keys = "PARTITION BY m ORDER BY k"
    )
    check(
      "UNSUPPORTED_EXPR_FOR_OPERATOR",
      "42K0E",
      "MAX(v)",
      keys = "PARTITION BY MAX(v) ORDER BY k"
    )
    val error = intercept[AnalysisException](
      spark.sql("SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k + 1 PATTERN (A))")
    )
    assert(error.getCondition == s"${prefix}INVALID_CLAUSE.NO_OUTPUT_COLUMNS")
  }

  test("no outer reference, no correlated subquery") {
    val outer = intercept[AnalysisException](
      spark.sql("""SELECT (SELECT MAX(n) FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n
        |PATTERN (A) DEFINE A AS z > v)) FROM o""".stripMargin)
    )
    assert(outer.getCondition == s"${prefix}UNSUPPORTED.OUTER_REFERENCE")
    val correlated = intercept[AnalysisException](
      spark.sql("""SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n
        |PATTERN (A) DEFINE A AS v > (SELECT MAX(z) FROM o WHERE z = k))""".stripMargin)
    )
    assert(correlated.getCondition != null && !correlated.getCondition.startsWith("INTERNAL"))
  }

  test("a pattern that is too large names the limit") {
    def error(pattern: String): AnalysisException =
      intercept[AnalysisException](
        spark.sql(
          s"SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES 1 AS m PATTERN ($pattern))"
        )
      )
    val bound = error("A{200000}")
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

  test("what this release does not have is refused by name") {
    spark.readStream.format("rate").load().createOrReplaceTempView("rate_stream")
    val stream = intercept[AnalysisException](
      spark.sql(
        "SELECT * FROM rate_stream MATCH_RECOGNIZE (ORDER BY timestamp MEASURES LAST(value) AS l PATTERN (A))"
      )
    )
    assert(stream.getCondition == s"${prefix}UNSUPPORTED.NOT_YET")
    assert(stream.getMessage.contains("on a stream"))
  }

  test("a view that lost a column, and a clause in a lambda") {
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
      val lambda = intercept[AnalysisException](
        spark.sql(
          "SELECT transform(array(1), x -> (SELECT MAX(n) FROM t MATCH_RECOGNIZE " +
            "(ORDER BY k MEASURES COUNT(*) AS n PATTERN (A)))) FROM t"
        )
      )
      assert(!lambda.getCondition.startsWith("INTERNAL_ERROR"), lambda.getMessage)
    } finally {
      spark.sql("DROP VIEW IF EXISTS w")
      spark.sql("DROP TABLE IF EXISTS base")
    }
  }
}
