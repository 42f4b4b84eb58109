package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.IntegerType

import io.matchrecognize.plans.{PatternClause, TraceMatchRecognize}

/** The table function `match_recognize_trace`: the steps of a search. */
object TraceFunction
    extends ClauseFunction(
      "match_recognize_trace",
      Seq("query", "partition", "max_rows"),
      "_FUNC_(query[, partition[, max_rows]]) - Returns the steps of the search that the " +
        "MATCH_RECOGNIZE of a query makes, in the partitions for which a condition holds.",
      "(query STRING, partition STRING, max_rows INT), all constant and the last two optional; " +
        "max_rows is from 1 to 1000000"
    ) {
  private final val DefaultRows = 10000
  private final val MostRows = 1000000

  override protected def node(
      clause: PatternClause,
      input: LogicalPlan,
      arguments: Map[String, Expression],
      origin: Origin
  ): LogicalPlan = {
    val maxRows = rows(arguments.get("max_rows"), origin)
    TraceMatchRecognize(
      clause.copy(measures = Nil),
      maxRows,
      TraceMatchRecognize.newOutput,
      // One more than allowed, so that a large table is not read to its end.
      LocalLimit(Literal(maxRows + 1), input)
    )
  }

  private def rows(argument: Option[Expression], origin: Origin): Int =
    argument.flatMap(constant(_, IntegerType, origin)).fold(DefaultRows) {
      case count: Int if count >= 1 && count <= MostRows => count
      case other => throw errors.argument(s"max_rows = $other", origin)
    }
}
