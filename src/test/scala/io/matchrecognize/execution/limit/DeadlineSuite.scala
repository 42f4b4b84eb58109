package io.matchrecognize.execution.limit

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.{Interpreted, Sampled}

/** Which conditions are deadlines, and that none of them changes a result. */
class DeadlineSuite extends Interpreted {

  private val events =
    """SELECT id AS i, CAST(id AS INT) AS n, timestamp_seconds(1729980000 + id * 113) AS ts,
      |  CAST(timestamp_seconds(1729980000 + id * 113) AS TIMESTAMP_NTZ) AS local,
      |  date_add(DATE'2024-01-01', CAST(id DIV 7 AS INT)) AS day,
      |  CASE WHEN id < 5 THEN DOUBLE('-Infinity') WHEN id > 390 THEN DOUBLE('NaN') ELSE id / 3 END AS x,
      |  CAST(id AS DECIMAL(10, 1)) / 2 AS d, CAST(id / 3 AS FLOAT) AS f,
      |  IF(id % 50 < 3, NULL, id) AS gaps,
      |  CASE WHEN id < 5 THEN -2147483000 WHEN id > 390 THEN 2147483000 ELSE CAST(id AS INT) END AS far,
      |  abs(hash(id)) % 10 AS v FROM range(400)""".stripMargin

  private def query(order: String, pattern: String, define: String) =
    s"""SELECT * FROM events MATCH_RECOGNIZE (ORDER BY $order
       |  MEASURES FIRST(i) AS a, LAST(i) AS z, COUNT(*) AS c AFTER MATCH SKIP TO NEXT ROW
       |  PATTERN ($pattern) DEFINE $define)""".stripMargin

  /** The text of EXPLAIN's line, if there is one. */
  private def deadline(sql: String): Option[String] = {
    val text = matchNodes(spark.sql(sql)).head.verboseStringWithOperatorId()
    text.linesIterator.find(_.startsWith("Deadline: ")).map(_.drop("Deadline: ".length))
  }

  private def results(sql: String): Seq[String] = spark.sql(sql).collect().toSeq.map(_.toString)

  private def compare(sql: String): Unit = {
    val found = results(sql)
    withSearch(anchored = false) {
      assert(results(sql) == found)
    }
    withSearch(deadlines = false, anchored = false) {
      assert(results(sql) == found)
      assert(deadline(sql).isEmpty)
    }
    assert(found.nonEmpty)
  }

  private def check(order: String, condition: String, isDeadline: Boolean): Unit =
    test(s"ORDER BY $order: $condition is ${if (isDeadline) "" else "not "}a deadline") {
      spark.sql(events).createOrReplaceTempView("events")
      Seq("A Z*? B+", "A B* | B Z* B").foreach { pattern =>
        val sql = query(order, pattern, s"A AS v < 3, B AS v > 7 AND $condition")
        // Every variable that may be last needs a deadline.
        assert(deadline(sql).isDefined == (isDeadline && !pattern.startsWith("A B*")))
        compare(sql)
      }
    }

  Sampled
    .oneIn(
      16,
      Seq(
        "ts" -> "B.ts <= A.ts + INTERVAL '30' MINUTE",
        "ts" -> "ts < FIRST(ts) + INTERVAL '30' MINUTE",
        "ts" -> "A.ts + INTERVAL '30' MINUTE >= B.ts",
        "ts" -> "B.ts - A.ts <= INTERVAL '30' MINUTE",
        "ts" -> "B.ts - INTERVAL '30' MINUTE <= A.ts",
        "ts" -> "B.ts BETWEEN A.ts AND A.ts + INTERVAL '30' MINUTE",
        "ts" -> "NOT (B.ts > A.ts + INTERVAL '30' MINUTE)",
        "ts" -> "B.ts <= A.ts + MAKE_DT_INTERVAL(0, 0, 30 + A.v)",
        "ts" -> "B.ts <= ADD_MONTHS(A.ts, 1)",
        "ts" -> "unix_timestamp(B.ts) - unix_timestamp(A.ts) <= 1800",
        "ts" -> "(unix_timestamp(B.ts) - unix_timestamp(A.ts)) / 60 <= 30",
        "ts" -> "CAST(B.ts AS BIGINT) <= CAST(A.ts AS BIGINT) + 1800",
        "ts DESC" -> "B.ts >= A.ts - INTERVAL '30' MINUTE",
        "local" -> "B.local - A.local <= INTERVAL '30' MINUTE",
        "day, i" -> "B.day <= A.day + 3",
        "day, i" -> "B.day - A.day <= INTERVAL '3' DAY",
        "i" -> "B.i <= A.i + 20",
        "i" -> "B.i - A.i < 20",
        "i" -> "B.i = A.i + 10 * (A.v + 1)",
        "i" -> "(A.v = 2 OR B.i <= A.i + 20)",
        "x, i" -> "(B.x - A.x = 7 OR B.x <= A.x + 5)",
        "n DESC" -> "A.n - B.n <= 20",
        "x, i" -> "B.x - A.x <= 7",
        "x, i" -> "B.x + A.x <= 90",
        "f" -> "B.f <= A.f + 6.5",
        "x DESC, i" -> "A.x - B.x <= 7",
        "d" -> "A.d - B.d >= -9.5",
        "gaps, i" -> "B.gaps <= A.gaps + 20",
        "gaps NULLS LAST, i" -> "B.gaps <= A.gaps + 20",
        "gaps DESC, i" -> "B.gaps >= A.gaps - 20",
        "far, i" -> "B.far <= A.v + 2147480000"
      )
    )
    .foreach { case (order, condition) => check(order, condition, isDeadline = true) }

  Sampled
    .oneIn(
      16,
      Seq(
        "ts" -> "B.ts >= A.ts + INTERVAL '30' MINUTE",
        "ts DESC" -> "B.ts <= A.ts + INTERVAL '30' MINUTE",
        "ts" -> "(B.ts <= A.ts + INTERVAL '30' MINUTE OR v = 9)",
        "ts" -> "B.i <= A.i + 20",
        "i" -> "B.i % 50 <= A.i % 50 + 20",
        "i" -> "B.i - Z.i <= 20",
        "i" -> "COUNT(Z.*) <= 20",
        "i" -> "LAST(B.i, 1) <= A.i + 20 IS NOT FALSE",
        "x, i" -> "B.x - A.d <= 90"
      )
    )
    .foreach { case (order, condition) => check(order, condition, isDeadline = false) }

  test("NaN is larger than all numbers, and so is its negative") {
    spark.sql(events).createOrReplaceTempView("events")
    val conditions = Seq("A.x - B.x >= -7", "-B.x >= -A.x - 7", "(A.x - B.x) * 2 >= -14")
    Sampled.oneIn(3, conditions).foreach { condition =>
      val sql = query("x, i", "A Z* B", s"A AS v < 3, B AS v > 7 AND $condition")
      assert(deadline(sql).isEmpty)
      compare(sql)
      assert(results(sql).exists(_.matches("\\[\\d+,39\\d,.*")))
    }
  }

  test("integers that overflow silently are no deadline") {
    spark.sql(events).createOrReplaceTempView("events")
    val sql = query("far, i", "A Z* B", "A AS v < 3, B AS v > 7 AND B.far - A.far <= 20")
    withConf("spark.sql.ansi.enabled" -> "false") {
      assert(deadline(sql).isEmpty)
      compare(sql)
      // Row 4 and the last rows: the difference wraps around.
      assert(results(sql).exists(_.matches("\\[[0-4],39\\d,.*")))
    }
    withConf("spark.sql.ansi.enabled" -> "true")(assert(deadline(sql).isDefined))
  }

  test("clocks that are put back: a later row may be nearer") {
    // 27 October 2024, 1:00 UTC is in the rows.
    spark.sql(events).createOrReplaceTempView("events")
    withConf("spark.sql.session.timeZone" -> "Europe/Berlin") {
      Seq("ts" -> "B.ts - A.ts", "ts DESC" -> "A.ts - B.ts").foreach { case (order, difference) =>
        val sql =
          query(order, "A Z* B", s"A AS v < 3, B AS v > 7 AND $difference < INTERVAL '50' MINUTE")
        assert(deadline(sql).isDefined)
        compare(sql)
      }
      val days = query("ts", "A Z* B", "A AS v < 3, B AS ts - INTERVAL '1' DAY <= A.ts AND v > 8")
      assert(deadline(days).isEmpty)
    }
  }

  test("paths that are read and WITHIN: the earlier end counts") {
    spark.sql(events).createOrReplaceTempView("events")
    Seq("WITHIN 15", "WITHIN 60").foreach { within =>
      val sql = query("i", "A Z* B", "A AS v < 3, Z AS SUM(v) < 90, B AS v > 7 AND B.i < A.i + 30")
        .replace("DEFINE", s"$within DEFINE")
      assert(deadline(sql).isDefined)
      compare(sql)
    }
  }

  test("a path may time out beyond a deadline") {
    spark.sql(events).createOrReplaceTempView("events")
    val sql = query("i", "A Z* B", "A AS v < 3, B AS v > 8 AND B.i < A.i + 5")
      .replace("AFTER", "ONE ROW PER MATCH SHOW TIMEOUT MATCHES AFTER")
      .replace("DEFINE", "WITHIN 20 DEFINE")
    assert(deadline(sql).isEmpty)
    compare(sql)
  }

  test("an attempt ends at its deadline") {
    spark.sql(events).createOrReplaceTempView("events")
    val sql = query("i", "A Z* B", "A AS v < 3, Z AS SUM(Z.v) >= 0, B AS v > 9 AND B.i < A.i + 5")
    withConf(MatchRecognizeConf.MaxStepsPerMatch.key -> "20") {
      assert(results(sql).isEmpty)
      withSearch(deadlines = false) {
        val error = intercept[org.apache.spark.SparkThrowable](results(sql))
        assert(error.getCondition.startsWith("MATCH_RECOGNIZE_LIMIT_EXCEEDED"))
      }
    }
  }
}
