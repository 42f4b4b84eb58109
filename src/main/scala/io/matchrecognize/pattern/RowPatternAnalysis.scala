package io.matchrecognize.pattern

import scala.annotation.tailrec

import io.matchrecognize.pattern.RowPattern._

/** Facts about a row pattern that follow from its shape alone. */
object RowPatternAnalysis {

  /**
   * The primary variables in order of first appearance, each in the spelling of that appearance.
   *
   * @param canonical
   *   maps two spellings to equal texts iff they name one variable
   */
  def variables(pattern: RowPattern, canonical: String => String): IndexedSeq[String] =
    labels(pattern).distinctBy(canonical).toIndexedSeq

  /** All occurrences of variables, in the order of the text. */
  def labels(pattern: RowPattern): Iterator[String] = {
    @tailrec def next(open: List[RowPattern]): Option[(String, List[RowPattern])] = open match {
      case Nil => None
      case Label(name) :: others => Some(name -> others)
      case part :: others => next(children(part) ++: others)
    }
    Iterator.unfold(List(pattern))(next)
  }

  /** Whether the pattern may map no row at all, anchors taken as holding. */
  def isNullable(pattern: RowPattern): Boolean = minLength(pattern) == 0

  /** The least number of rows that a match maps; stops growing at the largest Long. */
  def minLength(pattern: RowPattern): Long = pattern match {
    case Label(_) => 1
    case StartAnchor | EndAnchor | Empty => 0
    case Alternation(branches) => branches.iterator.map(minLength).minOption.getOrElse(0L)
    case Quantified(element, lower, _, _) => times(minLength(element), lower)
    case other => children(other).iterator.map(minLength).foldLeft(0L)(plus)
  }

  /** The largest number of rows that a match maps, None if there is no bound. */
  def maxLength(pattern: RowPattern): Option[Long] = pattern match {
    case Label(_) => Some(1)
    case StartAnchor | EndAnchor | Empty => Some(0)
    case Alternation(branches) =>
      branches.foldLeft(Option(0L))((sum, branch) => map2(sum, maxLength(branch))(_ max _))
    case Quantified(element, _, upper, _) =>
      val once = maxLength(element)
      if (once.contains(0L)) once else map2(once, upper)((rows, count) => times(rows, count))
    case other =>
      children(other).foldLeft(Option(0L))((sum, part) => map2(sum, maxLength(part))(plus))
  }

  /** Whether some path maps a row, in other words whether a variable occurs. */
  def mapsRows(pattern: RowPattern): Boolean = labels(pattern).hasNext

  def hasExclusion(pattern: RowPattern): Boolean = exists(pattern)(_.isInstanceOf[Exclusion])

  def hasAnchors(pattern: RowPattern): Boolean =
    exists(pattern)(part => part == StartAnchor || part == EndAnchor)

  /**
   * Whether the pattern has exactly one path: no alternative, no quantifier with a choice. Such an
   * element of PERMUTE leaves nothing to decide but its place.
   */
  def isRigid(pattern: RowPattern): Boolean = pattern match {
    case Label(_) | StartAnchor | EndAnchor | Empty => true
    case Quantified(element, lower, upper, _) => upper.contains(lower) && isRigid(element)
    case Alternation(branches) => branches.size == 1 && isRigid(branches.head)
    case Permutation(elements) => elements.size == 1 && isRigid(elements.head)
    case other => children(other).forall(isRigid)
  }

  private def children(pattern: RowPattern): Seq[RowPattern] = pattern match {
    case Concatenation(elements) => elements
    case Alternation(branches) => branches
    case Permutation(elements) => elements
    case Quantified(element, _, _, _) => Seq(element)
    case Exclusion(element) => Seq(element)
    case Label(_) | StartAnchor | EndAnchor | Empty => Nil
  }

  private def exists(pattern: RowPattern)(test: RowPattern => Boolean): Boolean =
    test(pattern) || children(pattern).exists(exists(_)(test))

  private def map2[A, B](a: Option[A], b: Option[B])(f: (A, B) => Long): Option[Long] =
    for (x <- a; y <- b) yield f(x, y)

  private def plus(a: Long, b: Long): Long =
    if (a > Long.MaxValue - b) Long.MaxValue else a + b

  private def times(a: Long, b: Int): Long =
    if (a != 0 && b > Long.MaxValue / a) Long.MaxValue else a * b
}
