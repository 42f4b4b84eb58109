package io.matchrecognize.matcher

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tagobjects.Slow

import io.matchrecognize.matcher.search.StreamSearch
import io.matchrecognize.matcher.state.{StateReader, StateWriter}
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AfterMatchSkip, AutomatonBuilder, RowPattern}

/** When a search on a stream tries its start rows together. */
class StreamSearchSuite extends AnyFunSuite with LetterSearches {

  /**
   * A search whose rows come in pieces, saved between them. Start rows differ in how many A they
   * have mapped, so a failed one tells nothing about the next.
   */
  private class Searched(firstWaste: Long = 0, pattern: RowPattern = loop) {
    private val automaton = AutomatonBuilder(pattern)
    val input: LetterInput = inputOf(automaton.symbols)
    private var saved: Array[Byte] = _
    private val found = Vector.newBuilder[(Long, Long)]

    protected def inputOf(symbols: IndexedSeq[String]): LetterInput =
      new LetterInput(symbols, letter)

    def matches: Vector[(Long, Long)] = found.result()

    /** @return whether start rows are searched together at the end */
    def advance(known: Long): Boolean = {
      val search = new StreamSearch(
        matcherOf(automaton, input),
        AfterMatchSkip.PastLastRow,
        null,
        unmatchedRows = false,
        noFolds,
        MatcherTuning(firstWaste = firstWaste)
      )
      if (saved == null) search.begin(0, 0) else search.restore(new StateReader(saved))
      while (search.advance(known)) found += search.start -> search.length
      val out = new StateWriter
      search.save(out)
      saved = out.toBytes
      search.isParallel
    }
  }

  private def loop: RowPattern =
    Concatenation(Seq(Quantified(label("A"), 1, Some(600), greedy = true), label("B")))

  // Of each 1000 rows the second half matches; the start rows of the first half fail.
  private def letter(row: Long): Char = row % 1000 match {
    case 499 => 'c'
    case 999 => 'b'
    case _ => 'a'
  }

  private val expected = Vector.tabulate(12)(i => (i * 1000L + 500L, 500L))

  test("start rows are searched together again once there is memory") {
    val searched = new Searched
    assert(searched.advance(1700))
    searched.input.hasMemory = false
    assert(!searched.advance(2400))
    assert(!searched.advance(2450))
    searched.input.hasMemory = true
    (3400L to 11400L by 1000L).foreach(known => assert(searched.advance(known), known))
    searched.advance(12000): Unit
    assert(searched.matches == expected)
  }

  test("paths preferred to one that waits for a row are followed from where they are") {
    val either = Quantified(Alternation(Seq(label("A"), label("C"))), 0, None, greedy = true)
    val rows = 400L
    var known = 0L
    val searched = new Searched(Long.MaxValue / 2, Concatenation(Seq(either, label("B")))) {
      // The condition of C reads the next row.
      override def inputOf(symbols: IndexedSeq[String]): LetterInput =
        new LetterInput(symbols, row => if (row < rows) 'a' else 'b') {
          override def testLocal(symbol: Int, row: Long): Int = {
            val truth = super.testLocal(symbol, row)
            if (symbols(symbol) == "C" && row + 1 == known) Truth.Undecided else truth
          }
        }
    }
    while (known < rows + 2) {
      known += 1
      searched.advance(known): Unit
    }
    assert(searched.matches == Vector(0L -> (rows + 1)))
    assert(searched.input.tests < 20 * rows)
  }

  test("a lasting lack of memory costs less than the search without a trial", Slow) {
    def tests(searched: Searched): Long = {
      searched.input.hasMemory = false
      (1000L to 12000L by 1000L).foreach(known => assert(!searched.advance(known)))
      assert(searched.matches == expected)
      searched.input.tests
    }
    val alone = tests(new Searched(Long.MaxValue / 2))
    val tried = tests(new Searched)
    assert(tried > alone && tried < alone * 1.5)
  }
}
