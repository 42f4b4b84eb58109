package io.matchrecognize.matcher

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled
import io.matchrecognize.matcher.Condition._
import io.matchrecognize.matcher.search.TableSearch
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AfterMatchSkip, AutomatonBuilder, RowPattern}

/**
 * What attempts remember of each other if conditions read other rows of the path, judged by how
 * often conditions are evaluated, and searches with such conditions against the oracle.
 */
class FailedStatesSuite extends AnyFunSuite {
  private val cases = sys.props.get("fuzz.cases").fold(Sampled.size(2000, 1000))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val budget = 20000

  private def plus(name: String): RowPattern =
    Quantified(Variable(name), 1, None, greedy = true)

  private def lazily(name: String): RowPattern =
    Quantified(Variable(name), 1, None, greedy = false)

  private val greedy = Concatenation(Seq(plus("A"), plus("B"), Variable("C")))
  private val isA = "A" -> IsNot(-1)
  // No C is above its B.
  private val noC = "C" -> AboveLast(Set("B"), 0)

  /** Evaluations of a search through n rows that finds nothing. */
  private def evaluations(
      pattern: RowPattern,
      conditions: Map[String, Condition],
      value: Int => Int,
      rows: Int,
      spareMemory: Long
  ): Long = {
    val automaton = AutomatonBuilder(pattern)
    val input =
      new ConditionInput(automaton.symbols, conditions, Array.tabulate(rows)(value))
    input.spareMemory = spareMemory
    val matcher = new PikeMatcher(automaton, input.plan, input, SearchBudget(), tuning = tuning)
    val search = new TableSearch(rows.toLong, matcher, AfterMatchSkip.PastLastRow, None, false)
    input.search = search
    assert(!search.advance())
    assert(input.mostUnchecked <= 600)
    input.evaluations
  }

  private val tuning = MatcherTuning(firstRemembered = 4, firstWaste = 100)
  private val random = new Random(3)
  private val drawn = Vector.fill(2000)(random.nextInt(7))
  private val sums =
    Map(isA, "B" -> SumAtMost(Set("A"), 1000000), "C" -> SumAbove(Set("B"), 1000000))

  Seq[(String, RowPattern, Map[String, Condition], Int => Int)](
    ("equal rows", greedy, Map(isA, "B" -> AboveLast(Set("C"), 0), noC), _ => 1),
    ("no value twice", greedy, Map(isA, "B" -> NotLast(Set("A"), 0), noC), -_),
    ("few values", greedy, Map(isA, "B" -> NotLast(Set("A"), 0), noC), -_ / 10),
    (
      "reluctant quantifiers",
      Concatenation(Seq(lazily("A"), lazily("B"), Variable("C"))),
      Map(isA, "B" -> NotLast(Set("A"), 0), noC),
      -_
    ),
    (
      "alternatives",
      Concatenation(
        Seq(plus("A"), Alternation(Seq(plus("B"), plus("D"))), Variable("C"))
      ),
      Map(isA, "B" -> NotLast(Set("A"), 1), "D" -> NotLast(Set("A"), 0), noC),
      -_
    ),
    ("sums of two variables", greedy, sums, drawn(_))
  ).foreach { case (name, pattern, conditions, value) =>
    test(s"a failing search is quadratic: $name") {
      def found(rows: Int, spare: Long) =
        evaluations(pattern, conditions, value, rows, spare).toDouble
      assert(found(160, Long.MaxValue) < found(80, Long.MaxValue) * 4.5)
      if (name != "equal rows") assert(found(80, Long.MaxValue) < found(80, 0) / 3)
    }
  }

  test("what has failed is forgotten where there is no room, from the rows passed on") {
    def found(spare: Long) =
      evaluations(greedy, Map("B" -> NotLast(Set("A"), 0), noC), -_, 100, spare)
    val (unbounded, bounded) = (found(Long.MaxValue), found(20000))
    assert(bounded > unbounded && bounded < found(0) / 3)
  }

  test("where there is little room what has failed is kept for fewer rows") {
    def found(spare: Long) = evaluations(greedy, sums, drawn(_), 200, spare)
    val unbounded = found(Long.MaxValue)
    assert(found(200000) < unbounded * 1.5 && found(0) > unbounded * 10)
  }

  test("a sum that a variable has passed no longer tells paths apart") {
    val automaton = AutomatonBuilder(greedy)
    val conditions = Map(isA, "B" -> SumAbove(Set("A"), 100), "C" -> AtMost(-1))
    val values = Array.fill(400)(1)
    val input = new ConditionInput(automaton.symbols, conditions, values)
    val matcher = new PikeMatcher(automaton, input.plan, input, SearchBudget())
    matcher.beginPartition(400)
    matcher.attempt(0, 400)
    assert(matcher.outcome == Matcher.Failed && matcher.steps < 400 * 5)
  }

  /** A random search whose conditions read other rows of the path, in attempts that often fail. */
  private def linked(seed: Long, rows: Int): FuzzCase = {
    val random = new Random(seed)
    val drawn = FuzzCase.random(seed)
    def part = RandomConditions.draw(random, 0, RandomConditions.OfPath)
    def condition(strict: Int): Condition = random.nextInt(6) match {
      case n if n < strict => part
      case n if n == strict => Both(part, part)
      case n if n % 2 == 0 => Either(IsNot(random.nextInt(3)), part)
      case _ => Always
    }
    def run(name: String) = Quantified(Variable(name), 1, None, greedy = random.nextInt(3) > 0)
    val pattern =
      if (random.nextInt(3) == 0) drawn.pattern
      else if (random.nextBoolean()) Concatenation(Seq(run("A"), run("B"), Variable("C")))
      else Concatenation(Seq(run("A"), Alternation(Seq(run("B"), drawn.pattern)), Variable("C")))
    val isWindowed = drawn.windowEnds.nonEmpty && rows == 0
    val most = 1 + random.nextInt(3)
    drawn.copy(
      pattern = pattern,
      conditions =
        FuzzCase.names.zip(Seq(0, 2, 5, 3)).map { case (v, n) => v -> condition(n) }.toMap,
      values = Vector.fill(if (isWindowed) drawn.values.size else rows.max(5 + random.nextInt(6)))(
        random.nextInt(most)
      ),
      windowEnds = if (isWindowed) drawn.windowEnds else Vector.empty,
      timeOuts = drawn.timeOuts && isWindowed,
      tuning = MatcherTuning(1 + random.nextInt(3), random.nextInt(2), firstWaste = 0)
    )
  }

  test("random searches find the same whenever memory is refused") {
    var compared = 0
    var refused = 0
    (0 until cases / 10).foreach { i =>
      val fuzzCase = linked(seed * 1000003L + i, 120)
      def found(spare: Long, firstRemembered: Int = fuzzCase.tuning.firstRemembered) = {
        var used: ConditionInput = null
        val outcome = fuzzCase.run { (automaton, input) =>
          input.spareMemory = spare
          used = input
          val budget = SearchBudget(maxSteps = 5000)
          val tuning = fuzzCase.tuning.copy(firstRemembered = firstRemembered)
          new PikeMatcher(automaton, input.plan, input, budget, tuning = tuning)
        }
        (outcome, used.evaluations)
      }
      try {
        val (without, most) = found(0)
        val (bounded, some) = found(17000L * (1 + i % 4))
        val (unbounded, least) = found(Long.MaxValue)
        compared += 1
        // In which up to every sixteenth row may be the next that is kept.
        val (thinned, _) = found(17000L << (i % 4), firstRemembered = 16)
        assert(least <= most * 1.1 + 100, fuzzCase.describe)
        if (some > least) refused += 1
        if (without.error.isEmpty)
          assert(Seq(bounded, thinned, unbounded).forall(_ == without), fuzzCase.describe)
      } catch { case _: StepLimitExceeded => }
    }
    info(s"$compared compared, $refused with more tests where memory was refused")
    assert(compared > cases / 30 && refused > cases / 1000)
  }

  test(s"$cases random searches from seed $seed that read other rows agree with the oracle") {
    var compared = 0
    var found = 0
    var repeated = 0
    (0 until cases).foreach { i =>
      val fuzzCase = linked(seed * 1000000007L + i, 0)
      fuzzCase.expected(budget).foreach { expected =>
        compared += 1
        found += expected.events.size
        val actual = fuzzCase.threaded()
        assert(fuzzCase.allows(expected, actual, budget), s"${fuzzCase.describe}\n$expected")
        val probe = new Repeated
        val probed = fuzzCase.run { (automaton, input) =>
          new PikeMatcher(
            automaton,
            input.plan,
            input,
            SearchBudget(),
            fuzzCase.timeOuts,
            fuzzCase.tuning,
            probe
          )
        }
        assert(probed == actual, fuzzCase.describe)
        if (probe.isRepeated) repeated += 1
      }
    }
    info(s"$compared compared, $found matches and time-outs, $repeated with repeated states")
    assert(compared > cases / 2 && found > cases / 8 && repeated > cases / 40)
  }

  /** Whether a path was dropped since its state had failed before. */
  private final class Repeated extends SearchProbe {
    var isRepeated = false
    override def feed(row: Long): Unit = ()
    override def tried(
        thread: Int,
        position: Int,
        row: Long,
        path: Path,
        fate: SearchProbe.Fate
    ): Unit = if (fate == SearchProbe.Hopeless && path != null) isRepeated = true
    override def completed(length: Long, thread: Int, threads: Int): Unit = ()
  }
}
