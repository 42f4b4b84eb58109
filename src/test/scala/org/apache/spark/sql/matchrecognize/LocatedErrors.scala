package org.apache.spark.sql.matchrecognize

import org.apache.spark._

import _root_.io.matchrecognize.errors.MatchRecognizeRuntimeException

/** Spark errors that only its packages can create. */
object LocatedErrors {
  private val none = Array.empty[QueryContext]

  val samples: Seq[Throwable with SparkThrowable] = Seq(
    new SparkArithmeticException("DIVIDE_BY_ZERO", Map("config" -> "x"), none, ""),
    new SparkNumberFormatException("CAST_INVALID_INPUT", cast, none, ""),
    new SparkDateTimeException("CAST_INVALID_INPUT", cast, none, ""),
    new SparkArrayIndexOutOfBoundsException(
      "INVALID_ARRAY_INDEX",
      Map("indexValue" -> "1", "arraySize" -> "0"),
      none,
      ""
    ),
    new SparkRuntimeException("NULL_MAP_KEY", Map.empty[String, String], null, none, ""),
    new SparkException("NULL_MAP_KEY", Map.empty[String, String], null)
  )

  val subclass: Throwable =
    new MatchRecognizeRuntimeException("MATCH_RECOGNIZE_INVALID_OFFSET", offset, null)

  def identity(error: Throwable): (String, String, Any, Int) = {
    val e = error.asInstanceOf[SparkThrowable]
    (e.getCondition, e.getSqlState, e.getMessageParameters, e.getQueryContext.length)
  }

  private def cast = Map("expression" -> "'x'", "sourceType" -> "STRING", "targetType" -> "INT")

  private def offset = Map("offset" -> "`x`", "function" -> "`y`")
}
