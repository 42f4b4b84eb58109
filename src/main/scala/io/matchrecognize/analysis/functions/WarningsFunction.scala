package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.plans.MatchRecognize
import io.matchrecognize.plans.advice.{ClauseWarnings, StreamWarnings, TypeWarnings}

/**
 * The table function `match_recognize_warnings`, which `lint` of the Python package calls: the
 * warnings about the clauses of a statement, that of the innermost clause first. EXPLAIN has those
 * of `ClauseWarnings` too, but only where Spark can plan the statement as a batch, so not for
 * streams.
 */
object WarningsFunction
    extends StatementFunction(
      "match_recognize_warnings",
      "_FUNC_(query) - Returns warnings about the MATCH_RECOGNIZE clauses of a query."
    ) {
  override protected def columns: Seq[Attribute] =
    Seq(AttributeReference("warning", StringType, nullable = false)())

  override protected def rows(plan: LogicalPlan, nodes: Seq[MatchRecognize]): Seq[InternalRow] = {
    val warnings = optimizedClauses(plan).flatMap { case (clause, isStream) =>
      ClauseWarnings.of(clause) ++ (if (isStream) StreamWarnings.of(clause) else Nil)
    } ++
      nodes.flatMap(_.stream.toSeq.flatMap(_.warnings)) ++
      nodes.flatMap(node => TypeWarnings.of(node.clause))
    warnings.distinct.map(warning => InternalRow(UTF8String.fromString(warning)))
  }
}
