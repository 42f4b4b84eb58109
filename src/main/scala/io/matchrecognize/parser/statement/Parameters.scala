package io.matchrecognize.parser.statement

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.analysis.{NamedParameter, PosParameter}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, SubqueryExpression}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer
import org.apache.spark.sql.types.Decimal

import io.matchrecognize.shims.StatementParameters

/**
 * The positional parameter markers of a statement. A `?` inside the parentheses of PATTERN is a
 * quantifier unless a brace or a comma precedes it: `A{?} B{1,?}?` has two markers.
 *
 * @param clauses
 *   all clauses and row pattern windows
 */
private[parser] final class ParameterMarkers(
    statement: StatementText,
    clauses: Seq[FoundClause],
    masked: MaskedText
) {

  /** Indexes of all markers, also of those in hints; before the clauses are parsed. */
  val all: Seq[Int] = {
    val visible = statement.all.filter(_.getChannel == Token.DEFAULT_CHANNEL)
    visible.indices
      .filter(i => visible(i).getType == SqlBaseLexer.QUESTION)
      .filter { i =>
        val isBound = i > 0 && Set("{", ",")(visible(i - 1).getText)
        isBound || !patterns.exists(_.contains(visible(i).getStartIndex))
      }
      .map(visible(_).getStartIndex)
  }

  private def patterns: Seq[Range] = for {
    clause <- clauses
    word <- PatternWord.parts(statement, clause)
    close <- statement.partner.get(word + 1)
  } yield statement.tokens(word).getStartIndex to statement.tokens(close).getStartIndex

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
  private val named = values.named.map { case (name, value) => name -> asWritten(value) }
  private val byPosition = positions.zip(values.positional.map(asWritten)).toMap

  def bind(expression: Expression): Expression =
    if (values.isEmpty) expression else expression.transformUp(replacement.orElse(insideQuery))

  private val replacement: PartialFunction[Expression, Expression] = {
    case marker: NamedParameter if named.contains(marker.name) => named(marker.name)
    case marker: PosParameter if byPosition.contains(marker.pos) => byPosition(marker.pos)
  }

  /**
   * The value with the type that it has outside the clauses, where Spark writes it into the
   * statement: a decimal has as many digits as are written. Through Connect it has ten or more.
   */
  private def asWritten(value: Expression): Expression = value.transform {
    case Literal(decimal: Decimal, _) => Literal(decimal.toBigDecimal)
  }

  private val insideQuery: PartialFunction[Expression, Expression] = {
    case subquery: SubqueryExpression =>
      subquery.withNewPlan(subquery.plan.transformAllExpressionsWithSubqueries(replacement))
  }
}
