package io.matchrecognize.execution.condition

import scala.util.Try

import org.apache.spark.SparkThrowable

import io.matchrecognize.{QuerySuite, Sampled}

/** Values at which functions wrap around, round or fail, in searches that pass over rows. */
class FactsSuite extends QuerySuite {

  /** The rows, or the condition of the error. */
  private def outcome(sql: String): String =
    Try(rows(sql).map(_.toString).sorted.mkString(" ")).fold(
      {
        case e: SparkThrowable => e.getCondition
        case e => throw e
      },
      identity
    )

  private def check(columns: String, measures: String, pattern: String, define: String)(
      isExpected: String => Boolean
  ): Unit = {
    val sql =
      s"""SELECT * FROM (SELECT id, $columns FROM range(0, 1000, 1, 1)) MATCH_RECOGNIZE (ORDER BY id
         |  MEASURES $measures PATTERN ($pattern) DEFINE $define)""".stripMargin
    // The same in a search that knows less of the conditions.
    val expected = withSearch(deadlines = false, anchored = false)(outcome(sql))
    assert(isExpected(expected), s"$expected: $sql")
    assert(outcome(sql) == expected, sql)
  }

  private def anchored(columns: String, condition: String)(isExpected: String => Boolean): Unit =
    check(columns, "FIRST(id) AS f, LAST(id) AS l", "A B*", s"B AS $condition")(isExpected)

  test("DIV of decimals wraps around") {
    anchored(
      """CAST(CASE WHEN id = 700 THEN 10000000000 WHEN id % 50 = 3 THEN 20000000000 ELSE 1 END
        |  AS DECIMAL(18, 0)) AS dc, CAST(0.000000001 AS DECIMAL(18, 9)) AS e""".stripMargin,
      "B.dc div A.e > 0"
    )(_ == "[0,699] [700,999]")
  }

  test("DATEDIFF wraps around") {
    anchored(
      """CASE WHEN id % 100 = 50 THEN date_from_unix_date(2147483647)
        |  ELSE date_from_unix_date(CAST(id - 500 AS INT)) END AS d""".stripMargin,
      "DATEDIFF(B.d, A.d) <= 10"
    )(_.split(' ').length > 20)
  }

  test("casts of decimals to integers wrap around without ANSI mode, and fail with it") {
    Seq("true", "false").foreach { ansi =>
      withConf("spark.sql.ansi.enabled" -> ansi) {
        anchored(
          """CAST(CASE WHEN id = 700 THEN 4294967296 WHEN id % 50 = 3 THEN 8589934590 ELSE 5 END
            |  AS DECIMAL(10, 0)) AS dc""".stripMargin,
          "CAST(B.dc AS INT) >= CAST(A.dc AS INT) - 1"
        )(found => if (ansi == "true") found == "CAST_OVERFLOW" else found.contains(' '))
        check(
          "CAST(IF(id = 700, 8589934590, 5) AS DECIMAL(10, 0)) AS dc",
          "COUNT(*) AS n",
          "^ A B C",
          "B AS CAST(dc AS INT) < 100, C AS id > 0"
        )(_ == "[3]")
      }
    }
  }

  test("a DATE may be out of range as a TIMESTAMP") {
    Seq("TIMESTAMP", "TIMESTAMP_NTZ").foreach { timestamp =>
      check(
        s"""CASE WHEN id = 700 THEN make_date(300000, 1, 1) ELSE DATE'2024-01-01' END AS d,
           |  CAST('2024-06-01' AS $timestamp) AS ts""".stripMargin,
        "COUNT(*) AS n",
        "^ A B C",
        s"B AS CAST(d AS $timestamp) < ts, C AS id > 0"
      )(_ == "[3]")
    }
  }

  test("the least interval is not shorter than a day") {
    withConf("spark.sql.session.timeZone" -> "Europe/Berlin") {
      // A day of the calendar before or after a change of the clocks.
      val intervals = Seq("-106751991 04:00:54.775808", "-1 00:00:00", "0 23:59:59")
      Sampled.oneIn(3, intervals).foreach { interval =>
        val sql = s"""SELECT * FROM (SELECT id, timestamp_seconds(1729980000 + id * 13) AS ts
          |  FROM range(0, 2000, 1, 1)) MATCH_RECOGNIZE (ORDER BY ts MEASURES FIRST(id) AS f, LAST(id) AS l
          |  PATTERN (A Z* B) DEFINE A AS id % 7 = 0,
          |    B AS B.ts + INTERVAL '$interval' DAY TO SECOND <= A.ts + INTERVAL '$interval' DAY TO SECOND)""".stripMargin
        val expected = withSearch(deadlines = false, anchored = false)(outcome(sql))
        assert(outcome(sql) == expected)
      }
    }
  }

  test("sums of three numbers differ by the order of addition") {
    // Not constants, which Spark would fold.
    val columns = Seq("x" -> 0.1, "y" -> 0.2, "z" -> 0.3)
      .map { case (name, value) =>
        s"CAST(IF(id < 0, '5', '$value') AS DOUBLE) AS $name"
      }
      .mkString(", ")
    check(
      columns,
      "COUNT(*) AS n",
      "B C",
      "B AS (x + y) + z > 0.6D, C AS x + (y + z) > 0.6D"
    )(_ == "")
    check(
      columns,
      "COUNT(*) AS n",
      "B+",
      "B AS SUM((x + y) + z) <> SUM(x + (y + z)) AND id < 3"
    )(_ == "[3]")
    check(
      columns,
      "COUNT(*) AS n",
      "B+",
      "B AS (x + y) + z > x + (y + z)"
    )(_ == "[1000]")
  }

  test("sums of BIGINT overflow in the order of their rows") {
    def sums(sum: String, pattern: String, isWalked: Boolean) = outcome(
      s"""SELECT f, s, ${if (isWalked) "n > 0" else "TRUE"} FROM (SELECT id, CASE id
         |    WHEN 1500 THEN 9223372036854775807 WHEN 1501 THEN 1 WHEN 1502 THEN -1 ELSE 0 END AS x
         |  FROM range(0, 2000, 1, 1)) MATCH_RECOGNIZE (ORDER BY id
         |  MEASURES FIRST(id) AS f, $sum(x) AS s, size(collect_list(id)) AS n
         |  AFTER MATCH SKIP TO NEXT ROW PATTERN ($pattern) DEFINE A AS id <> 1000)""".stripMargin
    )
    Seq("A+", "A+ $").foreach { pattern =>
      val sumsOf = Seq("sum" -> "true", "sum" -> "false", "try_sum" -> "true")
      Sampled.oneIn(3, sumsOf).foreach { case (sum, ansi) =>
        withConf("spark.sql.ansi.enabled" -> ansi) {
          val expected = sums(sum, pattern, isWalked = true)
          assert(sums(sum, pattern, isWalked = false) == expected, s"$sum $pattern $ansi")
        }
      }
    }
  }
}
