package io.matchrecognize.matcher

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.search.TableSearch
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AfterMatchSkip, AutomatonBuilder}

/** Long partitions, judged by counts of tests and bytes, not by time. */
class MatcherScaleSuite extends AnyFunSuite with LetterSearches {
  private val failing = Seq(
    Concatenation(Seq(plus(label("A")), plus(label("B")), plus(label("C")), label("E"))),
    Concatenation(Seq(plus(plus(label("A"))), label("E")))
  )

  failing.foreach { pattern =>
    test(s"failing ${pattern.sql} over 20,000 rows") {
      val automaton = AutomatonBuilder(pattern)
      val rows = 20000L
      val input =
        new LetterInput(automaton.symbols, row => if (row == rows - 1) 'x' else 'a', Set("B", "C"))
      val search =
        new TableSearch(rows, matcherOf(automaton, input), AfterMatchSkip.PastLastRow, None, false)
      assert(!search.advance())
      assert(input.tests < rows * 60)
      assert(input.cancelChecks > 10)
    }

    test(s"one attempt of ${pattern.sql} tests each row once per variable") {
      val automaton = AutomatonBuilder(pattern)
      val rows = 20000L
      val input = new LetterInput(automaton.symbols, row => if (row == rows - 1) 'x' else 'a')
      val matcher = matcherOf(automaton, input, timeOuts = true)
      (0L until 3L).foreach { start =>
        matcher.begin(start)
        (start until rows).iterator.takeWhile(_ => !matcher.decided).foreach(matcher.feed)
        matcher.finish(endOfPartition = true)
        assert(
          matcher.outcome == Matcher.Failed && matcher.steps <= (rows - start) * automaton.symbols.size
        )
      }
    }
  }

  test("an attempt over 3 million rows keeps one byte a row") {
    val automaton = AutomatonBuilder(plus(label("A")))
    val rows = 3000000L
    val input = new LetterInput(automaton.symbols, _ => 'a')
    val matcher = matcherOf(automaton, input, SearchBudget(0, 4 << 20))
    matcher.begin(0)
    (0L until rows).foreach(matcher.feed)
    matcher.finish(endOfPartition = true)
    assert(matcher.length == rows)
    assert(Seq(0L, 65535L, 65536L, rows - 1).forall(matcher.positionAt(_) == 0))
    assert(input.cancelChecks > 1000)
  }

  test("rows common to all open paths are committed while others stay open") {
    // On a row that may be anything each variable has its own best path; they part late.
    val pattern = Concatenation(
      Seq(plus(label("A")), plus(Alternation(Seq(label("C"), label("D")))), label("E"))
    )
    val automaton = AutomatonBuilder(pattern)
    val input = new LetterInput(automaton.symbols, row => if (row < 10) 'a' else '*')
    val matcher = matcherOf(automaton, input, SearchBudget(0, 8 << 20))
    matcher.begin(0)
    (0L until 1000000L).foreach(matcher.feed)
    matcher.finish(endOfPartition = true)
    assert(matcher.outcome == Matcher.Matched && matcher.length == 1000000L)
    assert(automaton.symbols(matcher.symbolAt(999999)) == "E")
    assert(automaton.symbols(matcher.symbolAt(999998)) == "C")
    assert(automaton.symbols(matcher.symbolAt(999997)) == "A")
  }

  test("positions beyond one byte and two bytes") {
    Seq(300, 70000).foreach { count =>
      val automaton = AutomatonBuilder(Quantified(label("A"), count, Some(count), greedy = true))
      val matcher = matcherOf(automaton, new LetterInput(automaton.symbols, _ => 'a'))
      matcher.begin(0)
      (0L until count.toLong).foreach(matcher.feed)
      assert(matcher.decided && matcher.length == count)
      assert((0 until count).forall(row => matcher.positionAt(row.toLong) == row))
    }
  }

  test("A{10000} builds and runs fast; its threads merge") {
    val automaton = AutomatonBuilder(
      Concatenation(Seq(Quantified(label("A"), 0, Some(10000), greedy = true), label("B")))
    )
    val input = new LetterInput(automaton.symbols, _ => 'a')
    val matcher = matcherOf(automaton, input)
    matcher.begin(0)
    (0L until 10001L).iterator.takeWhile(_ => !matcher.decided).foreach(matcher.feed)
    assert(matcher.outcome == Matcher.Failed && matcher.steps <= 20002)
  }

  test("a variable is not tested where a preferred path goes on as its paths would") {
    def gap(name: String) = Quantified(label(name), 0, None, greedy = false)
    val automaton = AutomatonBuilder(
      Concatenation(Seq(label("A"), gap("X"), label("B"), gap("Y"), label("C")))
    )
    val rows = 1000L
    val input = new LetterInput(automaton.symbols, r => if (r == 0) 'a' else 'b', Set("X", "Y"))
    val matcher = matcherOf(automaton, input)
    matcher.beginPartition(rows)
    matcher.attempt(0, rows)
    // C is tested on each row after the first B, and B no more.
    assert(matcher.outcome == Matcher.Failed && matcher.steps == rows)
  }

  test("paths that differ in labels nobody will read merge") {
    val automaton = AutomatonBuilder(
      Concatenation(
        Seq(
          Quantified(Alternation(Seq(label("A"), label("B"), label("C"))), 0, None, greedy = true),
          label("D")
        )
      )
    )
    val names = automaton.symbols.toSet
    val afterB = Condition.LabelIs(names, fromFirst = false, 1, "B")
    val threeBack = Condition.LabelIs(names, fromFirst = false, 3, "A")
    val firstC = Condition.LabelIs(Set("A", "C"), fromFirst = true, 0, "C")
    val conditions = Map(
      "A" -> Condition.Either(afterB, Condition.IsNot(1)),
      "B" -> Condition.Either(threeBack, firstC),
      "D" -> Condition.AtMost(-1)
    )
    val rows = 2000
    val values = Array.tabulate(rows)(_ % 3)
    val input = new ConditionInput(automaton.symbols, conditions, values)
    val matcher = new PikeMatcher(automaton, input.plan, input, SearchBudget())
    matcher.beginPartition(rows.toLong)
    matcher.attempt(0, rows.toLong)
    assert(matcher.outcome == Matcher.Failed && matcher.steps < rows * 200L)
  }

  // Of n rows, each an A or a B, there are as many sums of A as there are subsets of the values.
  private def eitherThenC = AutomatonBuilder(
    Concatenation(Seq(plus(Alternation(Seq(label("A"), label("B")))), label("C")))
  )
  private val sumOfA = Map(
    "A" -> Condition.IsNot(-1),
    "B" -> Condition.IsNot(-2),
    "C" -> Condition.SumAbove(Set("A"), Int.MaxValue)
  )

  test("sums are looked up by their hash") {
    val automaton = eitherThenC
    // 501 sums on the last row.
    val values = Array.fill(500)(1)
    val input = new ConditionInput(automaton.symbols, sumOfA, values)
    val matcher = new PikeMatcher(automaton, input.plan, input, SearchBudget())
    matcher.beginPartition(values.length.toLong)
    matcher.attempt(0, values.length.toLong)
    assert(matcher.outcome == Matcher.Failed)
    assert(matcher.steps > 500 * 250 && input.foldsCompared < matcher.steps * 2)
  }

  test("paths are not followed where no match can come, whatever the conditions read") {
    val automaton = AutomatonBuilder(Concatenation(Seq(plus(plus(label("A"))), label("B"))))
    val many = Condition.CountAtMost(automaton.symbols.toSet, Int.MaxValue)
    val conditions =
      Map("A" -> Condition.Both(many, Condition.IsNot(7)), "B" -> Condition.AtMost(0))
    val rows = 20000
    // The only B is the first row.
    val values = Array.tabulate(rows)(row => if (row == 0) 0 else 1 + row % 6)
    val input = new ConditionInput(automaton.symbols, conditions, values)
    val matcher = new PikeMatcher(automaton, input.plan, input, SearchBudget())
    matcher.beginPartition(rows.toLong)
    val steps = (0 until rows).map { start =>
      matcher.attempt(start.toLong, rows.toLong)
      assert(matcher.outcome == Matcher.Failed)
      matcher.steps
    }.sum
    assert(steps < rows * 20L)
  }
}
