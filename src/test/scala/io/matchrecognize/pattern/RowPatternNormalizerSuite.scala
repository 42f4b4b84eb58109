package io.matchrecognize.pattern

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.pattern.RowPattern._

class RowPatternNormalizerSuite extends AnyFunSuite {
  private val a = Variable("A")
  private val b = Variable("B")
  private val c = Variable("C")

  private def quantified(element: RowPattern, lower: Int, upper: Option[Int]) =
    Quantified(element, lower, upper, greedy = true)

  private def normal(pattern: RowPattern, expected: RowPattern): Unit =
    assert(RowPatternNormalizer.normalize(pattern) == expected)

  test("groups become flat") {
    normal(
      Concatenation(Seq(Concatenation(Seq(a, b)), Concatenation(Seq(c)))),
      Concatenation(Seq(a, b, c))
    )
    normal(Alternation(Seq(Alternation(Seq(a, b)), c)), Alternation(Seq(a, b, c)))
    normal(Permutation(Seq(Concatenation(Seq(a)))), a)
  }

  test("what maps no row vanishes where that changes nothing") {
    normal(Concatenation(Seq(a, Empty, b)), Concatenation(Seq(a, b)))
    normal(Concatenation(Seq(Empty, Empty)), Empty)
    normal(Alternation(Seq(Empty, a)), Alternation(Seq(Empty, a)))
    normal(Exclusion(Empty), Empty)
    normal(Exclusion(StartAnchor), StartAnchor)
    normal(quantified(Empty, 3, None), Empty)
  }

  test("a body that maps no row is needed once") {
    normal(quantified(StartAnchor, 2, None), StartAnchor)
    normal(quantified(StartAnchor, 0, Some(1000000)), quantified(StartAnchor, 0, Some(1)))
  }

  test("X{1} is X, equal branches are one, exclusions do not nest") {
    normal(quantified(a, 1, Some(1)), a)
    normal(Alternation(Seq(a, b, a)), Alternation(Seq(a, b)))
    normal(
      Exclusion(Concatenation(Seq(a, Exclusion(b)))),
      Exclusion(Concatenation(Seq(a, b)))
    )
  }

  test("loops of loops") {
    val optional = quantified(a, 0, Some(1))
    normal(quantified(optional, 10000, Some(10000)), quantified(a, 0, Some(10000)))
    normal(quantified(quantified(a, 0, None), 2, Some(3)), quantified(a, 0, None))
    normal(quantified(quantified(a, 1, None), 0, Some(3)), quantified(a, 0, None))
    normal(quantified(quantified(a, 1, None), 3, Some(5)), quantified(a, 3, None))
    normal(quantified(optional, 2, Some(3)), quantified(a, 0, Some(3)))
    val choice = Alternation(Seq(a, b))
    normal(quantified(quantified(choice, 1, None), 0, Some(3)), quantified(choice, 0, None))
    val kept = Seq(
      quantified(quantified(choice, 1, None), 2, None),
      quantified(quantified(a, 2, Some(3)), 1, None),
      Quantified(optional, 0, None, greedy = false),
      quantified(Quantified(a, 0, Some(1), greedy = false), 2, Some(3)),
      quantified(quantified(Concatenation(Seq(optional, optional)), 0, Some(1)), 0, None)
    )
    kept.foreach(pattern => normal(pattern, pattern))
  }
}
