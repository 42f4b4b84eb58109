package io.matchrecognize.pattern

/**
 * The row pattern of a PATTERN clause (ISO/IEC 9075-2, row pattern), as written.
 *
 * A pattern maps consecutive rows to row pattern variables; among several mappings the standard's
 * preferment picks one: left branches first, greedy quantifiers prefer another iteration, reluctant
 * ones prefer leaving.
 */
sealed abstract class RowPattern {

  // What `Automaton.of` has built, with its limits. Plans are copied, but not their patterns, so
  // analysis, all copies of an operator and all batches of a stream share one.
  @transient @volatile private[pattern] var built: Option[(Automaton, Int, Int)] = None

  /** The pattern as SQL text, with as few parentheses as its meaning needs. */
  def sql: String = RowPatternText.render(this, Map.empty)

  /** The pattern as SQL text, with these texts for the quantifiers of these numbers. */
  def sqlWith(quantifiers: Map[Int, String]): String = RowPatternText.render(this, quantifiers)

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
