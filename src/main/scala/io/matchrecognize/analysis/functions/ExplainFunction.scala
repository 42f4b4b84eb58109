package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.plans.{ExplainMatchRecognize, PatternClause}

/** The table function `match_recognize_explain`: what a search found, in sentences. */
object ExplainFunction
    extends ClauseFunction(
      "match_recognize_explain",
      Seq("query", "partition"),
      "_FUNC_(query[, partition]) - Says in sentences what the MATCH_RECOGNIZE of a query found " +
        "and why other rows do not match, in the partitions for which a condition holds.",
      "(query STRING, partition STRING), both constant and the last one optional"
    ) {
  override protected def node(
      clause: PatternClause,
      input: LogicalPlan,
      arguments: Map[String, Expression],
      origin: Origin
  ): LogicalPlan =
    ExplainMatchRecognize(clause.copy(measures = Nil), ExplainMatchRecognize.newOutput, input)
}
