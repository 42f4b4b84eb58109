package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.IntegerType

import io.matchrecognize.plans.{PatternClause, TraceMatchRecognize}

/** A function that searches in one task, so that it reads a limited number of rows. */
private[functions] abstract class LimitedFunction(
    name: String,
    usage: String,
    isExplained: Boolean,
    defaultRows: Int,
    mostRows: Int
) extends ClauseFunction(
      name,
      Seq("query", "partition", "max_rows"),
      usage,
      "(query STRING, partition STRING, max_rows INT), all constant and the last two optional; " +
        s"max_rows is from 1 to $mostRows"
    ) {
  override protected def node(
      clause: PatternClause,
      input: LogicalPlan,
      arguments: Map[String, Expression],
      origin: Origin
  ): LogicalPlan = {
    val maxRows = rows(arguments.get("max_rows"), origin)
    TraceMatchRecognize(
      clause.copy(measures = Nil),
      isExplained,
      maxRows,
      TraceMatchRecognize.newOutput(isExplained),
      // One more than allowed, so that a large table is not read to its end.
      LocalLimit(Literal(maxRows + 1), input)
    )
  }

  private def rows(argument: Option[Expression], origin: Origin): Int =
    argument.flatMap(constant(_, IntegerType, origin)).fold(defaultRows) {
      case count: Int if count >= 1 && count <= mostRows => count
      case other => throw wrongArgument(s"max_rows = $other", origin)
    }
}

/** The table function `match_recognize_trace`: the steps of a search. */
object TraceFunction
    extends LimitedFunction(
      "match_recognize_trace",
      "_FUNC_(query[, partition[, max_rows]]) - Returns the steps of the search that the " +
        "MATCH_RECOGNIZE of a query makes, in the partitions for which a condition holds.",
      isExplained = false,
      defaultRows = 10000,
      mostRows = 1000000
    )

/** The table function `match_recognize_explain`: what a search found, in sentences. */
object ExplainFunction
    extends LimitedFunction(
      "match_recognize_explain",
      "_FUNC_(query[, partition[, max_rows]]) - Says in sentences what the MATCH_RECOGNIZE of a " +
        "query found and why other rows do not match, in the partitions for which a condition holds.",
      isExplained = true,
      defaultRows = 1000000,
      mostRows = 1000000000
    )
