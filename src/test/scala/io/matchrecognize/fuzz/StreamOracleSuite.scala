package io.matchrecognize.fuzz

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.fuzz.FuzzExpression._
import io.matchrecognize.fuzz.FuzzReport.plain
import io.matchrecognize.fuzz.StreamOracle._
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.pattern.RowPattern._

/** The stream oracle itself: by examples, and against the table oracle. */
class StreamOracleSuite extends AnyFunSuite {
  private val budget = 20000

  private val a = op("=", Column(None, "s"), Constant("a"))
  private val b = op("=", Column(None, "s"), Constant("b"))
  private val plus = Quantified(Variable("A"), 1, None, greedy = true)

  private def clause(
      pattern: RowPattern,
      skip: String = "PAST LAST ROW",
      within: Option[Double] = None,
      rowsPerMatch: String = "ONE ROW PER MATCH",
      measure: FuzzExpression = Aggregate("COUNT", false, Seq(Star(None)), None, "")
  ): FuzzQuery = FuzzQuery(
    pattern,
    Nil,
    Seq("A" -> a, "B" -> b),
    Seq(Navigation("FIRST", "", Column(None, "k"), None), measure),
    rowsPerMatch,
    FuzzSkip(skip, None),
    Nil,
    Seq(FuzzOrder("t", descending = false, "")),
    within,
    Vector.empty,
    nested = false,
    Nil,
    None,
    0
  )

  /** Decided rows of one row per second; the watermark is at the last one or at `watermark`. */
  private def decided(query: FuzzQuery, text: String, watermark: Long = 0): Decided = {
    val rows = text.zipWithIndex.map { case (c, i) => FuzzRow(null, i, i, null, c.toString, i) }
    new StreamOracle(query, budget, eager = true)
      .decided(rows, watermark.max(text.length - 1))
  }

  test("a greedy end waits for the row that ends it, a fixed one does not") {
    val greedy = clause(Concatenation(Seq(Variable("B"), plus)))
    assert(decided(greedy, "baa") == Decided(Vector.empty, Waiting))
    assert(decided(greedy, "baab") == Decided(Vector(Seq(0, 3)), Waiting))
    assert(decided(greedy, "baax") == Decided(Vector(Seq(0, 3)), Searched))
    val fixed = clause(Concatenation(Seq(plus, Variable("B"))))
    assert(decided(fixed, "aabaab") == Decided(Vector(Seq(0, 3), Seq(3, 3)), Searched))
    assert(decided(fixed, "aabaa") == Decided(Vector(Seq(0, 3)), Waiting))
  }

  test("the preferred branch decides, finished or not") {
    val branches = Seq(Variable("A"), Concatenation(Seq(Variable("A"), Variable("B"))))
    assert(decided(clause(Alternation(branches)), "a").rows == Seq(Seq(0, 1)))
    val longFirst = clause(Alternation(branches.reverse))
    assert(decided(longFirst, "a") == Decided(Vector.empty, Waiting))
    assert(decided(longFirst, "aa") == Decided(Vector(Seq(0, 1)), Waiting))
  }

  test("the watermark or a row beyond ends the waiting inside WITHIN") {
    val query = clause(plus, within = Some(3))
    assert(decided(query, "aaa", watermark = 2) == Decided(Vector.empty, Waiting))
    assert(decided(query, "aaa", watermark = 3) == Decided(Vector(Seq(0, 3)), Searched))
    assert(decided(query, "aaaa", watermark = 3) == Decided(Vector(Seq(0, 4)), Searched))
    assert(decided(query, "aaaaa", watermark = 4) == Decided(Vector(Seq(0, 4)), Waiting))
    val timeOuts = clause(
      Concatenation(Seq(plus, Variable("B"))),
      within = Some(3),
      rowsPerMatch = "ONE ROW PER MATCH SHOW TIMEOUT MATCHES"
    )
    assert(decided(timeOuts, "aa", watermark = 2) == Decided(Vector.empty, Waiting))
    assert(decided(timeOuts, "aa", watermark = 3) == Decided(Vector(Seq(0, 2)), Waiting))
    assert(decided(timeOuts, "aax", watermark = 3) == Decided(Vector.empty, Searched))
  }

  test("NEXT waits for its row") {
    val next = Navigation("NEXT", "", Column(None, "k"), Some(2))
    val pair = Concatenation(Seq(Variable("A"), Variable("B")))
    val query = clause(pair, measure = next)
    assert(decided(query, "abx") == Decided(Vector.empty, Waiting))
    assert(decided(query, "abxx") == Decided(Vector(Seq(0, 3)), Searched))
    val ahead = clause(pair).copy(conditions = Seq("A" -> op("=", next, Constant(4L)), "B" -> b))
    assert(decided(ahead, "xxxb") == Decided(Vector.empty, Waiting))
    assert(decided(ahead, "xxxbx") == Decided(Vector(Seq(2, 2)), Waiting))
  }

  test("rows come by start row, those of no match too") {
    val query = clause(
      Concatenation(Seq(Variable("A"), Variable("B"))),
      skip = "TO NEXT ROW",
      rowsPerMatch = "ALL ROWS PER MATCH WITH UNMATCHED ROWS"
    )
    val found = decided(query, "xabba")
    assert(found.end == Waiting)
    // t, measures, then the other columns, g and k first
    val wanted = Seq[Seq[Any]](Seq(0, null, null), Seq(1, 1, 1), Seq(2, 1, 2), Seq(3, null, null))
    assert(found.rows.map(_.take(3)) == wanted)
  }

  test("what is decided stays, whatever comes, and is what the table gives") {
    val cases = sys.props.get("fuzz.stream.cases").fold(400)(_.toInt)
    var rows = 0
    var waits = 0
    for (seed <- 0 until cases) {
      val drawn = StreamCase.random(seed)
      import drawn.{query, watermarks}
      query.partitions.foreach { partition =>
        new ClauseOracle(query, budget).partition(partition) match {
          case ClauseOracle.Rows(whole) =>
            val known = watermarks.map(w => partition.takeWhile(_.t <= w) -> w)
            def all(eager: Boolean) = known.map { case (rows, watermark) =>
              new StreamOracle(query, budget, eager).decided(rows, watermark)
            }
            val (eager, lazily) = (all(eager = true), all(eager = false))
            if (!(eager ++ lazily).exists(_.end == TooExpensive)) {
              // A clue of `assert` would be made each time.
              def check(holds: Boolean): Unit =
                if (!holds) fail(s"seed $seed: ${query.sql} $partition $watermarks")
              val steps = (lazily.map(_.rows) :+ whole).map(plain)
              steps.zip(steps.tail).foreach { case (before, after) =>
                check(after.startsWith(before))
              }
              eager.zip(lazily).foreach { case (fewer, more) =>
                check(plain(more.rows).startsWith(plain(fewer.rows)))
              }
              if (lazily.last.end == Searched) check(plain(lazily.last.rows) == plain(whole))
              rows += eager.last.rows.size
              waits += eager.count(_.end == Waiting)
            }
          case _ =>
        }
      }
    }
    info(s"$rows rows, $waits times more rows were waited for")
    assert(rows > cases && waits > cases)
  }
}
