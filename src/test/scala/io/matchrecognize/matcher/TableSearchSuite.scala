package io.matchrecognize.matcher

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.search.{Search, TableSearch}
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AfterMatchSkip, Automaton, AutomatonBuilder, RowPattern}

class TableSearchSuite extends AnyFunSuite {
  private val a = Variable("A")
  private val b = Variable("B")
  private val c = Variable("C")

  private def many(element: RowPattern, lower: Int = 0) =
    Quantified(element, lower, None, greedy = true)

  private def open(
      pattern: RowPattern,
      rows: String,
      skip: Automaton => AfterMatchSkip[SymbolSet] = _ => AfterMatchSkip.PastLastRow,
      window: Option[Int] = None,
      unmatched: Boolean = false,
      timeOuts: Boolean = false
  ): TableSearch = {
    val automaton = AutomatonBuilder(pattern)
    val plan = LetterInput.noRegisters(automaton.symbols.size)
    val input = new LetterInput(automaton.symbols, row => rows.charAt(row.toInt))
    val matcher = new PikeMatcher(automaton, plan, input, SearchBudget(), timeOuts)
    val ends = window.map(width => new AttemptLimit { def end(start: Long): Long = start + width })
    new TableSearch(rows.length.toLong, matcher, skip(automaton), ends, unmatched)
  }

  /** One result as text: number, start and labels of a match; `-` or `?` and start of others. */
  private def current(search: TableSearch, symbols: String): String = {
    val labels = (0L until search.length).map(offset => symbols.charAt(search.symbolAt(offset)))
    search.kind match {
      case Search.Match => s"${search.matchNumber}@${search.start}:${labels.mkString}"
      case Search.TimedOut => s"?${search.start}:${labels.mkString}"
      case _ => s"-${search.start}"
    }
  }

  private def all(search: TableSearch, symbols: String = "ABC"): Seq[String] =
    Iterator
      .continually(search.advance())
      .takeWhile(identity)
      .map(_ => current(search, symbols))
      .toSeq

  private def to(first: Boolean, variables: String*)(
      automaton: Automaton
  ): AfterMatchSkip[SymbolSet] = {
    val set = SymbolSet(variables.map(automaton.symbols.indexOf(_)).toSet)
    AfterMatchSkip.ToVariable(set, first)
  }

  private val toNext: Automaton => AfterMatchSkip[SymbolSet] = _ => AfterMatchSkip.ToNextRow
  private val aThenB = Concatenation(Seq(many(a, 1), many(b, 1)))

  test("past last row and to next row") {
    assert(all(open(aThenB, "aabbab")) == Seq("1@0:AABB", "2@4:AB"))
    assert(all(open(aThenB, "aabbab", toNext)) == Seq("1@0:AABB", "2@1:ABB", "3@4:AB"))
  }

  test("to a variable, to a union variable") {
    val pattern = Concatenation(Seq(a, many(b, 1), many(c)))
    assert(all(open(pattern, "a*bc", to(first = true, "B"))) == Seq("1@0:ABBC", "2@1:ABC"))
    assert(all(open(pattern, "a**b", to(first = false, "B"))).head == "1@0:ABBB")
    val search = open(pattern, "a*bc", to(first = false, "A", "B"))
    assert(all(search) == Seq("1@0:ABBC"))
  }

  test("the errors of a skip come after the match") {
    val pattern = Concatenation(Seq(a, many(b), c))
    val missing = open(pattern, "xac", to(first = true, "B"))
    assert(missing.advance() && current(missing, "ABC") == "1@1:AC")
    assert(intercept[SkipToMissingRow](missing.advance()).matchStart == 1)
    val first = open(pattern, "ac", to(first = false, "A"))
    assert(first.advance())
    assert(intercept[SkipToFirstRow](first.advance()).matchStart == 0)
  }

  test("an empty match takes a number and resumes at the next row") {
    assert(all(open(many(a), "xaax")) == Seq("1@0:", "2@1:AA", "3@3:"))
    assert(all(open(many(a), "xx", to(first = true, "A"))) == Seq("1@0:", "2@1:"))
  }

  test("unmatched rows start no match and lie in none") {
    assert(all(open(aThenB, "xabxa", unmatched = true)) == Seq("-0", "1@1:AB", "-3", "-4"))
    assert(all(open(aThenB, "xabx", toNext, unmatched = true)) == Seq("-0", "1@1:AB", "-3"))
    assert(all(open(many(a), "xa", unmatched = true)) == Seq("1@0:", "2@1:A"))
  }

  test("rows beyond the window are not tested, and $ means the end of the partition") {
    assert(all(open(aThenB, "aab", window = Some(2))) == Seq("1@1:AB"))
    val atEnd = Concatenation(Seq(many(a, 1), EndAnchor))
    assert(all(open(atEnd, "aaaa", window = Some(2))) == Seq("1@2:AA"))
  }

  test("a start times out if a path could have mapped another row") {
    val pattern = Concatenation(Seq(a, many(b), c))
    val found = all(open(pattern, "abbbc", window = Some(3), timeOuts = true))
    assert(found == Seq("?0:ABB"))
    assert(all(open(pattern, "abb", window = Some(9), timeOuts = true)) == Seq("?0:ABB"))
    assert(all(open(pattern, "abxc", window = Some(3), timeOuts = true)).isEmpty)
    assert(all(open(pattern, "abc", window = Some(3), timeOuts = true)) == Seq("1@0:ABC"))
    // The match wins although a preferred path waits.
    val longer = Alternation(Seq(Concatenation(Seq(a, b, c)), a))
    assert(all(open(longer, "abx", window = Some(2), timeOuts = true)).head == "1@0:A")
  }

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

  test("an empty partition has no matches") {
    assert(all(open(Empty, "")).isEmpty)
  }

  test("excluded rows are known by their place in the pattern") {
    val search = open(Concatenation(Seq(a, Exclusion(many(a)))), "aaa")
    assert(search.advance())
    assert((0L until 3L).map(search.excludedAt) == Seq(false, true, true))
  }
}
