package io.matchrecognize.pattern

import io.matchrecognize.pattern.RowPattern._

/**
 * Writes a row pattern as SQL text that parses back to the same pattern, with as few parentheses as
 * its meaning needs: `(A | B)+ C{2,3}? {- D -} PERMUTE(A, B) ^ $ ()`.
 *
 * @param quantifiers
 *   texts that replace quantifiers, by their numbers: in the order in which their elements begin
 */
private[pattern] final class RowPatternText private (quantifiers: Map[Int, String]) {
  import RowPatternText._

  private var next = 0

  private def render(pattern: RowPattern, level: Int): String = pattern match {
    case Variable(name) => quote(name)
    case StartAnchor => "^"
    case EndAnchor => "$"
    case Empty | Concatenation(Seq()) | Alternation(Seq()) => "()"
    case Concatenation(Seq(single)) => render(single, level)
    case Alternation(Seq(single)) => render(single, level)
    case Concatenation(elements) =>
      enclose(elements.map(render(_, ConcatenationLevel)).mkString(" "), ConcatenationLevel, level)
    case Alternation(branches) =>
      enclose(branches.map(render(_, AlternationLevel)).mkString(" | "), AlternationLevel, level)
    case quantified: Quantified =>
      val number = next
      next += 1
      val element = render(quantified.element, PrimaryLevel)
      enclose(element + quantifiers.getOrElse(number, suffix(quantified)), FactorLevel, level)
    case Exclusion(element) => s"{- ${render(element, AlternationLevel)} -}"
    case Permutation(elements) =>
      elements.map(render(_, AlternationLevel)).mkString("PERMUTE(", ", ", ")")
  }
}

private[pattern] object RowPatternText {
  // How tightly a piece of text binds; a piece inside a tighter one gets parentheses.
  private final val AlternationLevel = 0
  private final val ConcatenationLevel = 1
  private final val FactorLevel = 2
  private final val PrimaryLevel = 3

  private val plainName = "[A-Za-z_][A-Za-z0-9_]*".r

  def render(pattern: RowPattern, quantifiers: Map[Int, String]): String =
    new RowPatternText(quantifiers).render(pattern, AlternationLevel)

  private def enclose(text: String, own: Int, level: Int): String =
    if (own < level) s"($text)" else text

  private def suffix(quantified: Quantified): String = {
    val bounds = (quantified.lower, quantified.upper) match {
      case (0, None) => "*"
      case (1, None) => "+"
      case (0, Some(1)) => "?"
      case (lower, None) => s"{$lower,}"
      case (lower, Some(upper)) if lower == upper => s"{$lower}"
      case (lower, Some(upper)) => s"{$lower,$upper}"
    }
    if (quantified.greedy) bounds else bounds + "?"
  }

  /** PERMUTE is not reserved, but before a parenthesis it would not be read as a variable. */
  private def quote(name: String): String = name match {
    case plainName() if !name.equalsIgnoreCase("PERMUTE") => name
    case _ => "`" + name.replace("`", "``") + "`"
  }
}
