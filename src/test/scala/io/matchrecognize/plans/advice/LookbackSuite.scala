package io.matchrecognize.plans.advice

import org.apache.spark.sql.Row

import io.matchrecognize.QuerySuite

/** How far matches reach and where a search may be cut, by `match_recognize_lookback`. */
class LookbackSuite extends QuerySuite {
  private val input = "(SELECT id AS k, CAST(id AS INT) AS i, CAST(id AS DECIMAL(10, 2)) AS c, " +
    "CAST(id AS DOUBLE) AS x, id % 3 AS v, timestamp_seconds(id) AS ts, " +
    "CAST(timestamp_seconds(id) AS TIMESTAMP_NTZ) AS n, date_add(DATE'2026-01-01', i) AS d " +
    "FROM (SELECT id, CAST(id AS INT) AS i FROM range(9)))"

  private def query(clause: String): String = {
    val measured =
      if (clause.contains("MEASURES")) clause
      else clause.replaceFirst("(ONE|ALL|AFTER|PATTERN)", "MEASURES COUNT(*) AS m $1")
    s"SELECT * FROM $input MATCH_RECOGNIZE ($measured)"
  }

  private def lookback(clause: String): Row = {
    val text = query(clause).replace("\\", "\\\\").replace("'", "\\'")
    val found = rows(s"SELECT * FROM match_recognize_lookback(query => '$text')")
    assert(found.length == 1)
    found.head
  }

  /** The span, else the gap. */
  private def check(clauses: (String, String)*): Unit = clauses.foreach { case (clause, expected) =>
    val found = lookback(clause)
    def number(name: String) =
      Option(found.getAs[java.math.BigDecimal](name)).map(_.stripTrailingZeros.toPlainString)
    val told = number("span").map("span " + _).orElse(number("gap").map("gap " + _))
    withClue(clause)(assert(told.getOrElse("none") == expected))
  }

  private def last(condition: String, key: String = "k", pattern: String = "A B* C"): String =
    s"ORDER BY $key PATTERN ($pattern) DEFINE C AS $condition"

  test("WITHIN") {
    check(
      "ORDER BY k PATTERN (A B+) WITHIN 7" -> "span 7",
      "ORDER BY c PATTERN (A B+) WITHIN 2.5" -> "span 2.5",
      "ORDER BY x PATTERN (A B+) WITHIN 2.5" -> "none",
      "ORDER BY ts PATTERN (A B+) WITHIN INTERVAL '90' MINUTE" -> "span 5400",
      "ORDER BY d PATTERN (A B+) WITHIN INTERVAL '2' DAY" -> "span 172800",
      s"ORDER BY n PATTERN (A B+) WITHIN INTERVAL '2' MONTH" -> s"span ${62 * 86400}",
      s"ORDER BY d PATTERN (A B+) WITHIN INTERVAL '1' YEAR" -> s"span ${12 * 31 * 86400}"
    )
    withConf("spark.sql.session.timeZone" -> "Etc/GMT-3") {
      check(
        s"ORDER BY ts PATTERN (A B+) WITHIN make_interval(0, 1, 0, 1)" -> s"span ${32 * 86400}"
      )
    }
  }

  test("distances from the first row, in all ways to write them") {
    check(
      Seq(
        "k <= FIRST(k) + 5",
        "k < A.k + 5",
        "k - A.k <= 5",
        "5 >= k - FIRST(A.k)",
        "A.k - k >= -5",
        "A.k >= k - 5",
        "k = A.k + 5",
        "k BETWEEN A.k AND A.k + 5",
        "k <= PREV(FIRST(k)) + 5",
        "C.k + 1 <= FIRST(k) + 6",
        "v > 1 AND k <= A.k + 5 AND k <= A.k + 9",
        "k <= A.k + 5 AND v > 1 OR k <= A.k + 3"
      ).map(last(_) -> "span 5"): _*
    )
    check(
      Seq(
        "k <= A.k + 5 OR v > 1",
        "k >= A.k + 5",
        "k <= B.k + 5",
        "k <= FIRST(k, 1) + 5",
        "k <= NEXT(A.k) + 5",
        "k <=> A.k",
        "A.k <= A.k + 5",
        "NOT k <= A.k + 5",
        "k + A.k <= 5",
        "k <= A.k + v",
        "2 * k <= A.k + 5",
        "coalesce(k <= A.k + 5, v = 1)",
        "k <= COUNT(*) + 5"
      ).map(last(_) -> "none"): _*
    )
  }

  test("types of keys") {
    check(
      last("i <= A.i + 5", "i") -> "span 5",
      last("i - A.i <= 5L", "i") -> "span 5",
      last("c - A.c <= 2.5", "c") -> "span 2.5",
      last("c <= A.c + 1", "c") -> "span 1",
      last("x <= A.x + 1", "x") -> "none",
      last("k <= A.k + 1D") -> "none",
      last("n <= A.n + INTERVAL '2' DAY", "n") -> "span 172800",
      last("n - INTERVAL '2' MONTH < A.n", "n") -> s"span ${62 * 86400}",
      last("n - A.n < INTERVAL '3' HOUR", "n") -> "span 10800",
      last("d <= A.d + 3", "d") -> "span 259200",
      last("date_sub(d, 3) <= A.d", "d") -> "span 259200",
      last("datediff(d, A.d) <= 3", "d") -> "span 259200",
      last("d - A.d <= INTERVAL '3' DAY", "d") -> "span 259200",
      last("d <= A.d + INTERVAL '1' MONTH", "d") -> s"span ${31 * 86400}",
      last("i <= A.k + 5", "k") -> "none"
    )
    withConf("spark.sql.ansi.enabled" -> "false")(check(last("k <= A.k + 5") -> "none"))
  }

  test("clocks that change") {
    val hours = Seq(
      "ts <= A.ts + INTERVAL '2' HOUR" -> 2,
      "ts <= A.ts + INTERVAL '2' DAY" -> 49,
      "ts - A.ts <= INTERVAL '2' HOUR" -> 3,
      "ts <= A.ts + INTERVAL '1' MONTH" -> (31 * 24 + 1)
    )
    def span(condition: String): BigDecimal =
      lookback(last(condition, "ts")).getAs[java.math.BigDecimal]("span")
    withConf("spark.sql.session.timeZone" -> "Europe/Berlin") {
      hours.foreach { case (condition, least) => assert(span(condition) >= least * 3600) }
      assert(span(hours.head._1) == 7200)
      // Spark subtracts days by the calendar.
      val days = lookback("ORDER BY ts PATTERN (A B) WITHIN INTERVAL '2' DAY")
      assert(BigDecimal(days.getAs[java.math.BigDecimal]("span")) >= 49 * 3600)
      assert(span(hours(1)._1) >= 50 * 3600 && span(hours(1)._1) < 54 * 3600)
    }
    withConf("spark.sql.session.timeZone" -> "UTC")(assert(span(hours(2)._1) == 7200))
  }

  test("steps") {
    val step = "k <= PREV(k) + 5"
    def steps(pattern: String, names: String*): String =
      s"ORDER BY k PATTERN ($pattern) DEFINE " + names.map(n => s"$n AS $step").mkString(", ")
    check(
      steps("A B+", "B") -> "gap 5",
      steps("A B+ C", "B") -> "none",
      steps("A B+ C", "B", "C") -> "gap 5",
      steps("A+", "A") -> "gap 5",
      steps("A B", "A") -> "none",
      steps("A B{2,3} C?", "B", "C") -> "span 20",
      steps("(A | B) C", "C") -> "span 5",
      steps("PERMUTE(A, B, C)", "A", "B", "C") -> "span 10",
      steps("PERMUTE(A, B, C)", "A", "B") -> "none",
      steps("A {- B -} C", "B", "C") -> "span 10",
      steps("A", "X").replace(" DEFINE X AS " + step, "") -> "span 0",
      "ORDER BY k PATTERN (A B+) DEFINE B AS k <= LAST(B.k, 1) + 5 OR k <= A.k + 3" -> "gap 5",
      "ORDER BY k PATTERN (A B+) DEFINE B AS k <= FIRST(B.k) + 5" -> "none",
      "ORDER BY k PATTERN (A+ B) DEFINE A AS k <= FIRST(A.k) + 5, B AS k <= LAST(A.k) + 2" -> "span 7",
      "ORDER BY k PATTERN (A B C* D) DEFINE B AS k <= A.k + 5, D AS k - B.k < 4" -> "span 9",
      "ORDER BY k PATTERN (A (B | C) D* E) SUBSET U = (B, C) DEFINE B AS k <= A.k + 5, " +
        "C AS k <= A.k + 7, E AS k <= U.k + 1" -> "span 8",
      "ORDER BY k PATTERN (A B* C) SUBSET U = (B, C) DEFINE C AS U.k <= A.k + 5" -> "span 5",
      "ORDER BY k PATTERN (A B* C) SUBSET U = (A, B) DEFINE C AS k <= U.k + 5" -> "none",
      "ORDER BY k PATTERN (A B* C) SUBSET U = (A, B) DEFINE C AS k <= FIRST(U.k) + 5" -> "span 5",
      "ORDER BY k PATTERN (A B* (C | D)) DEFINE C AS k <= A.k + 5" -> "none",
      "ORDER BY k PATTERN (A B*) DEFINE B AS k <= A.k + 5" -> "span 5"
    )
  }

  test("where it may be cut") {
    def cut(clause: String) = lookback(clause).getAs[String]("cut")
    val next = "AFTER MATCH SKIP TO NEXT ROW"
    Seq(
      s"ORDER BY k $next PATTERN (A B) WITHIN 5" -> "anywhere",
      s"ORDER BY k ALL ROWS PER MATCH $next PATTERN (A B) WITHIN 5" -> "anywhere",
      s"ORDER BY k ALL ROWS PER MATCH WITH UNMATCHED ROWS $next PATTERN (A B) WITHIN 5" -> "gap",
      s"ORDER BY k $next PATTERN (A B+) DEFINE B AS k < PREV(k) + 5" -> "gap",
      "ORDER BY k PATTERN (A B) WITHIN 5" -> "gap",
      "ORDER BY k AFTER MATCH SKIP TO LAST B PATTERN (A B) WITHIN 5" -> "gap",
      "ORDER BY k ALL ROWS PER MATCH OMIT EMPTY MATCHES PATTERN (A*) WITHIN 5" -> "gap",
      "ORDER BY k PATTERN (A*) WITHIN 5" -> "nowhere",
      "ORDER BY k PATTERN (^ A) WITHIN 5" -> "nowhere",
      "ORDER BY k PATTERN (A $) WITHIN 5" -> "nowhere",
      "ORDER BY k DESC PATTERN (A)" -> "nowhere",
      "ORDER BY k ONE ROW PER MATCH SHOW TIMEOUT MATCHES PATTERN (A B) WITHIN 5" -> "nowhere",
      "ORDER BY k PATTERN (A B) WITHIN 5 DEFINE A AS NEXT(v) = 1" -> "nowhere",
      "ORDER BY k MEASURES NEXT(LAST(v)) AS w PATTERN (A B) WITHIN 5" -> "nowhere",
      "ORDER BY k PATTERN (A B) WITHIN 5 DEFINE A AS MATCH_NUMBER() < 3" -> "nowhere",
      "ORDER BY k PATTERN (A B) WITHIN 5 DEFINE A AS v < (SELECT max(id) FROM range(2))" -> "nowhere",
      s"ORDER BY k $next PATTERN (A B) WITHIN 5 DEFINE A AS ts > now() - INTERVAL '1' DAY" ->
        "nowhere",
      "ORDER BY k PATTERN (A B+)" -> "nowhere",
      "PATTERN (A)" -> "nowhere"
    ).foreach { case (clause, expected) => withClue(clause)(assert(cut(clause) == expected)) }
  }

  test("rows before a match, and its number") {
    Seq(
      ("COUNT(*) AS m", "A AS v > PREV(v), B AS v > PREV(v, 3)", 2, false),
      ("COUNT(*) AS m", "B AS v > PREV(v)", 0, false),
      ("MATCH_NUMBER() AS m", "B AS v > PREV(A.v, 2)", 2, true),
      ("PREV(FIRST(v), 4) AS m", "B AS v > PREV(LAST(v, 1))", 4, false)
    ).foreach { case (measure, define, before, isNumbered) =>
      val found = lookback(s"ORDER BY k MEASURES $measure PATTERN (A B) WITHIN 5 DEFINE $define")
      assert(found.getAs[Int]("rows_before") == before)
      assert(found.getAs[Boolean]("numbered") == isNumbered)
    }
  }

  test("the sentences, and the line of EXPLAIN FORMATTED") {
    val next = "ORDER BY d MEASURES MATCH_NUMBER() AS m AFTER MATCH SKIP TO NEXT ROW PATTERN (A B)"
    val gap =
      "ORDER BY ts PATTERN (A B+) DEFINE A AS v > PREV(v), B AS ts < PREV(ts) + INTERVAL '1' HOUR"
    Seq(
      (
        s"$next WITHIN INTERVAL '2' DAY",
        "A match spans at most INTERVAL '2' DAY. For new rows from t on, read the rows from t - " +
          "INTERVAL '2' DAY on, and replace the matches that begin at or after t - INTERVAL '2' DAY. " +
          "MATCH_NUMBER() counts from the first row that is read; do not keep it.",
        "span INTERVAL '2' DAY, cut anywhere, rows before: 0"
      ),
      (
        gap,
        "No match crosses a gap in ts longer than INTERVAL '0 01:00:00' DAY TO SECOND. For new rows " +
          "from t on, read each partition from the last row before t - INTERVAL '0 01:00:00' DAY TO " +
          "SECOND that follows such a gap, and replace the matches that begin at or after that row. " +
          "PREV reads 1 row before them; read these, too.",
        "cut in gaps longer than INTERVAL '0 01:00:00' DAY TO SECOND, rows before: 1"
      ),
      (
        "ORDER BY k PATTERN (A B+)",
        "Unbounded: no lookback is enough, because nothing bounds how far a match reaches. Use a " +
          "stream, or search all rows of each partition that has new ones.",
        "unbounded, because nothing bounds how far a match reaches"
      )
    ).foreach { case (clause, advice, line) =>
      assert(lookback(clause).getAs[String]("advice") == advice)
      val plan = rows(s"EXPLAIN FORMATTED ${query(clause)}").head.getString(0)
      assert(plan.linesIterator.contains(s"Lookback: $line"))
    }
  }

  test("a row for each clause; none of a statement without one") {
    def cuts(sql: String) =
      rows(s"SELECT cut FROM match_recognize_lookback('$sql')").map(_.getString(0))
    val inner = "SELECT * FROM range(9) MATCH_RECOGNIZE (ORDER BY id MEASURES FIRST(id) AS k " +
      "PATTERN (A))"
    val outer =
      s"SELECT * FROM ($inner) MATCH_RECOGNIZE (ORDER BY k MEASURES k AS l PATTERN (A B+))"
    assert(cuts(outer) == Seq("gap", "nowhere"))
    assert(cuts(s"$inner UNION ALL $inner").length == 2)
    assert(cuts("SELECT 1").isEmpty)
  }
}
