package io.matchrecognize.pattern

import scala.collection.mutable

import io.matchrecognize.pattern.RowPattern._

/**
 * Rewrites a row pattern to a smaller one with the same paths in the same preferment.
 *
 *   - nested concatenations and alternations become flat, groups of one element vanish
 *   - `()` vanishes from concatenations, as does an exclusion that maps no row
 *   - an exclusion inside an exclusion hides nothing more
 *   - `X{1}` is X; a body that maps no row is quantified by `{1}` or `?`: a second iteration
 *     changes nothing
 *   - nested greedy quantifiers over an element that maps a row become one if they allow the same
 *     numbers of it: `(X?){n}`, `(X*)+`, `(X+)+`
 *   - a branch equal to an earlier one is dropped: it is never preferred
 */
object RowPatternNormalizer {

  /** A loop over the parts from the inside out: a deep pattern takes no deep stack. */
  def normalize(pattern: RowPattern): RowPattern = {
    val whole = new Open(Empty, excluded = false)
    val open = mutable.Stack(new Open(pattern, excluded = false), whole)
    while (open.size > 1) {
      val part = open.top
      if (part.children.hasNext) open.push(new Open(part.children.next(), part.excludesParts))
      else {
        open.pop()
        open.top.normalized.enqueue(simplify(part.withNormalizedParts, part.excluded))
      }
    }
    whole.normalized.head
  }

  /** A part of the pattern and as many of its own parts, normalised, as the loop has passed. */
  private final class Open(pattern: RowPattern, val excluded: Boolean) {
    val children: Iterator[RowPattern] = pattern.children.iterator
    val normalized: mutable.Queue[RowPattern] = mutable.Queue.empty
    def excludesParts: Boolean = excluded || pattern.isInstanceOf[Exclusion]
    def withNormalizedParts: RowPattern = pattern.mapChildren(_ => normalized.dequeue())
  }

  /** A pattern with normalised parts, normalised. */
  private def simplify(pattern: RowPattern, excluded: Boolean): RowPattern =
    pattern match {
      case Concatenation(elements) =>
        grouped(
          elements.flatMap {
            case Concatenation(inner) => inner
            case Empty => Nil
            case other => Seq(other)
          },
          Concatenation(_)
        )
      case Alternation(branches) =>
        val flat = branches.flatMap {
          case Alternation(inner) => inner
          case other => Seq(other)
        }
        grouped(flat.distinct, Alternation(_))
      case Quantified(Empty, _, _, _) => Empty
      case Quantified(body, lower, upper, greedy) =>
        if (RowPatternAnalysis.mapsRows(body)) quantify(body, lower, upper, greedy)
        else quantify(body, lower.min(1), Some(1), greedy)
      case Permutation(elements) => grouped(elements, Permutation(_))
      case Exclusion(body) if excluded || !RowPatternAnalysis.mapsRows(body) => body
      case other => other
    }

  private def grouped(parts: Seq[RowPattern], make: Seq[RowPattern] => RowPattern): RowPattern =
    parts match {
      case Seq() => Empty
      case Seq(single) => single
      case several => make(several)
    }

  private def quantify(
      body: RowPattern,
      lower: Int,
      upper: Option[Int],
      greedy: Boolean
  ): RowPattern = body match {
    case Quantified(_, _, _, true) if !greedy && upper.contains(lower) =>
      // A fixed number of iterations leaves nothing to prefer.
      quantify(body, lower, upper, greedy = true)
    case _ if lower == 1 && upper.contains(1) => body
    // One more element is preferred to the end of the inner loop and of the outer one, so the
    // preferment is that of one loop.
    case Quantified(element, 0, innerUpper, true)
        if greedy && !RowPatternAnalysis.isNullable(element) =>
      val product = for (a <- innerUpper; b <- upper) yield a.toLong * b
      if (product.exists(_ > Int.MaxValue)) Quantified(body, lower, upper, greedy)
      else quantify(element, 0, product.map(_.toInt), greedy)
    // If two iterations both need an element, a choice inside the first element comes before the
    // number of elements; without such a choice only the number is left.
    case Quantified(element, 1, None, true)
        if greedy && !RowPatternAnalysis.isNullable(element) &&
          (lower <= 1 || RowPatternAnalysis.isRigid(element)) =>
      quantify(element, lower, None, greedy)
    case _ => Quantified(body, lower, upper, greedy)
  }
}
