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

  /** The rows of an analysed statement. */
  protected def rows(analyzed: LogicalPlan): Seq[InternalRow]

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
    val found = rows(analyzed)
    if (clauseNodes(analyzed).isEmpty)
      ForeignText.withClause(statement).foreach { found =>
        throw Errors.callOfText(name, found, origin)
      }
    LocalRelation(columns, found)
  }

  /** Each clause with the conditions that EXPLAIN shows, and whether its input is a stream. */
  protected final def optimizedClauses(analyzed: LogicalPlan): Seq[(PatternClause, Boolean)] =
    clauses(optimized(analyzed))

  protected final def clauseNodes(analyzed: LogicalPlan): Seq[MatchRecognize] =
    nodes(inlined(analyzed)).distinctBy(_.canonicalized)

  /**
   * Spark's own way to it refuses streams. The plan as it is if a constant in it cannot be
   * evaluated, which is the query's to report.
   */
  private def optimized(plan: LogicalPlan): LogicalPlan =
    try SparkSession.active.sessionState.optimizer.execute(plan)
    catch { case e: Throwable if RuntimeErrors.isOfExpression(e) => plan }

  private def clauses(plan: LogicalPlan): Seq[(PatternClause, Boolean)] = {
    // The query of a command is not optimised with the command.
    val inner = plan.innerChildren.collect { case query: LogicalPlan =>
      optimized(ForeignText.closed(query))
    }
    (inner ++ plan.children ++ plan.subqueries).flatMap(clauses) ++
      plan.expressions.flatMap(_.collect { case clause: PatternClause =>
        clause -> plan.isStreaming
      })
  }

  /** The input of a clause may refer to a WITH outside it. */
  private def inlined(plan: LogicalPlan): LogicalPlan = InlineCTE(alwaysInline = true)(plan)

  private def nodes(plan: LogicalPlan): Seq[MatchRecognize] = {
    val inner = plan.innerChildren.collect { case query: LogicalPlan =>
      inlined(ForeignText.closed(query))
    }
    (inner ++ plan.children ++ plan.subqueries).flatMap(nodes) ++
      Some(plan).collect { case node: MatchRecognize => node }
  }
}
