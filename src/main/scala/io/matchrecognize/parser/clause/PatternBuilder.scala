package io.matchrecognize.parser.clause

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.tree.ParseTree

import io.matchrecognize.errors.UserText.quoted
import io.matchrecognize.parser.clause.ClauseGrammar._
import io.matchrecognize.parser.statement.{ParameterValues, StatementText, SyntaxErrors}
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.pattern.RowPattern._

/** Builds the row pattern from PATTERN's parse tree. Groups only determine its structure. */
private[clause] final class PatternBuilder(statement: StatementText, parameters: ParameterValues) {

  def build(context: RowPatternContext): RowPattern = {
    val branches = context.rowPatternTerm.asScala.toSeq.map(term)
    if (branches.length == 1) branches.head else Alternation(branches)
  }

  private def term(context: RowPatternTermContext): RowPattern = {
    val factors = context.rowPatternFactor.asScala.toSeq.map(factor)
    if (factors.length == 1) factors.head else Concatenation(factors)
  }

  private def factor(context: RowPatternFactorContext): RowPattern = {
    val element = primary(context.rowPatternPrimary)
    Option(context.rowPatternQuantifier).fold(element) { quantifier =>
      val (lower, upper) =
        if (quantifier.symbol == null) bounds(quantifier, context.rowPatternPrimary)
        else
          quantifier.symbol.getText match {
            case "*" => (0, None)
            case "+" => (1, None)
            case _ => (0, Some(1))
          }
      Quantified(element, lower, upper, greedy = quantifier.reluctant == null)
    }
  }

  private def bounds(
      quantifier: RowPatternQuantifierContext,
      element: RowPatternPrimaryContext
  ): (Int, Option[Int]) = {
    val text = statement.between(quantifier.start, quantifier.stop)
    // Too large a number is too large as a LONG as well.
    def value(bound: QuantifierBoundContext): Long =
      if (bound.INTEGER == null) parameters.bound(bound.start, bound.stop, text)
      else BigInt(bound.getText).min(Long.MaxValue).toLong
    val exact = Option(quantifier.exact).map(value)
    val lower = exact.orElse(Option(quantifier.lower).map(value)).getOrElse(0L)
    val upper = exact.orElse(Option(quantifier.upper).map(value))
    if (lower > Int.MaxValue || upper.exists(u => u < 1 || u < lower || u > Int.MaxValue))
      SyntaxErrors.own(
        statement.origin(quantifier),
        "INVALID_PATTERN.QUANTIFIER_BOUNDS",
        "quantifier" -> quoted(text),
        "element" -> quoted(statement.between(element.start, element.stop))
      )
    (lower.toInt, upper.map(_.toInt))
  }

  private def primary(context: RowPatternPrimaryContext): RowPattern = context match {
    case variable: VariableContext =>
      Variable(SyntaxErrors.variable(statement, variable.identifier.start))
    case _: EmptyPatternContext => Empty
    case group: GroupContext => build(group.rowPattern)
    case _: StartAnchorContext => StartAnchor
    case exclusion: ExclusionContext => Exclusion(build(exclusion.rowPattern))
    case permutation: PermutationContext =>
      Permutation(permutation.rowPattern.asScala.toSeq.map(build))
    case _ => EndAnchor
  }
}

private[clause] object PatternBuilder {

  /** The nodes of a parse tree, outer ones first. */
  def nodes(tree: ParseTree): Iterator[ParseTree] = Iterator.unfold(List(tree)) {
    case Nil => None
    case node :: others =>
      Some(node -> ((0 until node.getChildCount).map(node.getChild) ++: others))
  }
}
