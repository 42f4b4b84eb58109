package io.matchrecognize.errors

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.UserText.{nearest, quoted}

/** Mistakes in windows with row patterns. */
private[errors] trait WindowErrors {
  private def error(condition: String, origin: Origin, parameters: (String, String)*) =
    new MatchRecognizeException(s"MATCH_RECOGNIZE_$condition", parameters.toMap, origin)

  private def ofWindow(condition: String, origin: Origin, parameters: (String, String)*) =
    error(s"INVALID_WINDOW.$condition", origin, parameters: _*)

  def unknownMeasure(name: String, measures: Seq[String], origin: Origin): Throwable =
    ofWindow(
      "UNKNOWN_MEASURE",
      origin,
      "name" -> quoted(name),
      "measures" -> nearest(name, measures)
    )

  def measureOfPlainWindow(name: String, origin: Origin): Throwable =
    ofWindow("NO_PATTERN", origin, "name" -> quoted(name))

  def frameEnd(end: Expression, origin: Origin): Throwable =
    ofWindow("FRAME_END", origin, "end" -> s"${UserText.of(end)} FOLLOWING")

  def windowPlace(operator: String, origin: Origin): Throwable =
    ofWindow("PLACE", origin, "operator" -> operator)

  def windowOfGroups(origin: Origin): Throwable = ofWindow("GROUPS", origin)

  def windowFunctionOfMatch(function: Expression): Throwable =
    ofWindow("MATCH_NUMBER", function.origin)

  def windowOnStream(origin: Origin): Throwable = error("UNSUPPORTED.STREAM_WINDOW", origin)
}
