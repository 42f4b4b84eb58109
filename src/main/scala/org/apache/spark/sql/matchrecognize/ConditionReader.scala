package org.apache.spark.sql.matchrecognize

import java.net.URL

import org.apache.spark.ErrorClassesJsonReader

/** Spark's reader of error conditions, which only packages of Spark may make. */
final class ConditionReader(file: URL) {
  private val reader = new ErrorClassesJsonReader(Seq(file))

  def message(condition: String, parameters: Map[String, String]): String =
    reader.getErrorMessage(condition, parameters)

  def sqlState(condition: String): String = reader.getSqlState(condition)

  def isKnown(condition: String): Boolean = reader.isValidErrorClass(condition)
}
