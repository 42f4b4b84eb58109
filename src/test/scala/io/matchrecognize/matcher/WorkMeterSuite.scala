package io.matchrecognize.matcher

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.search.{FrameSearch, StreamSearch}
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.matcher.twopass.{TwoPassMatcher, TwoPassTuning}
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AfterMatchSkip, Automaton, AutomatonBuilder, RowPattern}

/**
 * Every long loop of the engines looks whether the task was cancelled, judged by what it does
 * between two looks, not by time.
 */
class WorkMeterSuite extends AnyFunSuite with LetterSearches {
  private def sequence(elements: RowPattern*) = Concatenation(elements)
  private val rows = 20000

  private def twoPass(
      automaton: Automaton,
      input: MatchInput,
      summaries: Option[(SummaryPlan, SummaryFolds)] = None
  ): TwoPassMatcher = {
    val tuning = TwoPassTuning().copy(maxOverlap = if (summaries.isEmpty) 4 else -1)
    val made = new TwoPassMatcher(
      automaton,
      input,
      SearchBudget(),
      matcherOf(automaton, input),
      summaries,
      tuning
    )
    made.beginPartition(rows.toLong)
    made
  }

  test("a search by threads") {
    val automaton = AutomatonBuilder(sequence(plus(label("A")), plus(label("B")), label("C")))
    val input = new LetterInput(automaton.symbols, _ => 'a')
    matcherOf(automaton, input).attempt(0, rows.toLong)
    assert(input.tests > rows && input.mostUnchecked <= 300)
  }

  test("a backward pass, also where conditions are expensive") {
    val automaton = AutomatonBuilder(sequence(plus(label("A")), plus(label("B"))))
    val input = new LetterInput(automaton.symbols, row => if (row % 2 == 0) 'a' else 'b')
    twoPass(automaton, input).attempt(0, rows.toLong)
    assert(input.tests >= rows && input.mostUnchecked <= 2 * 300)
  }

  test("the walk over a long match") {
    val automaton = AutomatonBuilder(plus(label("A")))
    val input = new LetterInput(automaton.symbols, _ => 'a')
    val matcher = twoPass(automaton, input)
    matcher.attempt(0, rows.toLong)
    assert(input.checksOf(matcher.attempt(1, rows.toLong)) >= rows / 300)
    assert(matcher.length == rows - 1)
  }

  test("backward summaries of many positions") {
    val automaton = AutomatonBuilder(plus(Quantified(label("A"), 100, Some(100), greedy = true)))
    val input = new LetterInput(automaton.symbols, _ => 'a')
    val plan = SummaryPlan(Vector.empty, Vector(SymbolSet(Set(0))), Vector.empty, -1)
    val folds = new SummaryFolds {
      override def empty(fold: Int): AnyRef = null
      override def add(fold: Int, value: AnyRef, row: Long): AnyRef = null
    }
    val matcher = twoPass(automaton, input, Some((plan, folds)))
    matcher.attempt(0, rows.toLong)
    assert(matcher.summary != null && matcher.length > rows - 200)
    assert(input.cancelChecks > rows.toLong * 100 / 300)
  }

  private def searched(rowsAfter: Long): LetterInput = {
    val automaton = AutomatonBuilder(sequence(plus(label("A")), label("E")))
    val input = new LetterInput(automaton.symbols, _ => 'a')
    val matcher = matcherOf(automaton, input)
    val search = new FrameSearch(
      rows.toLong,
      matcher,
      matcher,
      input,
      AfterMatchSkip.ToNextRow,
      isSeek = true,
      rowsAfter
    )
    while (search.advance()) {}
    input
  }

  test("a search of each row of each frame") {
    val input = searched(rowsAfter = 10)
    assert(input.tests > rows && input.mostUnchecked <= 300)
  }

  test("rows of frames that end with the partition are searched once, also of bounded frames") {
    Seq(rows.toLong, Long.MaxValue).foreach { rowsAfter =>
      val input = searched(rowsAfter)
      assert(input.tests < rows * 10L && input.mostUnchecked <= 300)
    }
  }

  test("threads that merge only after many comparisons") {
    val automaton =
      AutomatonBuilder(sequence(plus(Alternation(Seq(label("A"), label("B")))), label("C")))
    val sums = Condition.FailingSumIsOdd(Set("A"), -1)
    val conditions =
      Map("A" -> Condition.IsNot(-1), "B" -> Condition.IsNot(-2), "C" -> Condition.Both(sums, sums))
    // As many sums as subsets of the values, in one bucket.
    val values = Array.tabulate(40)(row => 1 << (row % 12))
    val input = new ConditionInput(automaton.symbols, conditions, values, hashFolds = false)
    val matcher = new PikeMatcher(automaton, input.plan, input, SearchBudget(maxSteps = 1000000))
    matcher.beginPartition(values.length.toLong)
    matcher.attempt(0, values.length.toLong)
    assert(input.mostUnchecked <= 300)
  }

  test("attempts with a threshold") {
    val automaton = AutomatonBuilder(sequence(label("A"), plus(label("B")), label("C")))
    val conditions = Map(
      "B" -> Condition.AboveFirst(automaton.symbols.toSet, 0),
      "C" -> Condition.AtMost(-1)
    )
    // Each row opens and ends an attempt.
    val values = Array.tabulate(rows)(row => row % 2)
    val input = new ConditionInput(automaton.symbols, conditions, values)
    input.anchoredRows = input.anchors(automaton).get
    val matcher = new PikeMatcher(
      automaton,
      AnchoredRuns.plan(input),
      input,
      SearchBudget(),
      anchors = input
    )
    matcher.beginPartition(rows.toLong)
    (0L until rows.toLong).foreach(matcher.attempt(_, rows.toLong))
    assert(input.mostUnchecked <= 300)
  }

  test("all start rows of a stream at once") {
    // Start rows differ in how many rows of a run they have mapped.
    val automaton =
      AutomatonBuilder(sequence(Quantified(label("A"), 1, Some(500), greedy = true), label("B")))
    val input = new LetterInput(automaton.symbols, row => if (row % 3 == 0) 'x' else 'a')
    val long = new LetterInput(automaton.symbols, _ => 'a')
    Seq(input, long).foreach { watched =>
      val matcher = matcherOf(automaton, watched)
      matcher.beginPartition(Long.MaxValue)
      val search = new StreamSearch(
        matcher,
        AfterMatchSkip.PastLastRow,
        null,
        unmatchedRows = false,
        noFolds,
        MatcherTuning(firstWaste = 0)
      )
      search.begin(0, 0)
      val checks = watched.checksOf(while (search.advance(4000)) {})
      assert(watched.mostUnchecked <= 300)
      assert(search.isParallel)
      // Each row meets up to 500 groups of start rows.
      if (watched eq long) assert(checks > 4000 * 400 / 300)
    }
  }
}
