package io.matchrecognize.matcher

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tagobjects.Slow

import io.matchrecognize.matcher.BruteForceOracle.Outcome
import io.matchrecognize.matcher.liveness.{ExactLiveStates, ReverseDfa, StateBlocks}
import io.matchrecognize.matcher.twopass.{TwoPassMatcher, TwoPassTuning}
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AutomatonBuilder, RowPattern}

/**
 * The backward pass in segments against that of one thread, over more rows than the oracle takes.
 */
class SegmentFuzzSuite extends AnyFunSuite {
  private val cases = sys.props.get("fuzz.cases").fold(700)(_.toInt / 3)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  private val (a, b, c, d) = (Variable("A"), Variable("B"), Variable("C"), Variable("D"))
  private def many(pattern: RowPattern) = Quantified(pattern, 0, None, greedy = true)

  private def isLocal(fuzzCase: FuzzCase): Boolean = {
    val (automaton, input) = fuzzCase.prepared()
    val tested = automaton.symbols.indices.filter(!input.alwaysTrue(_)).map(input.rowLocal)
    TwoPassMatcher.takes(tested, hasLimit = false)
  }

  /** A random case with more rows, which seldom or often differ from the row before. */
  private def longer(random: Random): FuzzCase = {
    val drawn = FuzzCase.random(random.nextLong())
    val change = 1 + random.nextInt(20)
    val values = Vector.iterate(random.nextInt(4), random.nextInt(120)) { value =>
      if (random.nextInt(change) == 0) random.nextInt(4) else value
    }
    drawn.copy(values = values, windowEnds = Vector.empty, timeOuts = false)
  }

  test(s"$cases random searches from seed $seed find the same in segments") {
    var compared = 0
    var found = 0
    var failed = 0
    (0 until cases).foreach { i =>
      val random = new Random(seed * 1000000007L + i)
      val fuzzCase = longer(random)
      if (isLocal(fuzzCase)) {
        val sizes = StateBlocks(random.nextInt(5), 1 << random.nextInt(4))
        val bytes = if (random.nextInt(4) == 0) random.nextInt(20000).toLong else 1L << 20
        val tuning = TwoPassTuning(bytes, 4, sizes)
        val threads = 2 + random.nextInt(6)
        val expected: Outcome = fuzzCase.inTwoPasses(0, TwoPassTuning())
        val actual: Outcome = fuzzCase.inTwoPasses(threads, tuning)
        if (actual != expected) fail(s"${fuzzCase.describe} $tuning $threads threads, case $i")
        compared += 1
        found += expected.events.size
        failed += expected.error.size
      }
    }
    info(s"$compared compared, $found matches, $failed errors")
    assert(compared > cases / 8 && found > compared && failed > compared / 50)
  }

  test(
    "the states of all rows are those of one thread, also where guesses never become true",
    Slow
  ) {
    // Whether a row is in a match depends on the last row; on the next other row; on its own.
    Seq(
      Concatenation(Seq(a, many(b), EndAnchor)),
      Concatenation(Seq(a, many(Alternation(Seq(b, c))), d)),
      Concatenation(Seq(a, b)),
      Concatenation(Seq(StartAnchor, a, many(b), c, EndAnchor))
    ).foreach { pattern =>
      Seq(Vector.fill(97)(1), Vector.tabulate(97)(i => if (i % 31 == 30) 3 else 1)).foreach {
        values =>
          val conditions = Map[String, Condition](
            "A" -> Condition.Always,
            "B" -> Condition.AtMost(1),
            "C" -> Condition.AtMost(2),
            "D" -> Condition.IsNot(1)
          )
          val automaton = AutomatonBuilder(pattern)
          def states(threads: Int): Seq[Set[Int]] = {
            val input = new ConditionInput(automaton.symbols, conditions, values.toArray)
            input.threads = threads
            val free = automaton.symbols.indices.map(input.alwaysTrue).toArray
            val reach = new ReverseDfa(automaton, free, 1L << 20, new SpareMemory(input))
            val live =
              new ExactLiveStates(reach, input, automaton.symbols.size, StateBlocks(2, 8))
            assert(live.build(values.size.toLong))
            assert(input.parallelPasses == (if (threads == 0) 0 else 1))
            values.indices.map { row =>
              val state = live.stateAt(row.toLong)
              (0 until automaton.positions).filter(reach.contains(state, _)).toSet
            }
          }
          val expected = states(0)
          (2 to 30).foreach(threads =>
            assert(states(threads) == expected, s"${pattern.sql}, $threads")
          )
      }
    }
  }

  test("truths that are known before a pass lead to the same states") {
    val few = Seq(a, many(Alternation(Seq(b, c))), d)
    val more = few ++ Seq(Variable("E"), many(Variable("F")), Variable("G"), Variable("H"))
    Seq(few, more, more :+ Variable("I")).foreach(parts => checkKnown(Concatenation(parts)))
  }

  private def checkKnown(pattern: RowPattern): Unit = {
    val automaton = AutomatonBuilder(pattern)
    val random = new Random(seed)
    val values = Array.fill(3 * MatchInput.BlockMask)(random.nextInt(4))
    val conditions = Map[String, Condition](
      "A" -> Condition.AbovePrevious,
      "B" -> Condition.AtMost(1),
      "C" -> Condition.FailsOn(4, Condition.AtMost(2)),
      "D" -> Condition.IsNot(1),
      "E" -> Condition.AtMost(2),
      "G" -> Condition.IsNot(3),
      "H" -> Condition.AboveNext,
      "I" -> Condition.AtMost(1)
    )
    val states = for {
      keepsTruths <- Seq(false, true)
      threads <- Seq(0, 3)
      bits <- Seq(10, 16)
    } yield {
      val input = new ConditionInput(automaton.symbols, conditions, values)
      input.keepsTruths = keepsTruths
      input.threads = threads
      // Every third row is tested before, for one symbol or for all of them.
      values.indices.by(3).foreach { row =>
        automaton.symbols.indices.take(1 + row % 2 * 9).foreach(input.testLocal(_, row.toLong))
      }
      val reach =
        new ReverseDfa(
          automaton,
          automaton.symbols.indices.map(input.alwaysTrue).toArray,
          1L << 20,
          new SpareMemory(input)
        )
      val live = new ExactLiveStates(reach, input, automaton.symbols.size, StateBlocks(bits, 2))
      assert(live.build(values.length.toLong))
      values.indices.map(row => reach.positionsOf(live.stateAt(row.toLong)).toSeq)
    }
    assert(states.distinct.size == 1)
    assert(states.head.distinct.size > 4)
  }

  test("a failure in a segment is raised") {
    val automaton = AutomatonBuilder(Concatenation(Seq(a, b)))
    val values = Array.fill(64)(1)
    final class Killed extends RuntimeException
    val input = new MatchInput {
      private val inner =
        new ConditionInput(automaton.symbols, Map("B" -> Condition.AtMost(1)), values)
      override def alwaysTrue(symbol: Int): Boolean = inner.alwaysTrue(symbol)
      override def rowLocal(symbol: Int): Boolean = true
      override def mayFail(symbol: Int): Boolean = false
      override def testLocal(symbol: Int, row: Long): Int =
        if (row == 20) throw new Killed else inner.testLocal(symbol, row)
      override def hasNecessary(symbol: Int): Boolean = false
      override def testNecessary(symbol: Int, row: Long): Int = Truth.True
      override def testPath(symbol: Int, path: Path): Int = Truth.True
      override def failure: Throwable = inner.failure
      override def initialFold(fold: Int): AnyRef = null
      override def updateFold(fold: Int, value: AnyRef, row: Long, symbol: Int): AnyRef = null
      override def sameFold(fold: Int, a: AnyRef, b: AnyRef): Boolean = true
      override def checkCancelled(): Unit = ()
      override def parallelReads: ParallelReads = new ThreadedReads(Vector.fill(3)(this))
    }
    val free = automaton.symbols.indices.map(input.alwaysTrue).toArray
    val reach = new ReverseDfa(automaton, free, 1L << 20, new SpareMemory(input))
    val live = new ExactLiveStates(reach, input, automaton.symbols.size, StateBlocks(2, 8))
    intercept[Killed](live.build(values.length.toLong))
  }
}
