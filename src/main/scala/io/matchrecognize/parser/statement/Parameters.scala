package io.matchrecognize.parser.statement

import org.apache.spark.sql.catalyst.analysis.{NamedParameter, PosParameter}
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

import io.matchrecognize.shims.StatementParameters

/**
 * The positional parameter markers of a statement. A `?` inside the parentheses of PATTERN is a
 * quantifier unless a brace or a comma precedes it: `A{?} B{1,?}?` has two markers.
 */
private[parser] final class ParameterMarkers(statement: StatementText, masked: MaskedText) {

  /** Indexes of all markers; to be evaluated before the clauses are parsed. */
  val all: Seq[Int] = {
    val tokens = statement.tokens
    val patterns = tokens.indices.filter { i =>
      StatementText.isWord(tokens(i), "PATTERN") && masked.insideClause(tokens(i).getStartIndex) &&
      tokens(i + 1).getType == SqlBaseLexer.LEFT_PAREN
    }
    tokens.indices
      .filter(i => tokens(i).getType == SqlBaseLexer.QUESTION)
      .filter { i =>
        val isBound = i > 0 && Set("{", ",")(tokens(i - 1).getText)
        isBound || !patterns.exists(p => p < i && statement.partner.get(p + 1).exists(_ > i))
      }
      .map(tokens(_).getStartIndex)
  }

  /** Numbers of the markers outside all clauses. */
  val outside: Seq[Int] = all.indices.filterNot(i => masked.insideClause(all(i)))
}

/**
 * Values of the parameter markers inside clauses, for the Spark minors whose parser replaces the
 * markers itself. A marker without a value stays, and Spark reports it as unbound.
 *
 * Positional markers are numbered over the whole statement; see [[ParameterMarkers]].
 *
 * @param positions
 *   indexes of the statement's markers in their order
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
