package io.matchrecognize.shims

import org.apache.spark.QueryContext
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

/** The constructor of ParseException, which took two origins until Spark 4.0. */
object ParseExceptions {
  def create(
      command: Option[String],
      start: Origin,
      condition: String,
      parameters: Map[String, String],
      context: Array[QueryContext]
  ): ParseException =
    new ParseException(command, start, condition, parameters, context)
}
