package io.matchrecognize.pattern

import java.util.Locale

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.RowPatternAnalysis._

class RowPatternAnalysisSuite extends AnyFunSuite {
  private val a = Variable("A")
  private val b = Variable("B")

  test("variables come in order of first appearance and in its spelling") {
    val pattern = Concatenation(Seq(Variable("b"), a, Variable("B"), Variable("a")))
    assert(variables(pattern, identity) == Seq("b", "A", "B", "a"))
    assert(variables(pattern, _.toLowerCase(Locale.ROOT)) == Seq("b", "A"))
  }

  test("nullable, anchors, exclusion, rigid") {
    assert(isNullable(Concatenation(Seq(StartAnchor, Empty))))
    assert(!isNullable(Concatenation(Seq(StartAnchor, a))))
    val some = Quantified(a, 2, Some(5), greedy = true)
    val any = Quantified(b, 0, None, greedy = true)
    assert(!isNullable(Concatenation(Seq(some, any, a))) && !isNullable(Permutation(Seq(some, a))))
    assert(!isNullable(Alternation(Seq(some, a))) && isNullable(Alternation(Seq(some, any))))
    assert(isNullable(Quantified(StartAnchor, 2, None, greedy = true)))
    assert(Exclusion(Alternation(Seq(a, EndAnchor))).exists(_ == EndAnchor))
    assert(!a.exists(_ == EndAnchor) && !a.exists(_.isInstanceOf[Exclusion]))
    assert(Permutation(Seq(a, Exclusion(b))).exists(_.isInstanceOf[Exclusion]))
    assert(isRigid(Concatenation(Seq(a, Quantified(Exclusion(b), 3, Some(3), greedy = true)))))
    assert(!isRigid(Quantified(a, 0, Some(1), greedy = true)))
    assert(!isRigid(Alternation(Seq(a, b))) && !isRigid(Permutation(Seq(a, b))))
  }

  test("which variable can be mapped before another one") {
    def orders(pattern: RowPattern) =
      Seq("A" -> "B", "B" -> "A", "A" -> "A").map { case (x, y) => canPrecede(pattern, x, y) }
    def loop(upper: Int)(pattern: RowPattern) = Quantified(pattern, 0, Some(upper), greedy = true)
    val ab = Concatenation(Seq(a, Exclusion(b)))
    assert(orders(ab) == Seq(true, false, false))
    assert(orders(loop(2)(ab)) == Seq(true, true, true))
    assert(orders(loop(1)(ab)) == Seq(true, false, false))
    assert(orders(Alternation(Seq(a, b))) == Seq(false, false, false))
    assert(orders(loop(2)(Alternation(Seq(a, b)))) == Seq(true, true, true))
    assert(orders(Permutation(Seq(a, loop(1)(b)))) == Seq(true, true, false))
    assert(orders(Permutation(Seq(ab))) == Seq(true, false, false))
    assert(orders(Concatenation(Seq(b, loop(2)(a)))) == Seq(false, true, true))
  }
}
