package io.matchrecognize.parser.clause

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.tree.ParseTree

import io.matchrecognize.parser.clause.ClauseGrammar._
import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.plans.QuantifierBounds

/** Builds the row pattern from PATTERN's parse tree. Groups only determine its structure. */
private[clause] final class PatternBuilder(statement: StatementText) {
  private val bounds = new QuantifierReader(statement)

  /** The quantifiers of what was built whose bounds are expressions. */
  def quantifiers: Seq[QuantifierBounds] = bounds.unresolved

  def build(context: RowPatternContext): RowPattern = {
    val branches = context.rowPatternTerm.asScala.toSeq.map(term)
    if (branches.length == 1) branches.head else Alternation(branches)
  }

  private def term(context: RowPatternTermContext): RowPattern = {
    val factors = context.rowPatternFactor.asScala.toSeq.map(factor)
    if (factors.length == 1) factors.head else Concatenation(factors)
  }

  private def factor(context: RowPatternFactorContext): RowPattern = {
    val number = if (context.rowPatternQuantifier == null) None else Some(bounds.nextNumber())
    val element = primary(context.rowPatternPrimary)
    number.fold(element)(bounds.quantified(element, context, _))
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
