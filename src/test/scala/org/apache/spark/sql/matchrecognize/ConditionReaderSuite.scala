package org.apache.spark.sql.matchrecognize

import org.apache.spark.SparkThrowableHelper
import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

import _root_.io.matchrecognize.SharedSession
import _root_.io.matchrecognize.errors.MatchRecognizeConditions

/** The conditions of the plugin next to Spark's own catalogue. */
class ConditionReaderSuite extends AnyFunSuite with SharedSession {
  private val reader =
    new ConditionReader(getClass.getResource("/error/match-recognize-conditions.json"))

  test("messages and SQLSTATEs of both catalogues") {
    val condition = "MATCH_RECOGNIZE_INVALID_CLAUSE.MISSING_PATTERN"
    assert(reader.isKnown(condition) && reader.sqlState(condition) == "42601")
    assert(reader.message(condition, Map.empty).contains("Add PATTERN ( ... )"))
    assert(!reader.isKnown("DIVIDE_BY_ZERO") && reader.sqlState("DIVIDE_BY_ZERO") == "22012")
    assert(reader.message("DIVIDE_BY_ZERO", Map("config" -> "c")).contains("Division by zero"))
  }

  test("Spark's catalogue is left alone; only its own conditions have a query context") {
    val known = SparkThrowableHelper.errorReader.errorInfoMap
    val sql =
      "SELECT * FROM VALUES (1) AS t(k) MATCH_RECOGNIZE (ORDER BY k MEASURES %s AS m PATTERN (A))"
    def failure(measure: String): AnalysisException =
      intercept[AnalysisException](spark.sql(sql.format(measure)))
    val own = failure("B.k")
    assert(own.getCondition == "MATCH_RECOGNIZE_INVALID_VARIABLE.UNKNOWN")
    assert(own.getQueryContext.isEmpty)
    assert(own.line.contains(1) && own.startPosition.contains(sql.indexOf("%s")))
    val sparks = failure("A.nosuch")
    assert(sparks.getCondition == "UNRESOLVED_COLUMN.WITH_SUGGESTION")
    assert(sparks.getQueryContext.map(_.fragment).toSeq == Seq("A.nosuch"))
    assert(SparkThrowableHelper.errorReader.errorInfoMap eq known)
    assert(
      !MatchRecognizeConditions.names.exists(SparkThrowableHelper.errorReader.isValidErrorClass)
    )
  }
}
