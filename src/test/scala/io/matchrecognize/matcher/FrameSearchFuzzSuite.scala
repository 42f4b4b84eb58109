package io.matchrecognize.matcher

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.matcher.BruteForceOracle._
import io.matchrecognize.matcher.search.{FrameSearch, Search}
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.matcher.twopass.{TwoPassMatcher, TwoPassTuning}
import io.matchrecognize.pattern.AutomatonBuilder
import io.matchrecognize.pattern.RowPattern._

/**
 * Compares the search of row pattern windows with the brute-force oracle, for which the frame of a
 * row is a partition of its own. A long run: `-Dfuzz.cases=300000 -Dfuzz.seed=7` as Java options of
 * the test's process.
 */
class FrameSearchFuzzSuite extends AnyFunSuite {
  private val cases = sys.props.get("fuzz.cases").fold(2000)(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val budget = 20000

  /** The reduced frame of a row: where it starts, and the labels of its rows. */
  private type Reduced = Option[(Int, Vector[String])]

  /** The reduced frame of each row, up to an error of AFTER MATCH SKIP. */
  private case class Answer(rows: Vector[Reduced], error: Option[String])

  private case class FrameCase(search: FuzzCase, isSeek: Boolean, after: Option[Int]) {
    private val values = search.values

    def describe: String = s"${search.describe} seek $isSeek after $after"

    def expected: Option[Answer] =
      try Some(answer())
      catch { case BudgetSpent | _: Failure => None }

    private def answer(): Answer = {
      val rows = Vector.newBuilder[Reduced]
      var next = 0
      var error: Option[String] = None
      values.indices.iterator.takeWhile(_ => error.isEmpty).foreach { row =>
        val end = after.fold(values.size)(n => (row + n + 1).min(values.size))
        val found = if (row < next) None else reduced(values.slice(row, end))
        rows += found.map { case (start, labels) => (row + start, labels) }
        found.foreach { case (start, labels) =>
          try next = if (labels.isEmpty) row + 1 else resume(row, start, labels)
          catch {
            case SkipError(message) => error = Some(message.split(' ').take(2).mkString(" "))
          }
        }
      }
      Answer(rows.result(), error)
    }

    private def oracle(frame: Vector[Int]) = new BruteForceOracle(
      search.pattern,
      frame.size,
      (start, labels, number) =>
        Condition.holds(
          search.conditions.getOrElse(labels.last, Condition.Always),
          frame.toArray,
          start,
          labels,
          number
        ),
      budget
    )

    private def reduced(frame: Vector[Int]): Reduced = {
      val starts = if (isSeek) frame.indices else 0 until 1
      starts.iterator
        .map(start => start -> oracle(frame).attempt(start, frame.size, 1))
        .collectFirst { case (start, Found(path)) => (start, path.map(_.label)) }
    }

    private def resume(row: Int, start: Int, labels: Vector[String]): Int = search.skip match {
      case ToNext => row + 1
      case skip => row + oracle(values).resume(skip, start, labels)
    }

    def actual(isTwoPass: Boolean): Answer = {
      val automaton = AutomatonBuilder(search.pattern)
      val input = new ConditionInput(automaton.symbols, search.conditions, values.toArray)
      input.isFramed = true
      def threads = new PikeMatcher(
        automaton,
        input.plan,
        input,
        SearchBudget(),
        timeOuts = false,
        search.tuning
      )
      val matcher =
        if (!isTwoPass) threads
        else
          new TwoPassMatcher(
            automaton,
            input,
            SearchBudget(),
            threads,
            None,
            TwoPassTuning(TwoPassTuning().maxBytes, 4)
          )
      val found = new FrameSearch(
        values.size.toLong,
        matcher,
        threads,
        input,
        search.strategy(input),
        isSeek,
        after.fold(Long.MaxValue)(_.toLong)
      )
      input.search = found
      val rows = Vector.newBuilder[Reduced]
      val error =
        try {
          while (found.advance())
            rows += Option.when(found.kind == Search.Match) {
              val labels = Vector.tabulate(found.length.toInt) { offset =>
                automaton.symbols(found.symbolAt(offset.toLong))
              }
              (found.start.toInt, labels)
            }
          None
        } catch {
          case _: SkipToFirstRow => Some("skip first")
          case _: SkipToMissingRow => Some("skip missing")
        }
      Answer(rows.result(), error)
    }

    def isTwoPass: Boolean = {
      val (automaton, input) = search.prepared()
      val tested = automaton.symbols.indices.filter(!input.alwaysTrue(_)).map(input.rowLocal)
      TwoPassMatcher.takes(tested, after.nonEmpty)
    }

    def smaller: Iterator[FrameCase] =
      search.smaller
        .map(s => copy(search = s)) ++ Iterator(copy(isSeek = false), copy(after = None))
        .filter(_ != this)
  }

  private def random(seed: Long): FrameCase = {
    val drawn = FuzzCase.random(seed)
    val random = new Random(seed + 1)
    val pattern = io.matchrecognize.fuzz.QueryGenerator.map(drawn.pattern) {
      case StartAnchor | EndAnchor => Empty
      case Exclusion(inner) => inner
      case other => other
    }
    // The standard has no number of a match here, and an error ends the search of the oracle.
    val conditions = drawn.conditions.filterNot { case (_, condition) => isLeftOut(condition) }
    FrameCase(
      drawn
        .copy(pattern = pattern, conditions = conditions, windowEnds = Vector(), timeOuts = false),
      random.nextBoolean(),
      Option.when(random.nextInt(3) > 0)(random.nextInt(7))
    )
  }

  private def isLeftOut(condition: Condition): Boolean = (condition match {
    case Condition.MatchNumberIsOdd | _: Condition.FailsOn | _: Condition.FailingSumIsOdd => true
    case _ => false
  }) || condition.parts.exists(isLeftOut)

  private def differs(frames: FrameCase): Boolean = frames.expected.exists { expected =>
    val engines = if (frames.isTwoPass) Seq(false, true) else Seq(false)
    !engines.forall { isTwoPass =>
      try frames.actual(isTwoPass) == expected
      catch { case _: RuntimeException => false }
    }
  }

  @annotation.tailrec
  private def shrink(frames: FrameCase): FrameCase = frames.smaller.find(differs) match {
    case Some(smaller) => shrink(smaller)
    case None => frames
  }

  test(s"$cases random windows from seed $seed agree with the oracle") {
    var compared = 0
    var found = 0
    var twoPass = 0
    (0 until cases).foreach { i =>
      val frames = random(seed * 1000000007L + i)
      frames.expected.foreach { expected =>
        compared += 1
        found += expected.rows.count(_.nonEmpty)
        if (frames.isTwoPass) twoPass += 1
        if (differs(frames)) {
          val small = shrink(frames)
          fail(
            s"${small.describe}\noracle: ${small.expected}\n" +
              s"threads: ${scala.util.Try(small.actual(false))}\n" +
              s"two passes: ${scala.util.Try(small.actual(true))}"
          )
        }
      }
    }
    info(s"$compared compared, $twoPass in two passes, $found reduced frames")
    assert(compared > cases / 2 && found > cases / 2 && twoPass > cases / 12)
  }
}
