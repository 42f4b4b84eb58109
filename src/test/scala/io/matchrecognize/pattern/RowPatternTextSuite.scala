package io.matchrecognize.pattern

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.pattern.RowPattern._

class RowPatternTextSuite extends AnyFunSuite {
  private val a = Variable("A")
  private val b = Variable("B")
  private val c = Variable("C")

  private def star(element: RowPattern) = Quantified(element, 0, None, greedy = true)

  private def check(pattern: RowPattern, sql: String): Unit =
    test(sql)(assert(pattern.sql == sql))

  check(
    Concatenation(
      Seq(
        Quantified(Alternation(Seq(a, b)), 1, None, greedy = true),
        Quantified(c, 2, Some(3), greedy = false),
        Exclusion(Variable("D")),
        Permutation(Seq(a, b)),
        StartAnchor,
        EndAnchor,
        Empty
      )
    ),
    "(A | B)+ C{2,3}? {- D -} PERMUTE(A, B) ^ $ ()"
  )
  check(Alternation(Seq(Concatenation(Seq(a, b)), Empty)), "A B | ()")
  check(Concatenation(Seq(Concatenation(Seq(a, b)), c)), "A B C")
  check(Alternation(Seq(a, Alternation(Seq(b, c)))), "A | B | C")
  check(Concatenation(Seq(Alternation(Seq(a)), Concatenation(Nil))), "A ()")
  check(star(star(a)), "(A*)*")
  check(star(Concatenation(Seq(a))), "A*")
  check(star(Concatenation(Seq(a, b))), "(A B)*")
  check(star(Exclusion(Alternation(Seq(a, b)))), "{- A | B -}*")
  check(star(Permutation(Seq(Alternation(Seq(a, b)), star(c)))), "PERMUTE(A | B, C*)*")
  check(star(Empty), "()*")
  check(Quantified(a, 0, Some(1), greedy = false), "A??")
  check(Quantified(a, 1, Some(1), greedy = true), "A{1}")
  check(Quantified(a, 4, Some(4), greedy = false), "A{4}?")
  check(Quantified(a, 2, None, greedy = true), "A{2,}")
  check(Quantified(a, 0, Some(5), greedy = true), "A{0,5}")
  check(Variable("up down"), "`up down`")
  check(Variable("a`b"), "`a``b`")
  check(Variable("Permute"), "`Permute`")
  check(Variable("1st"), "`1st`")
}
