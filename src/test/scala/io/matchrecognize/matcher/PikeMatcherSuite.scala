package io.matchrecognize.matcher

import scala.util.{Random, Try}

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.Condition._
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{Automaton, AutomatonBuilder, RowPattern}

class PikeMatcherSuite extends AnyFunSuite {
  private val a = Variable("A")
  private val b = Variable("B")
  private val c = Variable("C")

  private def many(element: RowPattern, lower: Int = 0, greedy: Boolean = true) =
    Quantified(element, lower, None, greedy)

  private final class Run(
      pattern: RowPattern,
      values: Seq[Int],
      conditions: Map[String, Condition],
      budget: SearchBudget = SearchBudget()
  ) {
    val automaton: Automaton = AutomatonBuilder(pattern)
    val input = new ConditionInput(automaton.symbols, conditions, values.toArray)
    val matcher = new PikeMatcher(automaton, input.plan, input, budget)

    def from(start: Int): Option[String] = {
      matcher.begin(start.toLong)
      var row = start
      while (!matcher.decided && row < values.size) {
        matcher.feed(row.toLong)
        row += 1
      }
      matcher.finish(endOfPartition = true)
      Option.when(matcher.outcome == Matcher.Matched)(
        (0L until matcher.length).map(i => automaton.symbols(matcher.symbolAt(i))).mkString
      )
    }
  }

  private def path(pattern: RowPattern, values: Seq[Int], conditions: (String, Condition)*) =
    new Run(pattern, values, conditions.toMap).from(0)

  test("the most preferred path wins, not the longest") {
    assert(path(Alternation(Seq(a, Concatenation(Seq(a, b)))), Seq(0, 0)).contains("A"))
    assert(
      path(Concatenation(Seq(many(a, 1, greedy = false), many(b, 1))), Seq(0, 0, 0))
        .contains("ABB")
    )
  }

  test("the arrays of a search are paid for before they are allocated") {
    val twice = many(Concatenation(Seq(c, a)), 1)
    val pattern = Alternation(Seq(Concatenation(Seq(many(a, 1), b)), twice))
    val run = new Run(pattern, Vector.fill(200000)(0), Map("B" -> AboveLast(Set("A"), 0)))
    val atFirst = run.input.reserved
    assert(atFirst > 0 && run.from(0).map(_.length).contains(200000))
    // The two paths have nothing in common.
    assert(run.input.reserved - atFirst >= 200000)
    val refused = new Run(pattern, Vector.fill(200000)(0), Map("B" -> AboveLast(Set("A"), 0)))
    refused.input.memory = refused.input.reserved + 50000
    intercept[ConditionInput.NoMemory](refused.from(0))
  }

  test("the row under test belongs to its variable already") {
    val set = Set("A")
    assert(path(many(a), Seq(1, 1, 1, 1), "A" -> CountAtMost(set, 2)).contains("AA"))
    assert(path(many(a, 1), Seq(3, 2), "A" -> AboveLast(set, 0)).isEmpty)
  }

  test("threads merge only if the registers that matter ahead are equal") {
    // A B or B A lead to C with different sums; C accepts the less preferred one only.
    val pattern = Concatenation(Seq(many(Alternation(Seq(a, b)), 2), c))
    val values = Seq(3, 1, 0)
    assert(
      path(pattern, values, "C" -> SumAtMost(Set("A"), 1), "A" -> CountAtMost(Set("A"), 1))
        .contains("BAC")
    )
  }

  test("giving back rows and taking others undoes aggregates") {
    val pattern = Concatenation(Seq(many(a), many(b), c))
    assert(path(pattern, Seq(2, 2, 2, 9), "C" -> SumAtMost(Set("A"), 3)).contains("ABBC"))
  }

  test("a match is decided without a further row if nothing else is preferred") {
    val run = new Run(Concatenation(Seq(a, b)), Seq(0, 0, 0), Map.empty)
    run.matcher.begin(0)
    run.matcher.feed(0)
    assert(!run.matcher.decided)
    run.matcher.feed(1)
    assert(run.matcher.outcome == Matcher.Matched && run.matcher.length == 2)
  }

  test("a failing evaluation counts only if the search gets to it") {
    val fails = FailsOn(7, Always)
    val firstChoice = Alternation(Seq(a, b))
    assert(path(firstChoice, Seq(7), "B" -> fails).contains("A"))
    intercept[BruteForceOracle.Failure](path(firstChoice, Seq(7), "A" -> fails))
    intercept[BruteForceOracle.Failure](path(firstChoice, Seq(7), "A" -> IsNot(7), "B" -> fails))
    // The failure is less preferred than a path that ends later.
    val later = Alternation(Seq(Concatenation(Seq(a, a, a)), b))
    assert(path(later, Seq(7, 0, 0), "B" -> fails).contains("AAA"))
    intercept[BruteForceOracle.Failure](path(later, Seq(7, 0), "B" -> fails))
  }

  test("an empty iteration that meets the lower bound ends the loop") {
    val body = Concatenation(
      Seq(many(a, greedy = false), Quantified(b, 0, Some(1), greedy = false))
    )
    val pattern = Concatenation(Seq(Quantified(body, 2, Some(3), greedy = true), c))
    val conditions = Seq("A" -> IsNot(2), "B" -> IsNot(2), "C" -> AtMost(2))
    assert(path(pattern, Seq(3, 3, 2), conditions: _*).contains("BBC"))
  }

  test("rows must come in order") {
    val run = new Run(many(a), Seq(0, 0, 0), Map.empty)
    run.matcher.begin(1)
    intercept[IllegalArgumentException](run.matcher.feed(2))
  }

  test("the step limit counts conditions of one attempt") {
    val pattern = Concatenation(Seq(many(Alternation(Seq(a, b))), c))
    val conditions = Map[String, Condition](
      "A" -> CountAtMost(Set("A"), 99),
      "B" -> SumAtMost(Set("B"), 1000000),
      "C" -> FailingSumIsOdd(Set("A"), -1)
    )
    // Sums of subsets: every path differs.
    val values = (0 until 30).map(i => 2 << i)
    val run = new Run(pattern, values, conditions, SearchBudget(10000, 0))
    assert(intercept[StepLimitExceeded](run.from(0)).limit == 10000)
  }

  test("many open paths end in an error, not in a full heap") {
    val pattern = Concatenation(Seq(many(Alternation(Seq(a, b))), c))
    val conditions = Map[String, Condition](
      "A" -> CountAtMost(Set("A"), 99),
      "C" -> FailingSumIsOdd(Set("A"), -1)
    )
    val values = (0 until 30).map(i => 2 << i)
    val run = new Run(pattern, values, conditions, SearchBudget(0, 4 << 20))
    assert(intercept[PathMemoryExceeded](run.from(0)).limit == (4 << 20))
  }

  /** A search whose conditions read LAST with these offsets, each of another variable. */
  private def withLast(offsets: Seq[Int], bytes: Long): PikeMatcher = {
    val automaton = AutomatonBuilder(Concatenation(Seq(many(a), b)))
    val input = new ConditionInput(automaton.symbols, Map.empty, Array(0))
    val last = offsets.zipWithIndex.map { case (offset, symbol) =>
      RowRegister(SymbolSet(Set(symbol)), fromFirst = false, offset)
    }
    val plan = input.plan.copy(rows = last.toIndexedSeq)
    new PikeMatcher(automaton, plan, input, SearchBudget(0, bytes))
  }

  test("a large offset of LAST in a condition ends in an error, not in a full heap") {
    val bytes = 1L << 30
    Seq(Seq(100 << 20), Seq(Int.MaxValue - 1), Seq(Int.MaxValue), Seq(1 << 30, 1 << 30)).foreach {
      offsets =>
        assert(intercept[PathMemoryExceeded](withLast(offsets, bytes)).limit == bytes)
    }
    withLast(Seq(1000, 2000), bytes): Unit
  }

  test("random offsets of LAST in conditions end in that error if they are large, and only then") {
    val random = new Random(1)
    // As many of each size, so that the sum of two may be larger than an integer.
    def offset() = ((1L << random.nextInt(32)) - 1 - random.nextInt(3)).max(0L).toInt
    (0 until 200).map(_ => Seq.fill(1 + random.nextInt(2))(offset())).foreach { offsets =>
      val made = Try(withLast(offsets, 4L << 20))
      val isError = made.fold(_.isInstanceOf[PathMemoryExceeded], _ => false)
      val rows = offsets.map(_.toLong).sum
      if (made.isFailure && !isError || rows > (1L << 20) && !isError || rows < 1000 && isError)
        fail(s"$offsets: $made")
    }
  }

  test("paths that conditions read by label merge only if they are alike") {
    val pattern = Concatenation(Seq(many(Alternation(Seq(a, a, b))), c))
    val conditions = Map[String, Condition](
      "A" -> IsNot(5),
      "B" -> IsNot(5),
      "C" -> PreviousLabelIs("B")
    )
    val run = new Run(pattern, Seq.fill(6)(0) :+ 5, conditions)
    assert(run.from(0).contains("AAAAABC"))
    assert(run.matcher.steps < 2000)
  }

  test("LAST and FIRST with offsets over one variable and over several") {
    val ab = Set("A", "B")
    val pattern = Concatenation(Seq(many(Alternation(Seq(a, b))), c))
    val values = Seq(1, 5, 2, 4, 3)
    def truth(condition: Condition) = path(
      pattern,
      values,
      "A" -> AtMost(2),
      "B" -> AtMost(5),
      "C" -> Both(condition, Both(NoFirst(Set("C"), 1), IsNot(0)))
    )
    assert(truth(AboveLast(Set("A"), 0)).contains("ABABC"))
    assert(truth(AboveLast(Set("A"), 2)).isEmpty)
    assert(truth(Both(AboveFirst(ab, 2), AboveLast(ab, 1))).contains("ABABC"))
    assert(truth(AboveFirst(Set("A", "B", "C"), 4)).isEmpty)
  }
}
