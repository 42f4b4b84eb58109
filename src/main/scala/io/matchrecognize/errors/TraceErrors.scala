package io.matchrecognize.errors

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.UserText.{quoted, quotedKey, quotedList}

/** Mistakes in calls of `match_recognize_trace`. */
private[errors] trait TraceErrors {
  private def error(condition: String, origin: Origin, parameters: (String, String)*) =
    new MatchRecognizeException(s"MATCH_RECOGNIZE_$condition", parameters.toMap, origin)

  def traceArgument(argument: String, origin: Origin): Throwable =
    error("INVALID_TRACE.ARGUMENT", origin, "argument" -> quoted(argument))

  def traceWithoutClause(origin: Origin): Throwable = error("INVALID_TRACE.NO_CLAUSE", origin)

  def traceOfSeveral(count: Int, origin: Origin): Throwable =
    error("INVALID_TRACE.SEVERAL_CLAUSES", origin, "count" -> count.toString)

  def traceCondition(
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

  def traceOfStream(origin: Origin): Throwable = error("UNSUPPORTED_IN_STREAM.TRACE", origin)
}
