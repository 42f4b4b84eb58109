package io.matchrecognize.shims

import org.apache.spark.QueryContext
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

/** Origins and what is built from them, as Spark 4.0 constructs them. */
object Origins {

  /** A place in `text`; the object whose text it is comes from `outer`. */
  def apply(
      line: Int,
      position: Int,
      start: Int,
      stop: Int,
      text: String,
      outer: Origin
  ): Origin =
    new Origin(
      Some(line),
      Some(position),
      Some(start),
      Some(stop),
      Some(text),
      outer.objectType,
      outer.objectName,
      None,
      None
    )

  /** `origin` with another text and end. */
  def relocated(origin: Origin, stop: Option[Int], text: String): Origin =
    new Origin(
      origin.line,
      origin.startPosition,
      origin.startIndex,
      stop,
      Some(text),
      origin.objectType,
      origin.objectName,
      origin.stackTrace,
      origin.pysparkErrorContext
    )

  def parseException(
      command: Option[String],
      start: Origin,
      condition: String,
      parameters: Map[String, String],
      context: Array[QueryContext]
  ): ParseException =
    new ParseException(command, start, start, condition, parameters, context)
}
