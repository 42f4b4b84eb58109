package io.matchrecognize.shims

import org.apache.spark.QueryContext
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

/** Constructors of Origin and what is built from it, as Spark 4.1 and later have them. */
object OriginConstructors {
  def origin(
      line: Option[Int],
      startPosition: Option[Int],
      startIndex: Option[Int],
      stopIndex: Option[Int],
      text: String,
      objectType: Option[String],
      objectName: Option[String],
      stackTrace: Option[Array[StackTraceElement]],
      pysparkErrorContext: Option[(String, String)]
  ): Origin =
    new Origin(
      line,
      startPosition,
      startIndex,
      stopIndex,
      Some(text),
      objectType,
      objectName,
      stackTrace,
      pysparkErrorContext,
      None
    )

  def parseException(
      command: Option[String],
      start: Origin,
      condition: String,
      parameters: Map[String, String],
      context: Array[QueryContext]
  ): ParseException =
    new ParseException(command, start, condition, parameters, context)
}
