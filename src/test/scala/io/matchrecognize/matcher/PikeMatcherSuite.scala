package io.matchrecognize.matcher

import scala.util.{Random, Try}

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.Condition._
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{Automaton, AutomatonBuilder, RowPattern}

/** Its limits and its memory; what it finds is compared by [[MatcherFuzzSuite]]. */
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

  test("a match is decided without a further row if nothing else is preferred") {
    val run = new Run(Concatenation(Seq(a, b)), Seq(0, 0, 0), Map.empty)
    run.matcher.begin(0)
    run.matcher.feed(0)
    assert(!run.matcher.decided)
    run.matcher.feed(1)
    assert(run.matcher.outcome == Matcher.Matched && run.matcher.length == 2)
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

}
