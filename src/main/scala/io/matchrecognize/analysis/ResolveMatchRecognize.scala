package io.matchrecognize.analysis

import org.apache.spark.sql.catalyst.analysis.ResolveTimeZone
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.analysis.checks._
import io.matchrecognize.analysis.names._
import io.matchrecognize.analysis.placement.{NamedKeys, OperatorPlacement}
import io.matchrecognize.analysis.stream.{RowtimeWatermark, StreamInput, WithQueries}
import io.matchrecognize.analysis.typing.{ExpressionRewrite, ResolveNavigation, WithinChecks}
import io.matchrecognize.expressions._
import io.matchrecognize.plans._

/**
 * Matches [[UnresolvedMatchRecognize]] over a resolved child and produces a Project of aliases over
 * [[MatchRecognize]]. It takes two passes, because Spark's own rules resolve functions and types
 * between them: the first reads the names of MEASURES and DEFINE ([[ResolveNames]]), the second,
 * once every expression is resolved, checks and types them ([[ResolveNavigation]]).
 *
 * It runs in the resolution batch after Spark's rules, since those resolve session variables and
 * the names of PARTITION BY and ORDER BY. It makes named keys columns of the input before they read
 * any other name of the clause ([[UnresolvedNamedKeys]]).
 */
object ResolveMatchRecognize extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val queries = new WithQueries(plan)
    plan.resolveOperatorsUp {
      case UnresolvedNamedKeys(keys, places, input)
          if input.resolved && keys.forall(key => key.resolved && key.isInstanceOf[Alias]) =>
        keys.zip(places).foldLeft(input) { case (below, (key, place)) =>
          NamedKeys.place(key.asInstanceOf[Alias], place, below)
        }
      case written: UnresolvedMatchRecognize if written.child.resolved =>
        CurrentOrigin.withOrigin(written.positions.clause) {
          KeyChecks.checkWritten(written)
          val node = OuterConstants.inline(NamedKeys.read(written))
          if (node.clause.partitionSpec.exists(_.isInstanceOf[Alias])) node
          else resolve(node, queries)
        }
      case union: UnresolvedUnion =>
        val queries = union.children.map(SelectList.resolve)
        if (queries.forall(_.resolved)) union.copy(children = queries).united else union
    }
  }

  private def resolve(node: UnresolvedMatchRecognize, queries: WithQueries): LogicalPlan = {
    val variables = PatternVariables.of(node)
    val input = new InputColumns(node.child)
    def names(part: String) = new ResolveNames(variables, node, input, part)
    if (waitsForKey(node)) node
    else if (node.expressionsByPart.exists { case (_, expression) => isUnread(expression) }) {
      EarlyChecks.check(node)
      val read = node.mapByPart((part, expression) => names(part).read(expression))
      EarlyChecks.note(read)
      read
    } else {
      val expanded = node
        .mapByPart((part, expression) => names(part).readSessionVariables(expression))
        .mapExpressions(e => ExpressionRewrite.subqueries(SqlFunctions.expand(e)))
        .asInstanceOf[UnresolvedMatchRecognize]
      if (expanded.clause.children.forall(isReady))
        finish(withTimeZones(withVariables(expanded)), variables, queries)
      else {
        EarlyChecks.checkStuck(node, variables)
        expanded
      }
    }
  }

  /**
   * Whether MATCH_ROWTIME has an argument, which is compared with the first key, and the key is not
   * resolved yet, because the input has just been.
   */
  private def waitsForKey(node: UnresolvedMatchRecognize): Boolean =
    node.clause.orderSpec.headOption.exists(!_.resolved) && node.clause.measures.exists(_.exists {
      case PatternFunctionCall("MATCH_ROWTIME", arguments) => arguments.nonEmpty
      case _ => false
    })

  /**
   * Keeps the session variables of a clause as expressions of their own. What must be constant
   * becomes a value, and Spark would not find its variables in the plan: a temporary view may read
   * only those that were in its plan when it was created, a persistent view none.
   */
  private def withVariables(node: UnresolvedMatchRecognize): UnresolvedMatchRecognize = {
    val read = node.clause.collect { case variable: VariableReference => variable }
    if (read.isEmpty) node else node.copy(clause = node.clause.copy(variables = read.distinct))
  }

  /** Casts between numbers that Spark has just added would get theirs in another pass. */
  private def withTimeZones(node: UnresolvedMatchRecognize): UnresolvedMatchRecognize =
    node.mapByPart((_, expression) => ResolveTimeZone.resolveTimeZones(expression))

  /** Whether nothing is left for Spark's rules. */
  private def isReady(expression: Expression): Boolean =
    expression.resolved || expression.isInstanceOf[MalformedBound]

  private def isUnread(expression: Expression): Boolean =
    expression.exists(_.isInstanceOf[UnresolvedPatternExpression])

  private def finish(
      written: UnresolvedMatchRecognize,
      variables: PatternVariables,
      queries: WithQueries
  ): LogicalPlan = {
    val isStreaming = written.child.isStreaming
    val positions = written.positions
    val isWindow = written.clause.rowsPerMatch.isEachRow
    if (isWindow) ClauseChecks.window(written)
    if (isStreaming) StreamInput.checkTypes(written)
    KeyChecks.check(written)
    val node = if (isStreaming) StreamInput.prepare(written, queries) else written
    val clause = node.clause
    val pattern = variables.respell(clause.pattern)
    ClauseChecks.patternSize(pattern, positions)
    val measures =
      clause.measures.map(new ResolveNavigation("MEASURES", inDefine = false).finish(_))
    val within = WithinChecks.bound(node)
    val conditions = clause.definitions.map { case (variable, condition) =>
      new ResolveNavigation(node.defineText(variable), inDefine = true).finishCondition(condition)
    }
    val skip = clause.afterMatchSkip.map(variables.require(_, positions.skipTarget))
    val table = MatchRecognize(
      clause.copy(
        measures = measures.map(ExpressionRewrite.plain),
        afterMatchSkip = skip,
        pattern = pattern,
        within = within,
        subsets = variables.subsets,
        definedVariables = clause.definedVariables.map(n => variables.find(n).getOrElse(n)),
        conditions = conditions.map(ExpressionRewrite.plain),
        frameEnd = clause.frameEnd.map(ClauseChecks.frameEnd),
        readsClock = conditions.exists(_.exists(ContextFunctions.isCurrentTime))
      ),
      node.measureNames.zip(measures).map { case (name, measure) =>
        AttributeReference(name, measure.dataType, nullable = true)()
      },
      node.child
    )
    val resolved = if (isStreaming) RowtimeWatermark.streamed(node, table, queries) else table
    ClauseChecks.outputColumns(node, resolved)
    new OperatorPlacement(variables).place(resolved)
  }
}
