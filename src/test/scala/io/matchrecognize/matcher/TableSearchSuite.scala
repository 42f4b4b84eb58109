package io.matchrecognize.matcher

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.search.{Search, TableSearch}
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AfterMatchSkip, AutomatonBuilder, RowPattern}

/** What [[MatcherFuzzSuite]] does not see of a search: when it tests rows, and unusual windows. */
class TableSearchSuite extends AnyFunSuite {
  private val a = Variable("A")

  private def many(name: String) = Quantified(Variable(name), 1, None, greedy = true)
  private val aThenB: RowPattern = Concatenation(Seq(many("A"), many("B")))

  test("a window that ends before that of an earlier start: what died there may wait here") {
    val automaton = AutomatonBuilder(aThenB)
    val plan = LetterInput.noRegisters(automaton.symbols.size)
    val input = new LetterInput(automaton.symbols, row => if (row < 60) 'a' else 'x')
    val matcher =
      new PikeMatcher(automaton, plan, input, SearchBudget(), timeOuts = true)
    val ends = new AttemptLimit { def end(start: Long): Long = if (start == 0) 61 else 40 }
    val search = new TableSearch(61, matcher, AfterMatchSkip.PastLastRow, Some(ends), false)
    assert(search.advance() && search.kind == Search.TimedOut)
    assert(search.start == 1 && search.length == 39)
  }

  test("nothing is searched before it is asked for") {
    val automaton = AutomatonBuilder(a)
    val input = new LetterInput(automaton.symbols, _ => 'a')
    val matcher =
      new PikeMatcher(automaton, LetterInput.noRegisters(1), input, SearchBudget())
    val search = new TableSearch(1000, matcher, AfterMatchSkip.PastLastRow, None, false)
    assert(search.currentMatchNumber == 1)
    assert(search.advance() && search.advance() && input.tests == 2)
    assert(search.currentMatchNumber == 3)
  }
}
