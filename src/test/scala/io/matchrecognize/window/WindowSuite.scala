package io.matchrecognize.window

import org.apache.spark.sql.Row

/** Row patterns in window specifications (ISO/IEC 9075-2, feature R020). */
class WindowSuite extends WindowQueries {

  test("a measure of the match that begins at the row; skipped rows have none") {
    val found = run("last_v OVER w, label OVER w, count(*) OVER w", window(v))
    assert(
      found == Seq(
        row(1, 90, "C", 5L),
        row(2, null, null, 0L),
        row(3, null, null, 0L),
        row(4, null, null, 0L),
        row(5, null, null, 0L),
        row(6, 60, "C", 3L),
        row(7, null, null, 0L),
        row(8, null, null, 0L)
      )
    )
  }

  test("SKIP TO NEXT ROW: each row has its own match") {
    val found =
      run("count(*) OVER w, sum(v) OVER w, first_value(v) OVER w", window(v, "TO NEXT ROW"))
    assert(
      found == Seq(
        row(1, 5L, 410L, 90),
        row(2, 4L, 320L, 80),
        row(3, 0L, null, null),
        row(4, 0L, null, null),
        row(5, 4L, 240L, 90),
        row(6, 3L, 150L, 50),
        row(7, 0L, null, null),
        row(8, 0L, null, null)
      )
    )
  }

  test("SEEK: the first match in the frame") {
    val found = run("k, count(*) OVER w, first_value(k) OVER w", window("SEEK " + v, "TO NEXT ROW"))
    assert(
      found.map(_.drop(2)) == Seq(
        row(5L, 1),
        row(4L, 2),
        row(4L, 5),
        row(4L, 5),
        row(4L, 5),
        row(3L, 6),
        row(0L, null),
        row(0L, null)
      )
    )
    val past = run("count(*) OVER w, first_value(k) OVER w", window("SEEK " + v))
    assert(
      past.map(_.drop(1)) == Seq(row(5L, 1)) ++ Seq.fill(4)(row(0L, null)) ++
        Seq(row(3L, 6), row(0L, null), row(0L, null))
    )
  }

  test("the frame ends n rows after the current row") {
    def at(n: String) = run(
      "count(*) OVER w",
      s"""ORDER BY k ROWS BETWEEN CURRENT ROW AND $n FOLLOWING AFTER MATCH SKIP TO NEXT ROW
         |PATTERN (A B+ C*) DEFINE B AS v < PREV(v), C AS v > PREV(v)""".stripMargin
    ).map(_(1))
    assert(at("1") == Seq(2, 2, 0, 0, 2, 2, 0, 0))
    assert(at("2") == Seq(3, 3, 0, 0, 3, 3, 0, 0))
    assert(at("UNBOUNDED") == Seq(5, 4, 0, 0, 4, 3, 0, 0))
  }

  test("navigation does not leave the frame") {
    val back = "PATTERN (B | A) DEFINE B AS v < PREV(v)"
    assert(run("label OVER w", window(back)).map(_(1)) == Seq.fill(8)("A"))
    val seek = "SEEK PATTERN (B) DEFINE B AS v < PREV(v)"
    assert(
      run("last_v OVER w", window(seek, "TO NEXT ROW")).map(_(1)) ==
        row(80, 70, 50, 50, 50, 40, null, null)
    )
    val ends = "PATTERN (B | A) DEFINE B AS PREV(v) IS NULL AND NEXT(v, 2) IS NULL"
    assert(run("label OVER w", window(ends)).map(_(1)) == Seq.fill(6)("A") ++ Seq("B", "B"))
    val measures = run(
      "p OVER w, n OVER w",
      """ORDER BY k MEASURES PREV(FIRST(v)) AS p, NEXT(v) AS n
        |ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING PATTERN (A A) """.stripMargin
    )
    assert(measures.forall(_.drop(1) == row(null, null)))
  }

  test("conditions that read rows before the frame, in the two-pass engine and in threads") {
    val up = "PATTERN (U+) DEFINE U AS v > PREV(v) OR PREV(v) IS NULL"
    val found = run("count(*) OVER w", window(up, "TO NEXT ROW"))
    assert(found.map(_(1)) == Seq(1, 1, 3, 2, 1, 1, 2, 1))
    val far = "PATTERN (U+) DEFINE U AS v > PREV(v, 2) OR PREV(v, 2) IS NULL"
    assert(
      run("count(*) OVER w", window(far, "TO NEXT ROW")).map(_(1)) == Seq(2, 2, 3, 2, 2, 3, 2, 1)
    )
    assert(
      run("count(*) OVER w", window("SEEK " + far, "TO NEXT ROW")).map(_(1)) ==
        row(2, 2, 3, 2, 2, 3, 2, 1)
    )
  }

  test("an empty match and no match: measures and functions over no rows") {
    val found = run(
      "matched OVER w, label OVER w, count(*) OVER w, collect_list(v) OVER w",
      window("PATTERN (B*) DEFINE B AS v = 50")
    )
    assert(found(0) == row(1, "yes", null, 0L, Nil))
    assert(found(5) == row(6, "yes", "B", 1L, Seq(50)))
    val none = run("matched OVER w, count(*) OVER w", window("PATTERN (B) DEFINE B AS v = 50"))
    assert(none(0) == row(1, null, 0L))
  }

  test("aggregates with DISTINCT and FILTER, nth_value, over the reduced frame") {
    val found = run(
      "count(DISTINCT v) OVER w, count(*) FILTER (WHERE v > 75) OVER w, nth_value(v, 3) OVER w, " +
        "last_value(v) OVER w, max(v) OVER w, avg(v) OVER w",
      window(v)
    )
    assert(found(0) == row(1, 3L, 4L, 70, 90, 90, 82.0))
    assert(found(1) == row(2, 0L, 0L, null, null, null, null))
  }

  test("overlapping matches of a long partition, each with its own frame") {
    val query =
      """SELECT sum(n), sum(high), sum(ahead), max(low) FROM (
        |  SELECT count(*) OVER w AS n, max(id) OVER w AS high, low OVER w,
        |    (first_value(id) OVER s) - id AS ahead
        |  FROM range(0, 40000, 1, 1)
        |  WINDOW w AS (ORDER BY id MEASURES MIN(id) AS low
        |      ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING AFTER MATCH SKIP TO NEXT ROW
        |      PATTERN (A+) DEFINE A AS id % 10000 < 9999),
        |    s AS (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
        |      AFTER MATCH SKIP TO NEXT ROW SEEK PATTERN (A) DEFINE A AS id % 10000 = 9999))""".stripMargin
    val n = (1L to 9999L).sum * 4
    val high = (0L to 3L).map(block => 9999L * (block * 10000 + 9998)).sum
    assert(rows(query) == Seq(Row(n, high, n, 39998L)))
  }
}
