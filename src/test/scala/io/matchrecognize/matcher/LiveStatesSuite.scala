package io.matchrecognize.matcher

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.liveness.{ExactLiveStates, ReverseDfa, StateBlocks}
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AutomatonBuilder, RowPattern}

/** The states of the backward pass, block by block. */
class LiveStatesSuite extends AnyFunSuite {
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  private val (a, b, c, d) = (Variable("A"), Variable("B"), Variable("C"), Variable("D"))
  private def many(pattern: RowPattern) = Quantified(pattern, 0, None, greedy = true)

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
      bits <- Seq(10, 16)
    } yield {
      val input = new ConditionInput(automaton.symbols, conditions, values)
      input.keepsTruths = keepsTruths
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
}
