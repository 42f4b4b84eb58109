package io.matchrecognize.execution.limit

import org.apache.spark.sql.Row

import io.matchrecognize.Interpreted

/** WITHIN: the windows for each type of the leading ORDER BY key. */
class WithinSuite extends Interpreted {

  /**
   * The windows of all rows: for each, in the key's order, how many rows a match from it may have.
   *
   * @param keys
   *   texts that are cast to `keyType`, in ascending order
   */
  private def windows(
      keyType: String,
      keys: Seq[String],
      bound: String,
      order: String = "v, k"
  ): Seq[Long] = {
    val values = keys.zipWithIndex.map {
      case (null, k) => s"($k, NULL)"
      case (key, k) => s"($k, '$key')"
    }
    rows(s"""SELECT n FROM (SELECT k, CAST(s AS $keyType) AS v FROM VALUES ${values
        .mkString(", ")} AS t(k, s))
      |MATCH_RECOGNIZE (ORDER BY $order MEASURES FIRST(k) AS f, COUNT(*) AS n
      |  AFTER MATCH SKIP TO NEXT ROW PATTERN (A+) WITHIN $bound) ORDER BY f""".stripMargin)
      .map(_.getLong(0))
  }

  private val newYork = "spark.sql.session.timeZone" -> "America/New_York"

  test("integers, to the ends of their range") {
    val longs = Seq(Long.MinValue, -1L, 0L, Long.MaxValue).map(_.toString)
    assert(windows("BIGINT", longs, "0") == Seq(1, 1, 1, 1))
    assert(windows("BIGINT", longs, "1") == Seq(1, 2, 1, 1))
    assert(windows("BIGINT", longs, "9223372036854775807") == Seq(2, 2, 2, 1))
    assert(windows("BIGINT", longs, "9223372036854775808") == Seq(3, 3, 2, 1))
    assert(windows("BIGINT", longs, "18446744073709551614") == Seq(3, 3, 2, 1))
    assert(windows("BIGINT", longs, "18446744073709551615") == Seq(4, 3, 2, 1))
    assert(windows("BIGINT", longs, "1e30") == Seq(4, 3, 2, 1))
    val ints = Seq(Int.MinValue, 0, Int.MaxValue).map(_.toString)
    assert(windows("INT", ints, "2147483647") == Seq(1, 2, 1))
    assert(windows("INT", ints, "2147483648L") == Seq(2, 2, 1))
    assert(windows("SMALLINT", Seq("-32768", "0", "32767"), "32767.5") == Seq(1, 2, 1))
    assert(windows("TINYINT", Seq("-128", "0", "127"), "CAST(127 AS TINYINT)") == Seq(1, 2, 1))
    assert(windows("INT", Seq("1", "1", "2"), "0") == Seq(2, 1, 1))
    assert(windows("INT", Seq("1", "2", "3"), "1.999D") == Seq(2, 2, 1))
  }

  test("DECIMAL is exact") {
    assert(windows("DECIMAL(10,2)", Seq("1.00", "2.50", "2.51"), "1.50") == Seq(2, 2, 1))
    assert(windows("DECIMAL(10,2)", Seq("1.00", "1.29", "1.30"), "0.29D") == Seq(2, 2, 1))
    assert(windows("DECIMAL(10,2)", Seq("1.00", "1.29", "1.30"), "0.2999") == Seq(2, 2, 1))
    assert(
      windows("DECIMAL(18,0)", Seq("-" + "9" * 18, "0", "9" * 18), "9" * 18) == Seq(2, 2, 1)
    )
    val wide = Seq("-" + "9" * 38, "0", "9" * 37, "9" * 38)
    assert(windows("DECIMAL(38,0)", wide, "9" * 38) == Seq(2, 3, 2, 1))
    assert(windows("DECIMAL(38,0)", wide, "2E38") == Seq(4, 3, 2, 1))
    assert(
      windows("DECIMAL(38,10)", Seq("0.0000000001", "1.0000000001", "1.0000000002"), "1") ==
        Seq(2, 2, 1)
    )
  }

  test("FLOAT and DOUBLE by their own arithmetic") {
    assert(windows("DOUBLE", Seq("0.1", "0.8"), "0.7") == Seq(1, 1)) // 0.8 - 0.1 > 0.7
    assert(windows("DOUBLE", Seq("0.1", "0.3"), "0.2") == Seq(2, 1))
    assert(windows("FLOAT", Seq("0.1", "0.4", "0.5"), "0.3") == Seq(2, 2, 1))
    assert(windows("DOUBLE", Seq("-0.0", "0.0", "1e300"), "0") == Seq(2, 1, 1))
    val infinite = Seq("-Infinity", "-Infinity", "0", "Infinity", "Infinity")
    assert(windows("DOUBLE", infinite, "10") == Seq(2, 1, 1, 2, 1))
    assert(windows("DOUBLE", infinite, "DOUBLE('Infinity')") == Seq(5, 4, 3, 2, 1))
    assert(windows("FLOAT", infinite, "10D") == Seq(2, 1, 1, 2, 1))
  }

  test("a row with a NULL or NaN key is alone") {
    val doubles = Seq(null, null, "1", "2", "NaN", "NaN")
    assert(windows("DOUBLE", doubles, "10") == Seq(1, 1, 2, 1, 1, 1))
    assert(windows("FLOAT", doubles, "FLOAT('Infinity')") == Seq(1, 1, 2, 1, 1, 1))
    assert(windows("DOUBLE", doubles, "10", "v NULLS LAST, k") == Seq(1, 1, 2, 1, 1, 1))
    val times = Seq(null, "2024-01-01", null, "2024-01-02")
    Seq("TIMESTAMP", "TIMESTAMP_NTZ", "DATE").foreach { keyType =>
      assert(windows(keyType, times, "INTERVAL 1 DAY") == Seq(1, 2, 1, 1))
      assert(windows(keyType, times, "1 MONTH", "v NULLS LAST, k") == Seq(1, 2, 1, 1))
    }
    assert(windows("DECIMAL(38,2)", Seq(null, null, "1"), "5") == Seq(1, 1, 1))
  }

  test("a day-time bound on TIMESTAMP is elapsed time, whatever the clocks do") {
    withConf(newYork) {
      // Clocks go ahead at 02:00 on 10 March 2024 and back at 02:00 on 3 November.
      val spring = Seq("2024-03-09 12:00:00", "2024-03-10 12:00:00", "2024-03-10 13:00:00")
      Seq("INTERVAL '24' HOUR", "INTERVAL '1' DAY", "1 DAY", "24 HOURS").foreach { bound =>
        assert(windows("TIMESTAMP", spring, bound) == Seq(3, 2, 1), bound)
      }
      assert(windows("TIMESTAMP", spring, "INTERVAL '23' HOUR") == Seq(2, 2, 1))
      val autumn = Seq("2024-11-02 12:00:00", "2024-11-03 11:00:00", "2024-11-03 12:00:00")
      assert(windows("TIMESTAMP", autumn, "INTERVAL '24' HOUR") == Seq(2, 2, 1))
      assert(windows("TIMESTAMP", autumn, "INTERVAL '25' HOUR") == Seq(3, 2, 1))
      assert(windows("TIMESTAMP_NTZ", autumn, "INTERVAL '24' HOUR") == Seq(3, 2, 1))
      // 01:30 before and after the clocks went back.
      val overlap = Seq("2024-11-03 05:30:00+00:00", "2024-11-03 06:30:00+00:00")
      assert(windows("TIMESTAMP", overlap, "59 MINUTES") == Seq(1, 1))
      assert(windows("TIMESTAMP", overlap, "1 HOUR") == Seq(2, 1))
    }
  }

  test("the bound is inclusive, to the microsecond") {
    val keys = Seq("2024-05-01 10:00:00", "2024-05-01 11:00:00", "2024-05-01 11:00:00.000001")
    Seq("TIMESTAMP", "TIMESTAMP_NTZ").foreach { keyType =>
      assert(windows(keyType, keys, "INTERVAL '1' HOUR") == Seq(2, 2, 1))
      assert(windows(keyType, keys, "INTERVAL '1:00:00.000001' HOUR TO SECOND") == Seq(3, 2, 1))
      assert(windows(keyType, keys, "0 SECONDS") == Seq(1, 1, 1))
    }
  }

  test("a year-month bound goes by the calendar of the session zone") {
    withConf(newYork) {
      val autumn = Seq("2024-10-15 12:00:00", "2024-11-15 12:00:00", "2024-11-15 12:00:01")
      assert(windows("TIMESTAMP", autumn, "INTERVAL '1' MONTH") == Seq(2, 2, 1))
      assert(windows("TIMESTAMP_NTZ", autumn, "INTERVAL '1' MONTH") == Seq(2, 2, 1))
      val spring = Seq("2024-02-20 00:30:00", "2024-03-20 00:30:00", "2024-03-20 00:30:01")
      assert(windows("TIMESTAMP", spring, "1 MONTH") == Seq(2, 2, 1))
      assert(
        windows("TIMESTAMP", Seq("2024-02-29", "2025-02-28", "2025-03-01"), "1 YEAR") ==
          Seq(2, 2, 1)
      )
    }
    assert(
      windows("DATE", Seq("2024-01-31", "2024-02-29", "2024-03-01"), "1 MONTH") == Seq(2, 2, 1)
    )
    assert(
      windows("DATE", Seq("0001-01-01", "9999-12-31"), "INTERVAL '178956970' YEAR") == Seq(2, 1)
    )
  }

  test("months at the end of a month: an end may move back") {
    // All of 29 to 31 January end on 28 February 2023, at their own time of the day.
    val keys = Seq(
      "2023-01-29 23:00:00",
      "2023-01-30 01:00:00",
      "2023-01-31 12:00:00",
      "2023-02-28 01:00:00",
      "2023-02-28 12:00:00",
      "2023-02-28 23:00:00"
    )
    assert(windows("TIMESTAMP", keys, "1 MONTH") == Seq(6, 3, 3, 3, 2, 1))
    val waiting = rows(
      s"""SELECT f, n FROM VALUES ${keys.map(k => s"('$k')").mkString(", ")} AS t(s)
        |MATCH_RECOGNIZE (ORDER BY CAST(s AS TIMESTAMP_NTZ)
        |  MEASURES FIRST(s) AS f, COUNT(*) AS n ONE ROW PER MATCH SHOW TIMEOUT MATCHES
        |  PATTERN (A{5} B) WITHIN 1 MONTH DEFINE B AS FALSE)""".stripMargin
    )
    assert(waiting.map(_.getLong(1)) == Seq(3, 3, 3, 2, 1))
  }

  test("a DATE is midnight, and a day has 24 hours in every zone") {
    withConf(newYork) {
      val dates = Seq("2024-03-09", "2024-03-10", "2024-03-11")
      assert(windows("DATE", dates, "INTERVAL '23:59:59' HOUR TO SECOND") == Seq(1, 1, 1))
      assert(windows("DATE", dates, "INTERVAL '24' HOUR") == Seq(2, 2, 1))
      assert(windows("DATE", dates, "INTERVAL '47' HOUR") == Seq(2, 2, 1))
      assert(windows("DATE", dates, "2 DAYS") == Seq(3, 2, 1))
    }
  }

  test("calendar intervals: months first, then days of 24 hours") {
    val keys = Seq("2024-01-15 00:00:00", "2024-02-17 00:00:00", "2024-02-17 00:00:01")
    assert(windows("TIMESTAMP", keys, "make_interval(0, 1, 0, 2)") == Seq(2, 2, 1))
    assert(windows("TIMESTAMP_NTZ", keys, "make_interval(0, 1, 0, 1, 24)") == Seq(2, 2, 1))
    assert(
      windows("DATE", Seq("2024-01-15", "2024-02-17"), "make_interval(0, 1, 0, 2)") == Seq(2, 1)
    )
    withConf("spark.sql.legacy.interval.enabled" -> "true") {
      assert(windows("TIMESTAMP", keys, "INTERVAL 1 MONTH 2 DAYS") == Seq(2, 2, 1))
    }
  }

  test("constant bounds: arithmetic, functions, parameters, session variables") {
    val keys = Seq("1", "2", "3")
    assert(windows("INT", keys, "0.5 + 0.5") == Seq(2, 2, 1))
    assert(windows("INT", keys, "nvl(NULL, length('x'))") == Seq(2, 2, 1))
    val times = Seq("2024-01-01 00:00:00", "2024-01-01 01:00:00", "2024-01-01 02:00:00")
    assert(windows("TIMESTAMP", times, "INTERVAL '30' MINUTE * 2") == Seq(2, 2, 1))
    assert(windows("TIMESTAMP", times, "make_dt_interval(0, 1)") == Seq(2, 2, 1))
    spark.sql("DECLARE OR REPLACE VARIABLE reach INT DEFAULT 1")
    try assert(windows("INT", keys, "reach") == Seq(2, 2, 1))
    finally spark.sql("DROP TEMPORARY VARIABLE reach")
    val sql = "SELECT * FROM VALUES (1), (2), (4) AS t(v) MATCH_RECOGNIZE (ORDER BY v " +
      "MEASURES COUNT(*) AS n PATTERN (A+) WITHIN :w)"
    assert(spark.sql(sql, Map("w" -> 1)).collect().toSeq == Seq(Row(2L), Row(1L)))
    assert(spark.sql(sql, Map("w" -> 3)).collect().toSeq == Seq(Row(3L)))
  }

  test("an expression as key, that of the partition too") {
    val data =
      "VALUES (1, '10:00', 'p'), (2, '10:30', 'p'), (3, '12:00', 'p'), (4, '12:01', 'q') " +
        "AS t(k, at, g)"
    val sql =
      s"""SELECT f, n FROM $data MATCH_RECOGNIZE (PARTITION BY g
        |ORDER BY CAST(concat('2024-01-01 ', at) AS TIMESTAMP), k
        |MEASURES FIRST(k) AS f, COUNT(*) AS n PATTERN (A+) WITHIN 1 HOUR) ORDER BY f""".stripMargin
    assert(rows(sql) == Seq(Row(1, 2L), Row(3, 1L), Row(4, 1L)))
    withConf(
      "spark.sql.codegen.factoryMode" -> "CODEGEN_ONLY",
      "spark.sql.codegen.wholeStage" -> "true"
    )(assert(rows(sql) == Seq(Row(1, 2L), Row(3, 1L), Row(4, 1L))))
    assert(rows("""SELECT v, n FROM VALUES (1), (1), (2) AS t(v) MATCH_RECOGNIZE (
        |PARTITION BY v ORDER BY v MEASURES COUNT(*) AS n PATTERN (A+) WITHIN 0) ORDER BY v
        |""".stripMargin) == Seq(Row(1, 2L), Row(2, 1L)))
  }

  test("the window limits the search, NEXT, PREV and anchors see the whole partition") {
    val data = "VALUES (0, 'a'), (5, 'b'), (8, 'c'), (9, 'b'), (20, 'c') AS t(n, e)"
    def query(pattern: String, define: String): Seq[Row] =
      rows(s"""SELECT * FROM $data MATCH_RECOGNIZE (ORDER BY n
        |MEASURES FIRST(n) AS s, LAST(n) AS f, NEXT(n) AS x PATTERN ($pattern) WITHIN 10
        |DEFINE $define)""".stripMargin)
    // The greedy path would need row 20.
    assert(query("A B* C", "A AS e = 'a', B AS e <> 'a', C AS e = 'c'") == Seq(Row(0, 8, 9)))
    assert(query("A $", "A AS TRUE") == Seq(Row(20, 20, null)))
    assert(query("A B* $", "A AS e = 'a'") == Nil)
    assert(query("A", "A AS NEXT(n) > n + 10 AND PREV(e) = 'c'") == Seq(Row(9, 9, 20)))
    // The row beyond the bound would raise an error.
    assert(query("A B", "A AS n = 9, B AS 1 / (B.n - 20) > 0") == Nil)
    // An empty match fits every bound.
    assert(query("(A A A)?", "A AS n > 8").map(_.get(0)) == Seq(null, null, null, null, null))
  }

  test("windows over a long, spilled partition in many partitions", Slow) {
    val sql =
      """SELECT count(*) AS c, sum(n) AS s, max(n) AS m
        |FROM (SELECT id % 3 AS g, id DIV 3 AS v FROM range(30000))
        |MATCH_RECOGNIZE (PARTITION BY g ORDER BY v MEASURES COUNT(*) AS n, LAST(v) - FIRST(v) AS d
        |  AFTER MATCH SKIP TO NEXT ROW PATTERN (A+) WITHIN 99)""".stripMargin
    val expected = Seq(Row(30000L, 3L * (9901L * 100 + 99 * 100 / 2), 100L))
    assert(rows(sql) == expected)
    withConf("spark.matchRecognize.buffer.spillThresholdRows" -> "1000")(
      assert(rows(sql) == expected)
    )
  }
}
