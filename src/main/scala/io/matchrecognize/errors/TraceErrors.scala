package io.matchrecognize.errors

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.UserText.{quoted, quotedKey, quotedList}

/**
 * Mistakes in calls of a function that searches a query.
 *
 * @param function
 *   its name
 * @param parameters
 *   what it takes, after "It takes"
 */
final class TraceErrors(function: String, parameters: String) {
  private def error(
      condition: String,
      origin: Origin,
      more: (String, String)*
  ): MatchRecognizeException =
    new MatchRecognizeException(
      s"MATCH_RECOGNIZE_$condition",
      (more :+ ("function" -> function)).toMap,
      origin
    )

  def argument(argument: String, origin: Origin): Throwable = error(
    "INVALID_TRACE.ARGUMENT",
    origin,
    "parameters" -> parameters,
    "argument" -> quoted(argument)
  )

  def withoutClause(origin: Origin): Throwable = error("INVALID_TRACE.NO_CLAUSE", origin)

  def ofSeveral(count: Int, origin: Origin): Throwable =
    error("INVALID_TRACE.SEVERAL_CLAUSES", origin, "count" -> count.toString)

  def partition(
      condition: String,
      keys: Seq[Expression],
      columns: Seq[String],
      origin: Origin
  ): Throwable =
    error(
      "INVALID_TRACE.PARTITION",
      origin,
      "condition" -> quoted(condition),
      "keys" -> (if (keys.isEmpty) "it has none" else keys.map(quotedKey).mkString(", ")),
      "columns" -> quotedList(columns)
    )

  def ofStream(origin: Origin): Throwable = error("UNSUPPORTED_IN_STREAM.TRACE", origin)
}
