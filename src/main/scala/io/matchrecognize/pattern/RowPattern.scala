package io.matchrecognize.pattern

/**
 * The row pattern of a PATTERN clause (ISO/IEC 9075-2, row pattern), as written.
 *
 * A pattern maps consecutive rows to row pattern variables; among several mappings the standard's
 * preferment picks one: left branches first, greedy quantifiers prefer another iteration, reluctant
 * ones prefer leaving.
 */
sealed abstract class RowPattern {

  // The automaton and the limit it was built under. Plans are copied, but not their patterns, so
  // analysis, all copies of an operator and all batches of a stream share what is built once.
  @transient @volatile private[pattern] var built: Option[(Automaton, Int)] = None

  /** The pattern as SQL text, with as few parentheses as its meaning needs. */
  def sql: String = RowPatternText.render(this)

  /** Its direct parts, in the order of the text. */
  def children: Seq[RowPattern] = this match {
    case RowPattern.Concatenation(elements) => elements
    case RowPattern.Alternation(branches) => branches
    case RowPattern.Permutation(elements) => elements
    case RowPattern.Quantified(element, _, _, _) => Seq(element)
    case RowPattern.Exclusion(element) => Seq(element)
    case _ => Nil
  }

  def mapChildren(f: RowPattern => RowPattern): RowPattern = this match {
    case RowPattern.Concatenation(elements) => RowPattern.Concatenation(elements.map(f))
    case RowPattern.Alternation(branches) => RowPattern.Alternation(branches.map(f))
    case RowPattern.Permutation(elements) => RowPattern.Permutation(elements.map(f))
    case quantified: RowPattern.Quantified => quantified.copy(element = f(quantified.element))
    case RowPattern.Exclusion(element) => RowPattern.Exclusion(f(element))
    case leaf => leaf
  }

  /** Whether the predicate holds for the pattern or a part of it. */
  def exists(p: RowPattern => Boolean): Boolean = p(this) || children.exists(_.exists(p))
}

object RowPattern {

  /** A primary variable, spelled as in PATTERN. */
  final case class Variable(name: String) extends RowPattern

  final case class Concatenation(elements: Seq[RowPattern]) extends RowPattern

  final case class Alternation(branches: Seq[RowPattern]) extends RowPattern

  /** Row pattern quantifier; 0 <= lower <= upper and upper > 0, no upper bound if None. */
  final case class Quantified(
      element: RowPattern,
      lower: Int,
      upper: Option[Int],
      greedy: Boolean
  ) extends RowPattern

  /** PERMUTE: all orders of the elements, preferred in the lexicographic order of the list. */
  final case class Permutation(elements: Seq[RowPattern]) extends RowPattern

  /** `{- ... -}`: rows mapped inside are hidden from the output of ALL ROWS PER MATCH. */
  final case class Exclusion(element: RowPattern) extends RowPattern

  /** `^`: holds before the first row of the partition. */
  case object StartAnchor extends RowPattern

  /** `$`: holds after the last row of the partition. */
  case object EndAnchor extends RowPattern

  /** `()`: maps no row. */
  case object Empty extends RowPattern
}

/**
 * Writes a row pattern as SQL text that parses back to the same pattern, with as few parentheses as
 * its meaning needs: `(A | B)+ C{2,3}? {- D -} PERMUTE(A, B) ^ $ ()`.
 */
private object RowPatternText {
  import RowPattern._

  // How tightly a piece of text binds; a piece inside a tighter one gets parentheses.
  private final val AlternationLevel = 0
  private final val ConcatenationLevel = 1
  private final val FactorLevel = 2
  private final val PrimaryLevel = 3

  private val plainName = "[A-Za-z_][A-Za-z0-9_]*".r

  def render(pattern: RowPattern): String = render(pattern, AlternationLevel)

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
      val element = render(quantified.element, PrimaryLevel)
      enclose(element + suffix(quantified), FactorLevel, level)
    case Exclusion(element) => s"{- ${render(element, AlternationLevel)} -}"
    case Permutation(elements) =>
      elements.map(render(_, AlternationLevel)).mkString("PERMUTE(", ", ", ")")
  }

  private def enclose(text: String, own: Int, level: Int): String =
    if (own < level) s"($text)" else text

  private def suffix(quantified: RowPattern.Quantified): String = {
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
