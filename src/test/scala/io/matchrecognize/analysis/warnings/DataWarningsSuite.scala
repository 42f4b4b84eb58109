package io.matchrecognize.analysis.warnings

/** What the rows of a clause tell, each trap with its sentence. */
class DataWarningsSuite extends WarningsSuite {

  test("texts that are numbers as the key of the order") {
    view("texts", "seq, p", "'8', 1", "'9', 2", "'10', 3", "'11', 4")
    check("texts", "ORDER BY seq PATTERN (A B) DEFINE B AS p > 1")(
      "ORDER BY seq sorts texts, and all of them are numbers: '11' is before '8'. Write ORDER BY " +
        "CAST(seq AS BIGINT)."
    )
    check("texts", "ORDER BY p % 2, seq DESC PATTERN (A B) DEFINE B AS p > 1")(
      "ORDER BY seq sorts texts, and all of them are numbers: '8' is before '10'. Write ORDER BY " +
        "CAST(seq AS BIGINT)."
    )
    check("texts", "ORDER BY CAST(seq AS INT) PATTERN (A B) DEFINE B AS p > 1")()
    view("decimals", "k, p", "'1.5', 1", "' 10.25', 2", "'-2', 3")
    check("decimals", "ORDER BY k PATTERN (A B) DEFINE B AS p > 1")(
      "ORDER BY k sorts texts, and all of them are numbers: ' 10.25' is before '-2'. Write ORDER BY " +
        "CAST(k AS DOUBLE)."
    )
  }

  test("texts whose order is that of their numbers, or that are not numbers") {
    view("padded", "seq, p", "'08', 1", "'09', 2", "'10', 3")
    check("padded", "ORDER BY seq PATTERN (A B) DEFINE B AS p > 1")()
    view("codes", "seq, p", "'8', 1", "'9', 2", "'10', 3", "'x', 4")
    check("codes", "ORDER BY seq PATTERN (A B) DEFINE B AS p > 1")()
    view("days", "day, p", "'2024-12-31', 1", "'2025-01-02', 2")
    check("days", "ORDER BY day PATTERN (A B) DEFINE B AS p > 1")()
  }

  test("dates that do not begin with the year") {
    view("dates", "day, p", "'12/31/2024', 1", "'01/02/2025', 2", "'02/01/2025', 3")
    check("dates", "ORDER BY day PATTERN (A B) DEFINE B AS p > 1")(
      "ORDER BY day sorts texts, and all of them are dates that do not begin with the year: " +
        "'02/01/2025' is before '12/31/2024'. Write ORDER BY to_date(day, '...') with their format, " +
        "or to_timestamp."
    )
  }

  test("ties") {
    view("ties", "s, t, p", "'a', 1, 1", "'a', 1, 2", "'a', 1, 3", "'b', 1, 1", "'b', 2, 2")
    check("ties", "PARTITION BY s ORDER BY t PATTERN (A B) DEFINE B AS p > 1")(
      "3 rows have the same ORDER BY key as another row of their partition (1 group, such as s = a, t " +
        "= 1), so their order, and with it the result, may change. Add a key to ORDER BY that tells " +
        "them apart."
    )
    check("ties", "ORDER BY t PATTERN (A B) DEFINE B AS p > 1")(
      "4 rows have the same ORDER BY key as another row of their partition (1 group, such as t = 1), so " +
        "their order, and with it the result, may change. If they belong to different things, add " +
        "PARTITION BY; otherwise add a key to ORDER BY that tells them apart."
    )
    check("ties", "ORDER BY s, t, p PATTERN (A B) DEFINE B AS p > 1")()
  }

  test("NULLs in keys") {
    view("nulls", "s, t, p", "'a', NULL, 1", "'a', 1, 2", "NULL, 1, 3", "NULL, 2, 1", "NULL, 3, 2")
    check("nulls", "PARTITION BY s ORDER BY t PATTERN (A B) DEFINE B AS p > 1")(
      "PARTITION BY s is NULL in 3 rows, which are searched as one partition. If they do not belong " +
        "together, exclude them: WHERE s IS NOT NULL.",
      "ORDER BY t is NULL in 1 row, which are sorted before all others. If they have no place in the " +
        "order, exclude them: WHERE t IS NOT NULL."
    )
  }

  test("fractions as keys of partitions") {
    view("fractions", "k, w, t", "0.1D, 1D, 1", "0.1D + 0.2D, 1D, 2")
    check("fractions", "PARTITION BY k ORDER BY t PATTERN (A)")(
      "PARTITION BY k is a DOUBLE with values such as 0.30000000000000004. Two results that differ in " +
        "the last digit are two partitions. Write CAST(k AS DECIMAL(18, 6)), or the scale that you " +
        "mean."
    )
    check("fractions", "PARTITION BY w ORDER BY t PATTERN (A)")()
  }

  test("sizes of partitions") {
    check("range(0)", "ORDER BY id PATTERN (A)")(
      "The input of the clause has no rows, so its data was not checked."
    )
    check(
      "range(5)",
      "PARTITION BY id ORDER BY id PATTERN (A B{2,} (C | D E)?) DEFINE B AS id > 0"
    )(
      "The largest partition of PARTITION BY id has 1 row, and the shortest match has 3, so nothing " +
        "matches. Use fewer keys in PARTITION BY."
    )
    check("range(2)", "ORDER BY id PATTERN (A B (C | D E)) DEFINE B AS id > 0")(
      "The input has 2 rows, and the shortest match has 3, so nothing matches."
    )
    val skewed = "(SELECT id, CASE WHEN id < 30 THEN id ELSE -1 END AS k FROM range(20000))"
    check(skewed, "PARTITION BY k ORDER BY id PATTERN (A)")(
      "The partition k = -1 has 19,970 of 20,000 rows, in 31 partitions. One task searches it, and the " +
        "others wait. If its key replaces missing values, exclude it in WHERE; otherwise add a key " +
        "to PARTITION BY."
    )
  }

  test("pauses that PREV reads across") {
    val minutes = "(SELECT timestamp_seconds(60 * id + IF(id > 20, 180000, 0)) AS ts, id AS p, " +
      "id % 2 AS s FROM range(60))"
    val rise = "PATTERN (A B) DEFINE B AS p <> PREV(p)"
    def told(
        from: String,
        to: String,
        in: String,
        step: String,
        median: String,
        bounded: String = "ts - PREV(ts)"
    ) =
      s"PREV reads across pauses of ts: its longest step is $step, from $from to $to$in, and its " +
        s"median step is $median. If a match must not span a pause, bound it: by WITHIN, or as in " +
        s"$bounded <= INTERVAL '10' MINUTE in DEFINE."
    withConf("spark.sql.session.timeZone" -> "UTC") {
      check(minutes, s"ORDER BY ts $rise")(
        told("1970-01-01 00:20:00", "1970-01-03 02:21:00", "", "2 days 2 hours", "1 minute")
      )
      check(minutes, s"PARTITION BY s ORDER BY ts DESC $rise")(
        told(
          "1970-01-03 02:21:00",
          "1970-01-01 00:19:00",
          " in the partition s = 1",
          "2 days 2 hours",
          "2 minutes",
          "PREV(ts) - ts"
        )
      )
    }
    check(minutes, "ORDER BY ts PATTERN (A B) DEFINE B AS p > A.p")()
    check(minutes, "ORDER BY ts PATTERN (A B) WITHIN INTERVAL '30' SECOND DEFINE B AS p > A.p")(
      "WITHIN INTERVAL '30' SECOND is less than the shortest step of ts, which is 1 minute, so no two " +
        "rows are in one match. Write a longer bound."
    )
    check(minutes, "ORDER BY ts PATTERN (A+) WITHIN INTERVAL '30' SECOND DEFINE A AS p > 1")()
    check("range(9)", "ORDER BY id PATTERN (A B) WITHIN 1 DEFINE B AS id > 1")()
    check(minutes, s"ORDER BY ts PATTERN (A B) WITHIN INTERVAL '1' HOUR DEFINE B AS p > PREV(p)")()
    val bounded = "p > PREV(p) AND ts - PREV(ts) <= INTERVAL '1' HOUR"
    check(minutes, s"ORDER BY ts PATTERN (A B) DEFINE B AS $bounded")()
    val dates = "(SELECT date_add(DATE'2024-01-01', CAST(id + IF(id > 20, 100, 0) AS INT)) AS d, " +
      "id AS p FROM range(60))"
    check(dates, "ORDER BY d MEASURES PREV(A.p) AS n PATTERN (A B) DEFINE B AS p > 1")(
      "PREV reads across pauses of d: its longest step is 101 days, from 2024-01-21 to 2024-05-01, " +
        "and its median step is 1 day. If a match must not span a pause, bound it: by WITHIN, or as in " +
        "d - PREV(d) <= INTERVAL '7' DAY in DEFINE."
    )
  }

  test("numbers that are missing") {
    val numbers = "(SELECT id AS seq, id AS p FROM range(100) WHERE id NOT IN (40, 41, 70))"
    check(numbers, "ORDER BY seq PATTERN (A B) DEFINE B AS p > NEXT(p)")(
      "The numbers of seq have 2 gaps, as from 39 to 42, and NEXT reads across them. If it must not, " +
        "write seq = PREV(seq) + 1 in DEFINE.",
      "No row satisfies `p > NEXT(p)`, the condition of B, so B matches none of 97 rows."
    )
    check(numbers, "ORDER BY seq PATTERN (A B) DEFINE B AS p > PREV(p) AND seq = PREV(seq) + 1")()
    val many = "(SELECT id * id AS seq, id AS p FROM range(100))"
    check(many, "ORDER BY seq PATTERN (A B) DEFINE B AS p > PREV(p)")()
  }

  test("conditions that no row satisfies") {
    view("sides", "t, side, p", "1, 'look', 10", "2, ' buy', 20", "3, 'sell', 30")
    def of(text: String, variable: String = "B") =
      s"No row satisfies `$text`, the condition of $variable, so $variable matches none of 3 rows."
    check("sides", "ORDER BY t PATTERN (A B) DEFINE B AS side = 'BUY'")(
      of(
        "side = 'BUY'"
      ) + " The nearest value of `side` is ' buy', which differs in case or blanks."
    )
    check("sides", "ORDER BY t PATTERN (A B) DEFINE B AS 'sells' = B.side")(
      of("'sells' = B.side") + " The nearest value of `B.side` is 'sell'."
    )
    check("sides", "ORDER BY t PATTERN (A B) DEFINE B AS p >\n 30, A AS p % 20 = 11")(
      of("p > 30") + " `p` is from 10 to 30.",
      of("p % 20 = 11", "A") + " `p % 20` is from 0 to 10."
    )
    check("sides", "ORDER BY t PATTERN (A B) DEFINE B AS p < PREV(p)")(of("p < PREV(p)"))
    check("sides", "ORDER BY t PATTERN (A B) DEFINE B AS p = PREV(p, 2) + 1")(
      of("p = PREV(p, 2) + 1")
    )
    check("sides", "ORDER BY t PATTERN (A B) DEFINE B AS p > A.p AND side = 'buy'")(
      "No row satisfies `side = 'buy'`, a part of the condition of B, so B matches none of 3 rows. " +
        "The nearest value of `side` is ' buy', which differs in case or blanks."
    )
    check("sides", "ORDER BY t PATTERN (A B) DEFINE B AS p > 10 AND side = 'look'")(
      "No row satisfies the condition of B: 2 rows satisfy `p > 10`, 1 row satisfies `side = 'look'`, " +
        "but no row all of them, so B matches no row."
    )
    check("sides", "ORDER BY t PATTERN (A B) DEFINE B AS PREV(p, 5) > 1")(
      "No row satisfies `PREV(p, 5) > 1`, the condition of B: it is NULL in all 3 rows, so B matches " +
        "no row."
    )
    check("sides", "ORDER BY t PATTERN (A B) DEFINE B AS p <> 20 AND 1 DIV (p - 20) >= 0")()
    check("sides", "ORDER BY t PATTERN (A B) DEFINE B AS p > A.p, A AS side LIKE '%o%'")()
  }

  test("numbers that are compared as texts") {
    view("prices", "t, price", "1, '9'", "2, '10'", "3, '8'")
    check("prices", "ORDER BY t PATTERN (A B) DEFINE B AS price < PREV(price)")(
      "`price < PREV(price)` compares texts, and all values of price are numbers: as texts, '10' is " +
        "less than '9'. Write CAST(price AS DOUBLE) on both sides."
    )
    view("names", "t, price", "1, '9'", "2, '10'", "3, 'none'")
    check("names", "ORDER BY t PATTERN (A B) DEFINE B AS price < PREV(price)")()
  }

  test("without an order nothing is said of neighbours") {
    check("range(30)", "PATTERN (A B) DEFINE B AS id < PREV(id)")(
      "There is no ORDER BY, so the result depends on the order in which the rows are read."
    )
  }

  test("each clause of a statement is read, also in a subquery, and one that occurs twice once") {
    val inner = "SELECT * FROM range(9) MATCH_RECOGNIZE (ORDER BY id MEASURES LAST(id) AS m " +
      "PATTERN (A) DEFINE A AS id > 5)"
    val outer =
      s"WITH i AS ($inner) SELECT *, (SELECT MAX(m) FROM i) AS x FROM i MATCH_RECOGNIZE (" +
        "ORDER BY m MEASURES COUNT(*) AS n PATTERN (B) DEFINE B AS m > 10)"
    assert(
      warnings(outer, hasData = true) == Seq(
        "No row satisfies `m > 10`, the condition of B, so B matches none of 3 rows. `m` is from 6 to " +
          "8."
      )
    )
    assert(warnings(outer, hasData = false).isEmpty)
  }

  test("a window is read as a clause is") {
    val window = "SELECT COUNT(*) OVER (ORDER BY id % 5 ROWS BETWEEN CURRENT ROW AND UNBOUNDED " +
      "FOLLOWING PATTERN (A+) DEFINE A AS id < 0) AS n FROM range(10)"
    assert(
      warnings(window, hasData = true) == Seq(
        "10 rows have the same ORDER BY key as another row of their partition (5 groups, such as id % 5 " +
          "= 4), so their order, and with it the result, may change. If they belong to different " +
          "things, add PARTITION BY; otherwise add a key to ORDER BY that tells them apart.",
        "No row satisfies `id < 0`, the condition of A, so A matches none of 10 rows. `id` is from 0 " +
          "to 9."
      )
    )
  }
}
