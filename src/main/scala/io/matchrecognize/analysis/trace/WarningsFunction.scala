package io.matchrecognize.analysis.trace

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  ExpressionInfo,
  NamedArgumentExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.{FunctionIdentifier, InternalRow}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.plans.PatternClause

/**
 * The table function `match_recognize_warnings`, behind `lint` of the Python package: the warnings
 * about the clauses of a statement, that of the innermost clause first. EXPLAIN has them too, but
 * only where Spark can plan the statement as a batch, so not for streams.
 */
object WarningsFunction {
  private final val Name = "match_recognize_warnings"

  val description: (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan) = (
    new FunctionIdentifier(Name),
    new ExpressionInfo(
      getClass.getName.stripSuffix("$"),
      null,
      Name,
      "_FUNC_(query) - Returns warnings about the MATCH_RECOGNIZE clauses of a query.",
      "",
      "",
      "",
      "table_funcs",
      "",
      "",
      "built-in"
    ),
    build
  )

  private def build(arguments: Seq[Expression]): LogicalPlan = {
    val origin = CurrentOrigin.get
    val text = (arguments match {
      case Seq(NamedArgumentExpression(key, value)) if key.equalsIgnoreCase("query") => Some(value)
      case Seq(_: NamedArgumentExpression) => None
      case other => Option.when(other.length == 1)(other.head)
    }).flatMap(QueryText.constant(_, StringType).flatten)
    val query = text.getOrElse(throw Errors.nonFoldableQuery(Name, origin)).toString
    val analyzed = QueryText.statement(query)
    val warnings = clauses(optimized(analyzed)).flatMap(_.warnings).distinct
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
