package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, RuntimeErrors}
import io.matchrecognize.plans.advice.{ClauseWarnings, StreamWarnings, TypeWarnings}
import io.matchrecognize.plans.{MatchRecognize, PatternClause}

/**
 * The table function `match_recognize_warnings`, which `lint` of the Python package calls: the
 * warnings about the clauses of a statement, that of the innermost clause first. EXPLAIN has those
 * of `ClauseWarnings` too, but only where Spark can plan the statement as a batch, so not for
 * streams.
 */
object WarningsFunction
    extends TextFunction(
      "match_recognize_warnings",
      Seq("query"),
      "_FUNC_(query) - Returns warnings about the MATCH_RECOGNIZE clauses of a query."
    ) {

  override protected def build(arguments: Seq[Expression]): LogicalPlan = {
    val origin = CurrentOrigin.get
    def wrong = Errors.nonFoldableQuery(description._1.funcName, origin)
    val query = named(arguments)(_ => wrong)
      .get("query")
      .flatMap(QueryText.constant(_, StringType).flatten)
      .getOrElse(throw wrong)
      .toString
    val statement = QueryText.statement(query)
    if (QueryText.isLeftAlone(statement))
      throw Errors.callOfStatement(description._1.funcName, origin)
    val analyzed = ForeignText.closed(statement)
    val nodes = clauseNodes(inlined(analyzed)).distinctBy(_.canonicalized)
    val warnings = clauses(optimized(analyzed)).flatMap { case (clause, isStream) =>
      ClauseWarnings.of(clause) ++ (if (isStream) StreamWarnings.of(clause) else Nil)
    } ++
      nodes.flatMap(_.stream.toSeq.flatMap(_.warnings)) ++
      nodes.flatMap(node => TypeWarnings.of(node.clause))
    if (nodes.isEmpty)
      ForeignText.withClause(statement).foreach { found =>
        throw Errors.callOfText(description._1.funcName, found, origin)
      }
    LocalRelation(
      Seq(AttributeReference("warning", StringType, nullable = false)()),
      warnings.distinct.map(warning => InternalRow(UTF8String.fromString(warning)))
    )
  }

  /**
   * With the conditions that EXPLAIN shows. Spark's own way to them refuses streams. The plan as it
   * is if a constant in it cannot be evaluated, which is the query's to report.
   */
  private def optimized(plan: LogicalPlan): LogicalPlan =
    try SparkSession.active.sessionState.optimizer.execute(plan)
    catch { case e: Throwable if RuntimeErrors.isOfExpression(e) => plan }

  /** Each clause, and whether its input is a stream. */
  private def clauses(plan: LogicalPlan): Seq[(PatternClause, Boolean)] = {
    // The query of a command is not optimised with the command.
    val inner = plan.innerChildren.collect { case query: LogicalPlan =>
      optimized(ForeignText.closed(query))
    }
    (inner ++ plan.children ++ plan.subqueries).flatMap(clauses) ++
      plan.expressions.collect { case clause: PatternClause => clause -> plan.isStreaming }
  }

  /** The input of a clause may refer to a WITH outside it. */
  private def inlined(plan: LogicalPlan): LogicalPlan = InlineCTE(alwaysInline = true)(plan)

  private def clauseNodes(plan: LogicalPlan): Seq[MatchRecognize] = {
    val inner = plan.innerChildren.collect { case query: LogicalPlan =>
      inlined(ForeignText.closed(query))
    }
    (inner ++ plan.children ++ plan.subqueries).flatMap(clauseNodes) ++
      Some(plan).collect { case node: MatchRecognize => node }
  }
}
