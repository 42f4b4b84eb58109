package io.matchrecognize.matcher

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.BruteForceOracle._
import io.matchrecognize.matcher.search.{Search, StreamSearch}
import io.matchrecognize.matcher.state.{StateReader, StateWriter}
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.pattern.{Automaton, AutomatonBuilder}

/**
 * Compares the search on a stream, its rows coming in random pieces and its state being saved and
 * restored between them, with the search on a table of all rows: the results of the stream are the
 * first ones of the table, and all of them once every window is closed.
 */
class StreamSearchFuzzSuite extends AnyFunSuite {
  private val cases = sys.props.get("fuzz.cases").fold(2500)(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  test(s"$cases random searches from seed $seed find on a stream what they find on a table") {
    var compared = 0
    var found = 0
    var parallel = 0
    (0 until cases).foreach { i =>
      val random = new Random(seed * 7000003L + i)
      val whole = FuzzCase.random(seed * 1000000007L + i)
      // Errors of conditions end both searches; where, the other suites compare.
      if (!hasEndAnchor(whole)) {
        // Without the pruner, which lets some errors go unmet.
        val expected = whole.copy(tuning = MatcherTuning()).threaded()
        val stream = new Streamed(whole, if (random.nextBoolean()) -1000 else 3, random)
        val actual = stream.run()
        if (expected.error.isEmpty) {
          compared += 1
          found += actual.events.size
          if (stream.wasParallel) parallel += 1
          check(whole, expected, actual)
        }
      }
    }
    info(s"$compared compared, $parallel in parallel, $found matches and time-outs")
    assert(compared > cases / 3 && found > cases / 4 && parallel > cases / 50)
  }

  private def check(whole: FuzzCase, expected: Outcome, actual: Outcome): Unit = {
    val agrees = actual.error.isEmpty && {
      if (whole.windowEnds.nonEmpty) actual == expected
      else
        expected.events.startsWith(actual.events) &&
        expected.unmatched.startsWith(actual.unmatched)
    }
    if (!agrees) fail(s"${whole.describe}\ntable $expected\nstream $actual")
  }

  private def hasEndAnchor(whole: FuzzCase): Boolean = {
    val automaton = AutomatonBuilder(whole.pattern)
    (0 until automaton.edges).exists(automaton.guard(_) == Automaton.AtEnd)
  }

  /** One case as a stream. */
  private final class Streamed(whole: FuzzCase, firstWaste: Int, random: Random) {
    private val size = whole.values.size.toLong
    private var known = 0L
    // Deadlines need not ascend.
    private val mayBeMonotone = random.nextInt(6) > 0
    // Whether it is known which conditions the next row does not satisfy, as from a bound on its time.
    private val knowsNext = random.nextBoolean()
    private var tests: MatchInput = _
    private val window =
      if (whole.windowEnds.isEmpty && !knowsNext) null
      else
        new StreamLimit {
          private val ends =
            if (whole.windowEnds.isEmpty) whole.values.map(_ => size.toInt) else whole.windowEnds
          override def end(start: Long): Long = ends(start.toInt).toLong
          override def isBeyond(start: Long, row: Long): Boolean = row >= end(start)
          override def isMonotone: Boolean =
            mayBeMonotone && ends.zip(ends.drop(1)).forall { case (a, b) => a <= b }
          // Times are the numbers of rows.
          override def lastTime(start: Long): Long = end(start)
          override def lastTimeOf(symbol: Int, start: Long, path: Path): Long =
            if (
              knowsNext && known < size && tests.rowLocal(symbol) && !tests.alwaysTrue(symbol) &&
              tests.testLocal(symbol, known) == Truth.False
            ) Long.MinValue
            else Long.MaxValue
          override def hasPassed(time: Long): Boolean = known == size || time < known
        }
    private val events = Vector.newBuilder[Event]
    private val unmatched = Vector.newBuilder[Int]
    var wasParallel = false

    def run(): Outcome = {
      var saved: Array[Byte] = null
      val error =
        try {
          while (known < size) {
            known = (known + 1 + random.nextInt(4)).min(size)
            saved = micro(saved)
          }
          None
        } catch {
          case Failure(message) => Some(message)
          case skipped: SkipToFirstRow => Some(s"skip first ${skipped.matchStart}")
          case skipped: SkipToMissingRow => Some(s"skip missing ${skipped.matchStart}")
        }
      Outcome(events.result(), unmatched.result(), error)
    }

    private def micro(saved: Array[Byte]): Array[Byte] = {
      val (automaton, input) = whole.prepared()
      tests = input
      val waste = if (random.nextInt(4) == 0) 1000 else firstWaste
      val tuning = whole.tuning.copy(firstWaste = waste.toLong)
      val matcher = new PikeMatcher(
        automaton,
        input.plan,
        input,
        SearchBudget(),
        whole.timeOuts,
        tuning
      )
      val search =
        new StreamSearch(matcher, whole.strategy(input), window, !whole.timeOuts, input, tuning)
      input.search = search
      input.known = known.toInt
      if (saved == null) search.begin(0, 0) else search.restore(new StateReader(saved))
      while (search.advance(known)) take(automaton, search)
      wasParallel ||= search.isParallel
      val out = new StateWriter
      search.save(out)
      out.toBytes
    }

    private def take(automaton: Automaton, search: StreamSearch): Unit = {
      def path = Vector.tabulate(search.length.toInt) { offset =>
        Mapped(automaton.symbols(search.symbolAt(offset.toLong)), search.excludedAt(offset.toLong))
      }
      search.kind match {
        case Search.Match =>
          events += Event("match", search.start.toInt, path, search.matchNumber)
        case Search.TimedOut => events += Event("timeout", search.start.toInt, path, 0)
        case _ => unmatched += search.start.toInt
      }
    }
  }
}
