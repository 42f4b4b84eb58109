package org.apache.spark.sql.matchrecognize

import java.util

import org.apache.spark.SparkRuntimeException

import io.matchrecognize.errors.MatchRecognizeConditions

/**
 * A condition of the clause at run time. Only subclasses of SparkRuntimeException keep their
 * condition and SQLSTATE on the way to Python; the superclass wants a condition that Spark knows.
 */
final class MatchRecognizeRuntimeException(
    condition: String,
    parameters: Map[String, String],
    cause: Throwable
) extends SparkRuntimeException(
      "INTERNAL_ERROR",
      Map("message" -> condition),
      cause,
      Array.empty[org.apache.spark.QueryContext],
      ""
    ) {
  override def getMessage: String = MatchRecognizeConditions.message(condition, parameters)
  override def getCondition: String = condition
  override def getErrorClass: String = condition
  override def getSqlState: String = MatchRecognizeConditions.sqlState(condition)
  override def getMessageParameters: util.Map[String, String] =
    MatchRecognizeConditions.javaParameters(parameters)
}
