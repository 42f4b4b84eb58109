package org.apache.spark.sql.matchrecognize

import org.apache.spark.SparkThrowableHelper
import org.scalatest.funsuite.AnyFunSuite

/** The conditions of the plugin next to Spark's own catalogue. */
class ConditionReaderSuite extends AnyFunSuite {
  private val file = getClass.getResource("/error/match-recognize-conditions.json")

  test("from Java 26 on Spark's catalogue is left alone, and messages are complete") {
    val before = SparkThrowableHelper.errorReader.errorInfoMap
    val reader = new ConditionReader(file, java = 26)
    assert(!reader.register())
    assert(SparkThrowableHelper.errorReader.errorInfoMap eq before)
    val condition = "MATCH_RECOGNIZE_INVALID_CLAUSE.MISSING_PATTERN"
    assert(reader.isKnown(condition) && reader.sqlState(condition) == "42601")
    assert(reader.message(condition, Map.empty).contains("Add PATTERN ( ... )"))
    assert(reader.message("DIVIDE_BY_ZERO", Map("config" -> "c")).contains("Division by zero"))
  }

  test("before that the catalogue knows the conditions") {
    assert(new ConditionReader(file, java = 25).register())
    reader26.names.foreach(name => assert(SparkThrowableHelper.errorReader.isValidErrorClass(name)))
  }

  private lazy val reader26 = new ConditionReader(file, java = 26)
}
