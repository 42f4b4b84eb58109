package io.matchrecognize.pattern

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled
import io.matchrecognize.pattern.RowPattern._

class AutomatonSuite extends AnyFunSuite {
  private val a = Variable("A")
  private val b = Variable("B")
  private val c = Variable("C")

  private def sequence(parts: RowPattern*) = Concatenation(parts)
  private def choice(parts: RowPattern*) = Alternation(parts)
  private def many(element: RowPattern, lower: Int = 0, greedy: Boolean = true) =
    Quantified(element, lower, None, greedy)
  private def upTo(element: RowPattern, lower: Int, upper: Int, greedy: Boolean = true) =
    Quantified(element, lower, Some(upper), greedy)

  private def check(pattern: RowPattern)(expected: String*): Unit =
    test(pattern.sql)(assert(edges(AutomatonBuilder(pattern)) == expected))

  /** The edges of each state, `start: A0 B1 accept^`. */
  private def edges(automaton: Automaton): Seq[String] = {
    import automaton._
    def name(position: Int) =
      if (position == Automaton.Accept) "accept" else s"${symbols(symbolOf(position))}$position"
    (start +: (0 until positions)).map { state =>
      val texts = (firstEdge(state) until endEdge(state)).map { edge =>
        name(target(edge)) + Seq("", "^", "$")(guard(edge))
      }
      texts.mkString(if (state == start) "start: " else s"${name(state)}: ", " ", "")
    }
  }

  check(sequence(a, many(b, 1), c))("start: A0", "A0: B1", "B1: B1 C2", "C2: accept")
  check(sequence(many(a), b))("start: A0 B1", "A0: A0 B1", "B1: accept")
  check(sequence(many(a, greedy = false), b))("start: B1 A0", "A0: B1 A0", "B1: accept")
  check(upTo(a, 1, 3))("start: A0", "A0: A1 accept", "A1: A2 accept", "A2: accept")
  // Edges after an unconditional Accept are dropped.
  check(upTo(a, 0, 2, greedy = false))("start: accept", "A0: accept", "A1: accept")
  check(choice(a, sequence(a, b)))("start: A0 A1", "A0: accept", "A1: B2", "B2: accept")
  check(sequence(StartAnchor, a))("start: A0^", "A0: accept")
  check(sequence(upTo(StartAnchor, 0, 1), a))("start: A0^ A0", "A0: accept")
  check(sequence(a, upTo(EndAnchor, 0, 1)))("start: A0", "A0: accept$ accept")
  check(sequence(a, EndAnchor, b))("start: A0", "A0: ", "B1: accept")
  check(sequence(a, StartAnchor))("start: A0", "A0: ")
  check(EndAnchor)("start: ")
  check(choice(StartAnchor, a))("start: accept^ A0", "A0: accept")

  // Empty iterations.
  check(many(choice(many(a), b)))("start: A0 accept", "A0: A0 accept", "B1: A0 accept")
  check(many(upTo(a, 0, 1, greedy = false)))("start: accept", "A0: accept")
  check(sequence(many(choice(Empty, a), 1), b))("start: B1 A0", "A0: B1 A0", "B1: accept")
  check(many(many(a)))("start: A0 accept", "A0: A0 accept")
  check(many(Empty))("start: accept")
  check(upTo(upTo(a, 0, 1), 2, 2))("start: A0 accept", "A0: A1 accept", "A1: accept")
  check(sequence(Quantified(choice(Empty, a), 2, Some(3), greedy = true), b))(
    "start: B3 A1 A0",
    "A0: B3 A1",
    "A1: B3 A2",
    "A2: B3",
    "B3: accept"
  )

  // PERMUTE: one position per element and set of elements before it.
  check(Permutation(Seq(a, b, c)))(
    "start: A0 B1 C2",
    "A0: B3 C4",
    "B1: A5 C6",
    "C2: A7 B8",
    "B3: C9",
    "C4: B10",
    "A5: C9",
    "C6: A11",
    "A7: B10",
    "B8: A11",
    "C9: accept",
    "B10: accept",
    "A11: accept"
  )

  test("a choice inside an element of PERMUTE is decided after the permutation") {
    val optional = upTo(b, 0, 1, greedy = false)
    val spelledOut = choice(
      sequence(a, optional, c),
      sequence(a, c, optional),
      sequence(optional, a, c),
      sequence(optional, c, a),
      sequence(c, a, optional),
      sequence(c, optional, a)
    )
    val permuted = AutomatonBuilder(Permutation(Seq(a, optional, c)))
    val alternation = AutomatonBuilder(spelledOut)
    def starts(automaton: Automaton) =
      (automaton.firstEdge(automaton.start) until automaton.endEdge(automaton.start))
        .map(edge => automaton.symbols(automaton.symbolOf(automaton.target(edge))))
    assert(starts(permuted).distinct == starts(alternation).distinct)
    assert(permuted.positions < alternation.positions)
  }

  test("PERMUTE of 8 elements with choices is within the limit") {
    val many = (1 to 8).map(i => Quantified(Variable(s"V$i"), 1, None, greedy = true))
    assert(AutomatonBuilder(Permutation(many)).positions == 109600)
  }

  test("PERMUTE of 8 variables has 8 * 2^7 positions") {
    val automaton = AutomatonBuilder(Permutation((1 to 8).map(i => Variable(s"V$i"))))
    assert(automaton.positions == 8 * 128)
    assert(automaton.endEdge(automaton.start) - automaton.firstEdge(automaton.start) == 8)
  }

  test("large bounds stay linear") {
    val automaton = AutomatonBuilder(sequence(upTo(a, 5000, 10000), many(b, 10000)))
    assert(automaton.positions == 20000)
    assert(automaton.edges < 50000)
  }

  test("symbols are the spellings in order of appearance") {
    val automaton = AutomatonBuilder(sequence(Variable("Up"), b, Variable("UP"), Variable("Up")))
    assert(automaton.symbols == Seq("Up", "B", "UP"))
    assert((0 until 4).map(automaton.symbolOf) == Seq(0, 1, 2, 0))
  }

  test("exclusion marks positions") {
    val automaton = AutomatonBuilder(sequence(a, Exclusion(sequence(b, many(a))), b))
    assert((0 until 4).map(automaton.excluded) == Seq(false, true, true, false))
    assert(automaton.hasExclusion && !AutomatonBuilder(a).hasExclusion)
  }

  test("limits") {
    def tooLarge(pattern: RowPattern) = {
      val error = intercept[PatternTooLarge](AutomatonBuilder(pattern))
      (error.kind, error.limit)
    }
    val bounds = for {
      most <- Seq(1000000000, Int.MaxValue)
      least <- Seq(0, 1, 2, most)
    } yield upTo(a, least, most)
    Sampled.oneIn(4, bounds).foreach { loop =>
      assert(tooLarge(loop) == ((PatternTooLarge.Positions, 200000L)))
    }
    val product = upTo(upTo(a, 0, 1), Int.MaxValue, Int.MaxValue)
    assert(tooLarge(product) == ((PatternTooLarge.Positions, 200000L)))
    assert(
      tooLarge(Permutation((1 to 11).map(i => Variable(s"V$i")))) ==
        ((PatternTooLarge.PermuteElements, 10L))
    )
    assert(
      tooLarge(Permutation((1 to 10).map(i => many(Variable(s"V$i"))))) ==
        ((PatternTooLarge.Positions, 200000L))
    )
    val optional = upTo(sequence(upTo(a, 0, 1), upTo(b, 0, 1)), 3000, 3000)
    assert(tooLarge(optional)._1 == PatternTooLarge.Edges)
    val error = intercept[PatternTooLarge](AutomatonBuilder(sequence(a, b, a), maxPositions = 2))
    assert(error.size == 3 && error.limit == 2)
  }

  test("is built once for a pattern and its limits") {
    val pattern = sequence(a, b, a)
    val automaton = AutomatonBuilder.of(pattern, 10)
    assert(AutomatonBuilder.of(pattern, 10) eq automaton)
    assert(edges(automaton) == edges(AutomatonBuilder(pattern)))
    assert(intercept[PatternTooLarge](AutomatonBuilder.of(pattern, 2)).limit == 2)
  }

  test("travels by Java serialization") {
    val automaton = AutomatonBuilder(sequence(a, Exclusion(many(b))))
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(automaton)
    val in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))
    val copy = in.readObject().asInstanceOf[Automaton]
    assert(edges(copy) == edges(automaton) && copy.symbols == automaton.symbols)
    assert((0 until 2).map(copy.excluded) == Seq(false, true))
    assert((0 until 2).map(copy.firstAlike) == (0 until 2).map(automaton.firstAlike))
  }

  test("positions with the same edges") {
    def alike(pattern: RowPattern) = {
      val automaton = AutomatonBuilder(pattern)
      (0 until automaton.positions).map(automaton.firstAlike)
    }
    assert(alike(sequence(a, many(b, greedy = false), c, many(a), b)) == Seq(0, 0, 2, 2, 4))
    assert(alike(sequence(choice(a, b), c)) == Seq(0, 0, 2))
    // Another order of preference, and a guard.
    assert(alike(sequence(choice(many(a, 1), many(b, 1, greedy = false)), c)) == Seq(0, 1, 2))
    assert(alike(choice(a, sequence(b, EndAnchor))) == Seq(0, 1))
  }
}
