package io.matchrecognize.parser.clause

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{NamedParameter, PosParameter, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.errors.MatchRecognizeErrors
import io.matchrecognize.parser.clause.ClauseGrammar._
import io.matchrecognize.parser.statement.StatementText
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.pattern.RowPattern.Quantified
import io.matchrecognize.plans.QuantifierBounds

/**
 * Reads the quantifiers of one pattern. Bounds that are literals are checked here, the others have
 * their values in analysis.
 */
private[clause] final class QuantifierReader(statement: StatementText) {
  private val found = ArrayBuffer.empty[QuantifierBounds]
  private var count = 0

  def unresolved: Seq[QuantifierBounds] = found.toSeq

  /** The number of a quantifier, to be taken before its element is built. */
  def nextNumber(): Int = {
    count += 1
    count - 1
  }

  def quantified(element: RowPattern, factor: RowPatternFactorContext, number: Int): RowPattern = {
    val context = factor.rowPatternQuantifier
    val greedy = context.reluctant == null
    val bounds = Seq(context.exact, context.lower, context.upper).filter(_ != null)
    if (context.symbol != null) context.symbol.getText match {
      case "*" => Quantified(element, 0, None, greedy)
      case "+" => Quantified(element, 1, None, greedy)
      case _ => Quantified(element, 0, Some(1), greedy)
    }
    else if (bounds.forall(_.isInstanceOf[LiteralBoundContext])) {
      val (lower, upper) = literals(factor, context)
      Quantified(element, lower, upper, greedy)
    } else {
      found += expressions(factor, context, number)
      Quantified(element, 0, None, greedy)
    }
  }

  private def literals(
      factor: RowPatternFactorContext,
      context: RowPatternQuantifierContext
  ): (Int, Option[Int]) = {
    val exact = Option(context.exact).map(integer)
    val lower = exact.orElse(Option(context.lower).map(integer))
    val upper = exact.orElse(Option(context.upper).map(integer))
    QuantifierBounds.checked(lower, upper).getOrElse {
      throw MatchRecognizeErrors.quantifierBounds(
        statement.between(context.start, context.stop),
        None,
        element(factor),
        statement.origin(context.start, context.stop)
      )
    }
  }

  private def expressions(
      factor: RowPatternFactorContext,
      context: RowPatternQuantifierContext,
      number: Int
  ): QuantifierBounds = {
    val lower = Option(context.exact).orElse(Option(context.lower))
    val upper = Option(context.upper)
    CurrentOrigin.withOrigin(statement.origin(context.start, context.stop)) {
      QuantifierBounds(
        number,
        lower.map(expression),
        upper.map(expression),
        context.exact != null,
        element(factor),
        (lower ++ upper).toSeq.map(bound => statement.origin(bound.start, bound.stop))
      )
    }
  }

  private def expression(bound: QuantifierBoundContext): Expression =
    CurrentOrigin.withOrigin(statement.origin(bound.start, bound.stop)) {
      bound match {
        case _: PositionalBoundContext => PosParameter(bound.start.getStartIndex)
        case named: NamedBoundContext =>
          NamedParameter(StatementText.name(named.identifier.start))
        case variable: VariableBoundContext =>
          UnresolvedAttribute(
            variable.identifier.asScala.toSeq.map(part => StatementText.name(part.start))
          )
        case literal => Literal(integer(literal))
      }
    }

  /** Too large a number is too large as a LONG as well. */
  private def integer(bound: QuantifierBoundContext): Long =
    BigInt(bound.getText).min(Long.MaxValue).toLong

  private def element(factor: RowPatternFactorContext): String = {
    val written = factor.rowPatternPrimary
    statement.between(written.start, written.stop)
  }
}
