package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StringType

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, RuntimeErrors}
import io.matchrecognize.plans.{MatchRecognize, PatternClause}

/** A table function that says something about the clauses of a statement, which is not run. */
private[functions] abstract class StatementFunction(name: String, usage: String)
    extends TextFunction(name, Seq("query"), usage) {
  protected def columns: Seq[Attribute]

  /** The rows of an analysed statement, whose clauses are `nodes`. */
  protected def rows(plan: LogicalPlan, nodes: Seq[MatchRecognize]): Seq[InternalRow]

  override protected def build(arguments: Seq[Expression]): LogicalPlan = {
    val origin = CurrentOrigin.get
    def wrong = Errors.nonFoldableQuery(name, origin)
    val query = named(arguments)(_ => wrong)
      .get("query")
      .flatMap(QueryText.constant(_, StringType).flatten)
      .getOrElse(throw wrong)
      .toString
    val statement = QueryText.statement(query)
    if (QueryText.isLeftAlone(statement)) throw Errors.callOfStatement(name, origin)
    val analyzed = ForeignText.closed(statement)
    val nodes = clauseNodes(analyzed)
    val found = rows(analyzed, nodes)
    if (nodes.isEmpty)
      ForeignText.withClause(statement).foreach { found =>
        throw Errors.callOfText(name, found, origin)
      }
    LocalRelation(columns, found)
  }

  /** Each clause with the conditions that EXPLAIN shows, and whether its input is a stream. */
  protected final def optimizedClauses(analyzed: LogicalPlan): Seq[(PatternClause, Boolean)] =
    for {
      plan <- nodes(analyzed, optimized)
      expression <- plan.expressions
      clause <- expression.collect { case clause: PatternClause => clause }
    } yield clause -> plan.isStreaming

  // The input of a clause may refer to a WITH outside it.
  private def clauseNodes(analyzed: LogicalPlan): Seq[MatchRecognize] =
    nodes(analyzed, InlineCTE(alwaysInline = true)(_))
      .collect { case node: MatchRecognize => node }
      .distinctBy(_.canonicalized)

  /**
   * Spark's own way to it refuses streams. The plan as it is if a constant in it cannot be
   * evaluated, which is the query's to report.
   */
  private def optimized(plan: LogicalPlan): LogicalPlan =
    try SparkSession.active.sessionState.optimizer.execute(plan)
    catch { case e: Throwable if RuntimeErrors.isOfExpression(e) => plan }

  /** The nodes of a statement as a rule makes it, the innermost first. */
  private def nodes(analyzed: LogicalPlan, rule: LogicalPlan => LogicalPlan): Seq[LogicalPlan] = {
    def visit(plan: LogicalPlan): Seq[LogicalPlan] = {
      // The rule does not look into the query of a command.
      val inner = plan.innerChildren.collect { case q: LogicalPlan => rule(ForeignText.closed(q)) }
      (inner ++ plan.children ++ plan.subqueries).flatMap(visit) :+ plan
    }
    visit(rule(analyzed))
  }
}
