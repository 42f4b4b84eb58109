package io.matchrecognize.errors

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.matchrecognize.{ConditionException, ConditionReader}

/**
 * A mistake in the clause, found while it is parsed or analysed.
 *
 * A condition of our own has no query context: PySpark logs an exception with a context through
 * Spark's catalogue, where an unknown condition turns the error into an internal one, and an
 * extension cannot add conditions there. The message, the line and the position tell the place.
 *
 * @param condition
 *   one of `error/match-recognize-conditions.json` or of Spark itself, sub-condition included
 * @param parameters
 *   all parameters of the condition's message, quoted as the catalogue says
 * @param hint
 *   a sentence below the place, for a condition of Spark's that does not say what to write instead
 */
final class MatchRecognizeException(
    condition: String,
    parameters: Map[String, String],
    origin: Origin,
    hint: String = ""
) extends AnalysisException(
      MatchRecognizeConditions.message(condition, parameters),
      origin.line,
      origin.startPosition,
      None,
      Some(condition),
      parameters,
      if (MatchRecognizeConditions.isKnown(condition)) Array.empty else origin.getQueryContext
    ) {
  override def getSqlState: String = MatchRecognizeConditions.sqlState(condition)

  // Spark adds a position to exceptions that have none by copying them, which would lose the class.
  override def withPosition(position: Origin): AnalysisException =
    if (origin.line.isDefined) this
    else new MatchRecognizeException(condition, parameters, position, hint)

  override def getMessage: String = {
    val places = origin.getQueryContext.map((c: QueryContext) => "\n" + c.summary).mkString
    getSimpleMessage + places +
      (if (hint.isEmpty) "" else s"${if (places.isEmpty) "\n" else ""}== MATCH_RECOGNIZE ==\n$hint")
  }
}

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
  override def getMessageParameters: util.Map[String, String] = parameters.asJava
}

/** The error conditions that the plugin raises, its own and Spark's: messages and SQLSTATEs. */
object MatchRecognizeConditions
    extends ConditionReader(
      classOf[MatchRecognizeException].getResource("/error/match-recognize-conditions.json")
    ) {

  /** The message of a condition, `[CONDITION] text SQLSTATE: state`, with its parameters. */
  override def message(condition: String, parameters: Map[String, String]): String = {
    val shown = parameters.map { case (name, text) => name -> UserText.parameter(text) }
    s"[$condition] ${super.message(condition, shown)} SQLSTATE: ${sqlState(condition)}"
  }
}
