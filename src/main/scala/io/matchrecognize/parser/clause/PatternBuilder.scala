package io.matchrecognize.parser.clause

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.tree.ParseTree

import io.matchrecognize.errors.UserText
import io.matchrecognize.parser.clause.ClauseGrammar._
import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.pattern.RowPattern._

/** Builds the row pattern from PATTERN's parse tree. Groups only determine its structure. */
private[clause] final class PatternBuilder(statement: StatementText) {

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
    Option(context.rowPatternQuantifier).map(quantified(element, context, _)).getOrElse(element)
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

  private def quantified(
      element: RowPattern,
      factor: RowPatternFactorContext,
      context: RowPatternQuantifierContext
  ): RowPattern = {
    val (lower, upper) =
      if (context.symbol != null) context.symbol.getText match {
        case "*" => (BigInt(0), None)
        case "+" => (BigInt(1), None)
        case _ => (BigInt(0), Some(BigInt(1)))
      }
      else if (context.exact != null) {
        val exact = BigInt(context.exact.getText)
        (exact, Some(exact))
      } else {
        val lower = Option(context.lower).map(t => BigInt(t.getText)).getOrElse(BigInt(0))
        (lower, Option(context.upper).map(t => BigInt(t.getText)))
      }
    val holds =
      lower <= Int.MaxValue && upper.forall(u => u >= 1 && u >= lower && u <= Int.MaxValue)
    if (!holds) {
      val written = factor.rowPatternPrimary
      SyntaxErrors.own(
        "MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_BOUNDS",
        Map(
          "quantifier" -> UserText.quoted(statement.between(context.start, context.stop)),
          "element" -> UserText.quoted(statement.between(written.start, written.stop))
        ),
        statement.origin(context.start, context.stop)
      )
    }
    Quantified(element, lower.toInt, upper.map(_.toInt), greedy = context.reluctant == null)
  }
}

private[clause] object PatternBuilder {

  /** The first exclusion of a parse tree. */
  def firstExclusion(context: RowPatternContext): Option[ExclusionContext] =
    nodes(context).collectFirst { case exclusion: ExclusionContext => exclusion }

  /** The first anchor or exclusion of a parse tree. */
  def anchorOrExclusion(context: RowPatternContext): Option[RowPatternPrimaryContext] =
    nodes(context).collectFirst {
      case found @ (_: ExclusionContext | _: StartAnchorContext | _: EndAnchorContext) =>
        found.asInstanceOf[RowPatternPrimaryContext]
    }

  /** Every PERMUTE of a parse tree, outer ones first. */
  def permutations(context: RowPatternContext): Seq[PermutationContext] =
    nodes(context).collect { case permutation: PermutationContext => permutation }.toSeq

  private def nodes(tree: ParseTree): Iterator[ParseTree] = Iterator.unfold(List(tree)) {
    case Nil => None
    case node :: others =>
      Some(node -> ((0 until node.getChildCount).map(node.getChild) ++: others))
  }
}
