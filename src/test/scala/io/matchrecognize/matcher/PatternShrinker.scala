package io.matchrecognize.matcher

import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{RowPattern, RowPatternAnalysis}

/** Simpler patterns to try when a fuzz case fails. */
object PatternShrinker {

  /** Patterns with one part less. */
  def smaller(pattern: RowPattern): Iterator[RowPattern] = {
    def parts(elements: Seq[RowPattern])(build: Seq[RowPattern] => RowPattern) =
      elements.iterator ++
        elements.indices.iterator
          .filter(_ => elements.size > 1)
          .map(i => build(elements.patch(i, Nil, 1))) ++
        elements.indices.iterator.flatMap { i =>
          smaller(elements(i)).map(part => build(elements.updated(i, part)))
        }
    pattern match {
      case Concatenation(elements) => parts(elements)(Concatenation(_))
      case Alternation(branches) => parts(branches)(Alternation(_))
      case Permutation(elements) => parts(elements)(Permutation(_))
      case quantified: Quantified =>
        Iterator.single(quantified.element) ++
          smaller(quantified.element).map(part => quantified.copy(element = part))
      case Exclusion(element) =>
        Iterator.single(element) ++ smaller(element).map(Exclusion(_))
      case _ =>
        if (RowPatternAnalysis.mapsRows(pattern) && pattern != Variable("A"))
          Iterator(Variable("A"))
        else Iterator.empty
    }
  }
}
