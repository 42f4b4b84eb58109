package io.matchrecognize.analysis

import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.matchrecognize.StreamOperators

import io.matchrecognize.analysis.checks.{EarlyChecks, KeyChecks, OutputColumns, PatternSize}
import io.matchrecognize.analysis.names.{NamedKeys, PatternVariables, ResolveNames, SqlFunctions}
import io.matchrecognize.analysis.placement.OperatorPlacement
import io.matchrecognize.analysis.stream.{RowtimeWatermark, StreamInput}
import io.matchrecognize.analysis.typing.{ExpressionRewrite, ResolveNavigation, WithinChecks}
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.expressions._
import io.matchrecognize.plans.{MatchRecognize, UnresolvedMatchRecognize}

/**
 * Matches [[UnresolvedMatchRecognize]] over a resolved child and produces a Project of aliases over
 * [[MatchRecognize]]. It works in two visits, because Spark's own rules resolve functions and types
 * between them: the first reads the names of MEASURES and DEFINE ([[ResolveNames]]), the second,
 * once every expression is resolved, checks and types them ([[ResolveNavigation]]).
 *
 * It runs in the resolution batch after Spark's rules, since the names of PARTITION BY and ORDER BY
 * and session variables are theirs to resolve.
 */
object ResolveMatchRecognize extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case clause: UnresolvedMatchRecognize if clause.child.resolved =>
      CurrentOrigin.withOrigin(clause.positions.clause) {
        if (clause.partitionSpec.exists(_.isInstanceOf[Alias])) NamedKeys.place(clause)
        else resolve(clause)
      }
  }

  private def resolve(clause: UnresolvedMatchRecognize): LogicalPlan = {
    val variables = PatternVariables.of(clause)
    if (expressions(clause).exists(isUnread)) {
      EarlyChecks.check(clause)
      val read = mapClauseExpressions(clause) { (text, expression) =>
        new ResolveNames(variables, clause.child, clause.orderSpec, text).read(expression)
      }
      EarlyChecks.note(read)
      read
    } else {
      val read = mapClauseExpressions(clause) { (text, expression) =>
        new ResolveNames(variables, clause.child, clause.orderSpec, text)
          .readSessionVariables(expression)
      }
      val expanded = read
        .mapExpressions(e => ExpressionRewrite.subqueries(SqlFunctions.expand(e)))
        .asInstanceOf[UnresolvedMatchRecognize]
      if (expanded.expressions.forall(isReady)) finish(expanded, variables)
      else {
        EarlyChecks.checkStuck(clause, variables)
        expanded
      }
    }
  }

  /** Nothing is left to Spark's rules. */
  private def isReady(expression: Expression): Boolean = expression match {
    case _: MalformedBound => true
    case other => other.resolved
  }

  private def expressions(clause: UnresolvedMatchRecognize): Seq[Expression] =
    clause.measures ++ clause.conditions

  private def isUnread(expression: Expression): Boolean = expression.exists {
    case _: UnresolvedPatternExpression => true
    case _ => false
  }

  private def mapClauseExpressions(
      clause: UnresolvedMatchRecognize
  )(f: (String, Expression) => Expression): UnresolvedMatchRecognize =
    clause.copy(
      measures = clause.measures.map(f("MEASURES", _)),
      conditions =
        clause.definedVariables.zip(clause.conditions).map { case (variable, condition) =>
          f(clause.defineText(variable), condition)
        }
    )

  private def finish(
      written: UnresolvedMatchRecognize,
      variables: PatternVariables
  ): LogicalPlan = {
    val isStreaming = written.child.isStreaming
    if (isStreaming && !StreamOperators.areSupported)
      throw Errors.notYet("MATCH_RECOGNIZE on a stream", written.positions.clause)
    if (isStreaming) StreamInput.checkTypes(written)
    KeyChecks.check(written)
    // A node that Spark 4.0 does not have.
    if (written.child.exists(_.nodeName == "UnionLoopRef"))
      throw Errors.recursiveReference(written.positions.clause)
    val clause = if (isStreaming) StreamInput.prepare(written) else written
    PatternSize.check(clause.pattern, clause.positions)
    val measures =
      clause.measures.map(new ResolveNavigation("MEASURES", inDefine = false).finish(_))
    val within = WithinChecks.bound(clause)
    val conditions =
      clause.definedVariables.zip(clause.conditions).map { case (variable, condition) =>
        new ResolveNavigation(clause.defineText(variable), inDefine = true)
          .finishCondition(condition)
      }
    val table = MatchRecognize(
      partitionSpec = clause.partitionSpec,
      orderSpec = clause.orderSpec,
      measures = measures.map(ExpressionRewrite.plain),
      measureOutput = clause.measureNames.zip(measures).map { case (name, measure) =>
        AttributeReference(name, measure.dataType, nullable = true)()
      },
      rowsPerMatch = clause.rowsPerMatch,
      afterMatchSkip = clause.afterMatchSkip.map(variables.require(_, clause.positions.skipTarget)),
      pattern = variables.respell(clause.pattern),
      within = within,
      subsets = variables.subsets,
      definedVariables = clause.definedVariables.map(name => variables.find(name).getOrElse(name)),
      conditions = conditions.map(ExpressionRewrite.plain),
      stream = None,
      child = clause.child
    )
    val resolved = if (isStreaming) RowtimeWatermark.streamed(clause, table) else table
    OutputColumns.check(clause, resolved)
    new OperatorPlacement(variables).place(resolved)
  }
}
