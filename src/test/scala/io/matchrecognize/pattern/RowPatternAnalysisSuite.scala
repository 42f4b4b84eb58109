package io.matchrecognize.pattern

import java.util.Locale

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.RowPatternAnalysis._

class RowPatternAnalysisSuite extends AnyFunSuite {
  private val a = Label("A")
  private val b = Label("B")

  test("variables come in order of first appearance and in its spelling") {
    val pattern = Concatenation(Seq(Label("b"), a, Label("B"), Label("a")))
    assert(variables(pattern, identity) == Seq("b", "A", "B", "a"))
    assert(variables(pattern, _.toLowerCase(Locale.ROOT)) == Seq("b", "A"))
  }

  test("lengths") {
    val some = Quantified(a, 2, Some(5), greedy = true)
    val any = Quantified(b, 0, None, greedy = true)
    assert(minLength(Concatenation(Seq(some, any, a))) == 3)
    assert(maxLength(Concatenation(Seq(some, a))).contains(6L))
    assert(maxLength(Concatenation(Seq(some, any))).isEmpty)
    assert(minLength(Alternation(Seq(some, a))) == 1)
    assert(maxLength(Alternation(Seq(some, a))).contains(5L))
    assert(minLength(Permutation(Seq(some, a))) == 3)
    assert(maxLength(Quantified(StartAnchor, 0, None, greedy = true)).contains(0L))
    val huge = (1 to 5).foldLeft[RowPattern](a) { (body, _) =>
      Quantified(body, Int.MaxValue, Some(Int.MaxValue), greedy = true)
    }
    assert(minLength(huge) == Long.MaxValue)
  }

  test("nullable, anchors, exclusion, rigid") {
    assert(isNullable(Concatenation(Seq(StartAnchor, Empty))))
    assert(!isNullable(Concatenation(Seq(StartAnchor, a))))
    assert(hasAnchors(Exclusion(Alternation(Seq(a, EndAnchor)))))
    assert(!hasAnchors(a) && !hasExclusion(a))
    assert(hasExclusion(Permutation(Seq(a, Exclusion(b)))))
    assert(isRigid(Concatenation(Seq(a, Quantified(Exclusion(b), 3, Some(3), greedy = true)))))
    assert(!isRigid(Quantified(a, 0, Some(1), greedy = true)))
    assert(!isRigid(Alternation(Seq(a, b))) && !isRigid(Permutation(Seq(a, b))))
  }
}
