package io.matchrecognize.matcher

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled
import io.matchrecognize.matcher.search.TableSearch
import io.matchrecognize.matcher.twopass.{TwoPassMatcher, TwoPassTuning}
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AfterMatchSkip, AutomatonBuilder, RowPattern}

/** Summaries of matches say what a walk over the rows of the match says. */
class BackwardSummariesSuite extends AnyFunSuite {

  /** Sums row numbers: the order of the rows does not matter. */
  private object RowSums extends SummaryFolds {
    override def empty(fold: Int): AnyRef = Long.box(0L)
    override def add(fold: Int, value: AnyRef, row: Long): AnyRef =
      Long.box(value.asInstanceOf[Long] + row + fold)
  }

  private def randomPlan(random: Random, symbols: Int): SummaryPlan = {
    def set = SymbolSet((0 until symbols).filter(_ => random.nextBoolean()).toSet)
    SummaryPlan(
      Vector.fill(random.nextInt(4))(RowRegister(set, random.nextBoolean(), random.nextInt(4))),
      Vector.fill(random.nextInt(3))(set),
      Vector.fill(random.nextInt(3))(set),
      skipTarget = -1
    )
  }

  private def describe(matcher: Matcher, start: Long, plan: SummaryPlan): Seq[Long] = {
    val rows = (0L until matcher.length).map(offset => (start + offset, matcher.symbolAt(offset)))
    def of(set: SymbolSet) = rows.filter(row => set.contains(row._2)).map(_._1)
    plan.rows.map { register =>
      val own = if (register.fromFirst) of(register.symbols) else of(register.symbols).reverse
      own.lift(register.offset).getOrElse(-1L)
    } ++ plan.counts.map(of(_).size.toLong) ++
      plan.folds.zipWithIndex.map { case (set, fold) => of(set).map(_ + fold).sum }
  }

  private def describe(summary: MatchSummary, plan: SummaryPlan): Seq[Long] =
    plan.rows.indices.map(summary.row) ++ plan.counts.indices.map(summary.count) ++
      plan.folds.indices.map(summary.fold(_).asInstanceOf[Long])

  private def compare(pattern: RowPattern, letters: String, plan: SummaryPlan): Int = {
    val automaton = AutomatonBuilder(pattern)
    def matcher(summaries: Option[(SummaryPlan, SummaryFolds)], maxOverlap: Long) = {
      val input = new LetterInput(automaton.symbols, row => letters(row.toInt))
      val tuning = TwoPassTuning().copy(maxOverlap = maxOverlap)
      def none: Matcher = fail("nothing is left to the general engine")
      val made =
        new TwoPassMatcher(automaton, input, SearchBudget(), none, summaries, tuning)
      made.beginPartition(letters.length.toLong)
      made
    }
    val walking = matcher(None, 0)
    val summarising = matcher(Some((plan, RowSums)), -1)
    var matches = 0
    letters.indices.foreach { row =>
      val start = row.toLong
      val outcome = walking.attempt(start, letters.length.toLong)
      assert(summarising.attempt(start, letters.length.toLong) == outcome)
      assert(summarising.length == walking.length)
      if (walking.length > 0) {
        matches += 1
        val last = walking.length - 1
        // A clue of `assert` would be made each time.
        if (
          summarising.summary == null ||
          describe(summarising.summary, plan) != describe(walking, start, plan) ||
          Seq(0L, last).exists(row => summarising.positionAt(row) != walking.positionAt(row))
        ) fail(s"${pattern.sql} on $letters at $start: $plan")
      }
    }
    matches
  }

  test("random patterns, every start row") {
    val random = new Random(5)
    val matches = (0 until Sampled.size(4000, 600)).map { _ =>
      val pattern = FuzzCase.randomPattern(random, 1 + random.nextInt(3))
      val letters = Seq.fill(random.nextInt(12))("abcd" (random.nextInt(4))).mkString
      compare(pattern, letters, randomPlan(random, AutomatonBuilder(pattern).symbols.size))
    }.sum
    assert(matches > Sampled.size(3000, 440))
  }

  test("matches that cross blocks") {
    val random = new Random(6)
    val pattern = Concatenation(
      Seq(
        Quantified(Alternation(Seq(Variable("A"), Variable("B"))), 1, None, greedy = true),
        Quantified(Variable("C"), 0, Some(1), greedy = true)
      )
    )
    val letters =
      Seq.fill(200)("ab" (random.nextInt(2)).toString * random.nextInt(60)).mkString("c")
    val long = Seq.fill(9)(letters).mkString("dcc")
    assert(long.length > 3 * 16384)
    assert(compare(pattern, long, randomPlan(random, 3)) > 40000)
  }

  test("one run of 300,000 rows costs a few looks at each row") {
    val automaton = AutomatonBuilder(Quantified(Variable("A"), 1, None, greedy = true))
    val rows = 300000L
    val input = new LetterInput(automaton.symbols, _ => 'a')
    val plan =
      SummaryPlan(Vector(RowRegister(SymbolSet(Set(0)), false, 0)), Nil.toVector, Vector(), -1)
    def none: Matcher = fail("nothing is left to the general engine")
    val matcher =
      new TwoPassMatcher(automaton, input, SearchBudget(), none, Some((plan, RowSums)))
    val search = new TableSearch(rows, matcher, AfterMatchSkip.ToNextRow, None, false)
    var matches = 0L
    while (search.advance()) {
      matches += 1
      assert(search.start + search.length == rows)
      if (search.summary != null) assert(search.summary.row(0) == rows - 1)
    }
    assert(matches == rows)
    assert(input.cancelChecks < 10000)
  }

  test("small partitions take memory once, and each of them few bytes") {
    val automaton = AutomatonBuilder(Quantified(Variable("A"), 1, None, greedy = true))
    var requests = 0
    val input = new LetterInput(automaton.symbols, _ => 'a') {
      override def tryReserve(bytes: Long): Boolean = {
        requests += 1
        super.tryReserve(bytes)
      }
    }
    val folds = new SummaryFolds {
      override def empty(fold: Int): AnyRef = this
      override def add(fold: Int, value: AnyRef, row: Long): AnyRef = value
    }
    val one = Vector(SymbolSet(Set(0)))
    val plan = SummaryPlan(Vector.empty, one, one, -1)
    def none: Matcher = fail("nothing is left to the general engine")
    val matcher = new TwoPassMatcher(automaton, input, SearchBudget(), none, Some((plan, folds)))
    def search(partitions: Int): Unit = (0 until partitions).foreach { number =>
      val rows = 100L + number % 20
      matcher.beginPartition(rows)
      var row = 0L
      while (row < rows) {
        matcher.attempt(row, rows)
        row += 1
      }
      assert(matcher.summary != null && matcher.length == 1)
    }
    search(1000)
    val before = requests
    val bytes = AllocatedBytes.of(search(1000))
    assert(requests == before)
    // The arrays of 128 summaries alone are 3,600 bytes.
    assert(bytes / 1000 < 2000)
  }
}
