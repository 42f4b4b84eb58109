package io.matchrecognize.errors

import java.util

import org.apache.spark.sql.matchrecognize.ConditionException

/** A condition of the clause at run time. */
final class MatchRecognizeRuntimeException(
    condition: String,
    parameters: Map[String, String],
    cause: Throwable
) extends ConditionException(condition, cause) {
  override def getMessage: String = MatchRecognizeConditions.message(condition, parameters)
  override def getCondition: String = condition
  override def getErrorClass: String = condition
  override def getSqlState: String = MatchRecognizeConditions.sqlState(condition)
  override def getMessageParameters: util.Map[String, String] =
    MatchRecognizeConditions.javaParameters(parameters)
}
