package io.matchrecognize.analysis

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException

import io.matchrecognize.{ErrorPlace, QuerySuite}

/** The mistakes of WITHIN. */
class WithinChecksSuite extends QuerySuite {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("""SELECT 1 AS k, 1.5D AS x, TIMESTAMP'2024-01-01' AS ts, DATE'2024-01-01' AS d,
        |  TIMESTAMP_NTZ'2024-01-01' AS ntz, 'a' AS s, TRUE AS b, INTERVAL 1 DAY AS i,
        |  named_struct('k', 1) AS st""".stripMargin)
      .createOrReplaceTempView("within_input")
  }

  private def query(orderBy: String, bound: String): String =
    s"""SELECT * FROM within_input MATCH_RECOGNIZE ($orderBy MEASURES COUNT(*) AS n
      |PATTERN (A+) WITHIN $bound)""".stripMargin

  private def failure(orderBy: String, bound: String): AnalysisException =
    withClue(s"$orderBy WITHIN $bound: ") {
      intercept[AnalysisException](spark.sql(query(orderBy, bound)))
    }

  private def assertBound(key: String, bound: String, expected: String): Unit = {
    val error = failure(s"ORDER BY $key", bound)
    assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_WITHIN.BOUND", bound)
    assert(error.getSqlState == "42K0E")
    val parameters = error.getMessageParameters
    assert(parameters.get("bound") == s"`$bound`")
    assert(parameters.get("key") == s"`$key`")
    assert(parameters.get("expected") == expected)
    assert(ErrorPlace.marked(error, query(s"ORDER BY $key", bound)).contains(bound))
  }

  test("the bound is an interval for times") {
    val wrong =
      Seq("NULL", "'soon'", "-1", "TRUE", "INTERVAL '-1' HOUR", "-INTERVAL '1' DAY")
    for (key <- Seq("ts", "ntz", "d")) {
      wrong.foreach(assertBound(key, _, "an interval such as INTERVAL '10' MINUTE"))
      assertBound(key, "3", "an interval such as INTERVAL '3' MINUTE")
      assertBound(key, "'1 hour'", "an interval such as INTERVAL '1 hour'")
      assertBound(key, "'-1 hour'", "an interval such as INTERVAL '10' MINUTE")
    }
    Seq(
      "INTERVAL '-1' MONTH",
      "INTERVAL 'x' HOUR",
      "make_interval(0, -1)",
      "make_interval(0, 1, 0, -1)",
      "CAST(NULL AS INTERVAL DAY)",
      "ts - ts",
      "i",
      "(SELECT INTERVAL 1 DAY)"
    ).foreach(assertBound("ts", _, "an interval such as INTERVAL '10' MINUTE"))
  }

  test("the bound is a number for numbers") {
    val wrong = Seq(
      "INTERVAL '1' MONTH",
      "INTERVAL '1' DAY",
      "1 HOUR",
      "NULL",
      "'x'",
      "-1",
      "-0.5",
      "DOUBLE('NaN')",
      "DOUBLE('-Infinity')",
      "CAST(NULL AS INT)",
      "k",
      "k + 1",
      "TRUE"
    )
    for (key <- Seq("k", "x", "st.k"); bound <- wrong) assertBound(key, bound, "a number")
    assertBound("k", "'12'", "a number such as 12")
    assertBound("k", "DOUBLE('Infinity')", "a number")
    assertBound("k", "CAST(rand() AS INT)", "a number")
  }

  test("the message says what to do") {
    val error = failure("ORDER BY ts", "3")
    val told = """The bound `3` does not suit the key `ts` of type "TIMESTAMP". Use an interval"""
    assert(error.getMessage.contains(told))
    assert(error.getMessage.contains("== SQL"))
  }

  test("a mistake inside the bound is Spark's") {
    assert(failureOf("1 / 0") == "DIVIDE_BY_ZERO")
    assert(failureOf("CAST('x' AS INT)") == "CAST_INVALID_INPUT")
    assert(failureOf("nosuch") == "UNRESOLVED_COLUMN.WITH_SUGGESTION")
    assert(failureOf("nosuch(1)") == "UNRESOLVED_ROUTINE")
  }

  test("names before bounds") {
    val error = failure("ORDER BY nosuch", "INTERVAL 'x' HOUR")
    assert(error.getCondition == "UNRESOLVED_COLUMN.WITH_SUGGESTION")
    val undefined = intercept[AnalysisException](
      spark.sql(query("ORDER BY ts", "INTERVAL 'x' HOUR DEFINE A AS nosuch > 1"))
    )
    assert(undefined.getCondition == "UNRESOLVED_COLUMN.WITH_SUGGESTION")
  }

  private def failureOf(bound: String): String =
    intercept[Exception](spark.sql(query("ORDER BY k", bound))) match {
      case e: SparkThrowable => e.getCondition
      case e => throw e
    }

  test("the key") {
    Seq("s", "b", "i", "st", "s, ts").foreach { key =>
      val error = failure(s"ORDER BY $key", "INTERVAL 1 HOUR")
      assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_WITHIN.KEY_TYPE", key)
      assert(error.getSqlState == "42K0E")
    }
    Seq("ts DESC", "ts DESC NULLS FIRST, k").foreach { key =>
      val error = failure(s"ORDER BY $key", "INTERVAL 1 HOUR")
      assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_WITHIN.DIRECTION")
      assert(error.getSqlState == "42K0E")
      assert(error.getMessageParameters.get("key") == "`ts`")
    }
    spark.sql(query("ORDER BY ts NULLS LAST, k DESC", "INTERVAL 1 HOUR")).collect()
  }

  test("no ORDER BY") {
    val error = failure("", "INTERVAL 1 HOUR")
    assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_CLAUSE.MISSING_ORDER_BY")
    assert(error.getSqlState == "42601")
    assert(error.getMessageParameters.get("construct") == "WITHIN")
  }

  test("SHOW TIMEOUT MATCHES needs WITHIN") {
    val error = intercept[AnalysisException](
      spark.sql(
        """SELECT * FROM within_input MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n
          |ONE ROW PER MATCH SHOW TIMEOUT MATCHES PATTERN (A+))""".stripMargin
      )
    )
    assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_CLAUSE.TIMEOUT_WITHOUT_WITHIN")
    assert(error.getSqlState == "42601")
  }
}
