package io.matchrecognize.parser

import org.apache.spark.sql.catalyst.analysis.{NamedParameter, PosParameter}
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}

import io.matchrecognize.shims.StatementParameters

/**
 * Values of the parameter markers inside clauses, for the Spark minors whose parser replaces the
 * markers itself. A marker without a value stays, and Spark reports it as unbound.
 *
 * Positional markers are numbered over the whole statement; a `?` that stands in PATTERN is a
 * quantifier and has no number.
 *
 * @param positions
 *   code points of the statement's markers in their order
 */
private[parser] final class ParameterValues(values: StatementParameters, positions: Seq[Int]) {
  private val byPosition = positions.zip(values.positional).toMap

  def bind(expression: Expression): Expression =
    if (values.isEmpty) expression else expression.transformUp(replacement.orElse(insideQuery))

  private val replacement: PartialFunction[Expression, Expression] = {
    case named: NamedParameter if values.named.contains(named.name) => values.named(named.name)
    case marker: PosParameter if byPosition.contains(marker.pos) => byPosition(marker.pos)
  }

  private val insideQuery: PartialFunction[Expression, Expression] = {
    case subquery: SubqueryExpression =>
      subquery.withNewPlan(subquery.plan.transformAllExpressionsWithSubqueries(replacement))
  }
}
