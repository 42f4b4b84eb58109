package io.matchrecognize.analysis.trace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.plans.{ClauseWarnings, PatternClause}

/**
 * The table function `match_recognize_warnings`, which `lint` of the Python package calls: the
 * warnings about the clauses of a statement, that of the innermost clause first. EXPLAIN has them
 * too, but only where Spark can plan the statement as a batch, so not for streams.
 */
object WarningsFunction
    extends TextFunction(
      "match_recognize_warnings",
      Seq("query"),
      "_FUNC_(query) - Returns warnings about the MATCH_RECOGNIZE clauses of a query."
    ) {

  override protected def build(arguments: Seq[Expression]): LogicalPlan = {
    def wrong = Errors.nonFoldableQuery(description._1.funcName, CurrentOrigin.get)
    val query = named(arguments)(_ => wrong)
      .get("query")
      .flatMap(QueryText.constant(_, StringType).flatten)
      .getOrElse(throw wrong)
      .toString
    val analyzed = QueryText.statement(query)
    val warnings = clauses(optimized(analyzed)).flatMap(ClauseWarnings.of).distinct
    LocalRelation(
      Seq(AttributeReference("warning", StringType, nullable = false)()),
      warnings.map(warning => InternalRow(UTF8String.fromString(warning)))
    )
  }

  /** With the conditions that EXPLAIN shows. Spark's own way to them refuses streams. */
  private def optimized(plan: LogicalPlan): LogicalPlan =
    SparkSession.active.sessionState.optimizer.execute(plan)

  private def clauses(plan: LogicalPlan): Seq[PatternClause] = {
    // The query of a command is not optimised with the command.
    val inner = plan.innerChildren.collect { case query: LogicalPlan => optimized(query) }
    (inner ++ plan.children ++ plan.subqueries).flatMap(clauses) ++
      plan.expressions.collect { case clause: PatternClause => clause }
  }
}
