package io.matchrecognize.shims

import scala.jdk.CollectionConverters._

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException
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

  /** The same error, which keeps its class and place where Spark gives errors another position. */
  def fixed(e: ParseException): ParseException =
    if (e.getCondition == null) e
    else new Fixed(e, e.getMessageParameters.asScala.toMap)

  private final class Fixed(e: ParseException, parameters: Map[String, String])
      extends ParseException(e.command, e.start, e.getCondition, parameters, e.getQueryContext) {
    setStackTrace(e.getStackTrace)
    override def withPosition(origin: Origin): AnalysisException = this
  }
}
