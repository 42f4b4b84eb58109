package io.matchrecognize.pattern

import scala.annotation.tailrec

import io.matchrecognize.pattern.RowPattern._

/** Facts about a row pattern that follow from its shape alone. */
object RowPatternAnalysis {

  /**
   * The primary variables in order of first appearance, each in the spelling of that appearance.
   *
   * @param canonical
   *   maps two spellings to equal texts iff they name the same variable
   */
  def variables(pattern: RowPattern, canonical: String => String): IndexedSeq[String] =
    variableOccurrences(pattern).distinctBy(canonical).toIndexedSeq

  /** All occurrences of variables, in the order of the text. */
  def variableOccurrences(pattern: RowPattern): Iterator[String] = {
    @tailrec def next(open: List[RowPattern]): Option[(String, List[RowPattern])] = open match {
      case Nil => None
      case Variable(name) :: others => Some(name -> others)
      case part :: others => next(part.children ++: others)
    }
    Iterator.unfold(List(pattern))(next)
  }

  /** Whether the pattern can map no row, if its anchors hold. */
  def isNullable(pattern: RowPattern): Boolean = pattern match {
    case Variable(_) => false
    case Alternation(branches) => branches.isEmpty || branches.exists(isNullable)
    case Quantified(element, lower, _, _) => lower == 0 || isNullable(element)
    case other => other.children.forall(isNullable)
  }

  /** Whether some path maps a row, in other words whether a variable occurs. */
  def mapsRows(pattern: RowPattern): Boolean = variableOccurrences(pattern).hasNext

  /** Whether some path maps a row to `first` before it maps one to `second`. */
  def canPrecede(pattern: RowPattern, first: String, second: String): Boolean = {
    def has(part: RowPattern, name: String) = variableOccurrences(part).contains(name)
    def crosses(i: Int, parts: Seq[RowPattern], isAny: Boolean) = has(parts(i), first) &&
      parts.indices.exists(k => (if (isAny) k != i else k > i) && has(parts(k), second))
    pattern.children.exists(canPrecede(_, first, second)) || (pattern match {
      case Concatenation(parts) => parts.indices.exists(crosses(_, parts, isAny = false))
      case Permutation(parts) => parts.indices.exists(crosses(_, parts, isAny = true))
      case Quantified(element, _, upper, _) =>
        upper.forall(_ > 1) && has(element, first) && has(element, second)
      case _ => false
    })
  }

  /**
   * Whether the pattern has exactly one path: no alternative, no quantifier with a choice. Such an
   * element of PERMUTE has no choice but its place in the order.
   */
  def isRigid(pattern: RowPattern): Boolean = pattern match {
    case Quantified(element, lower, upper, _) => upper.contains(lower) && isRigid(element)
    case Alternation(_) | Permutation(_) if pattern.children.size != 1 => false
    case other => other.children.forall(isRigid)
  }
}
