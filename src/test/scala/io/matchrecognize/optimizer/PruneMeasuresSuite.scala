package io.matchrecognize.optimizer

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}

import io.matchrecognize.QuerySuite
import io.matchrecognize.plans.MatchRecognize

class PruneMeasuresSuite extends QuerySuite {
  private val input = "(VALUES (1, 1, 5), (1, 2, 7), (1, 3, 6), (2, 1, 3) AS t(g, k, v))"
  private val windows =
    s"""SELECT g, k, v, count(*) OVER w AS n, last OVER w, max(v) OVER x AS top
       |FROM $input WINDOW
       |  w AS (PARTITION BY g ORDER BY k MEASURES LAST(v) AS last
       |    ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A B) DEFINE B AS v > PREV(v)),
       |  x AS (PARTITION BY g ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
       |    PATTERN (A B*) DEFINE B AS v < PREV(v))""".stripMargin

  private def optimized(sql: String): LogicalPlan =
    spark.sql(sql).asInstanceOf[ClassicDataset[Row]].queryExecution.optimizedPlan

  /** How many measures each clause has, the uppermost first. */
  private def measures(sql: String): Seq[Int] =
    optimized(sql).collect { case m: MatchRecognize => m.measureOutput.length }

  test("windows of which nothing is read are not computed") {
    assert(measures(s"SELECT k, n, last, top FROM ($windows)") == Seq(1, 2))
    assert(measures(s"SELECT k, n FROM ($windows)") == Seq(1))
    assert(measures(s"SELECT k, top FROM ($windows)") == Seq(1))
    assert(measures(s"SELECT k FROM ($windows)").isEmpty)
    assert(measures(s"SELECT count(*) FROM ($windows)").isEmpty)
    assert(rows(s"SELECT count(*) FROM ($windows)") == Seq(Row(4)))
    assert(rows(s"SELECT k, top FROM ($windows) WHERE g = 2") == Seq(Row(1, 3)))
  }

  test("a filter, a join and an aggregate read only their columns") {
    assert(measures(s"SELECT k, n FROM ($windows) WHERE v > 5") == Seq(1))
    assert(measures(s"SELECT k, n FROM ($windows) WHERE top > 5") == Seq(1, 1))
    assert(measures(s"SELECT k FROM ($windows) WHERE v > 5 AND rand() < 2").isEmpty)
    assert(measures(s"SELECT g, sum(last) FROM ($windows) WHERE v > 5 GROUP BY g") == Seq(1))
    assert(measures(s"SELECT a.k FROM ($windows) a JOIN $input b ON a.n = b.k") == Seq(1))
    assert(
      rows(s"SELECT k, n FROM ($windows) WHERE v > 5 ORDER BY k") == Seq(Row(2, 0L), Row(3, 0L))
    )
  }

  test("a window over the column of another one that is not read") {
    val outer =
      s"""SELECT k, count(*) OVER (ORDER BY n, g, k ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING
         |  PATTERN (A)) AS m FROM ($windows)""".stripMargin
    assert(measures(s"SELECT k, m FROM ($outer)") == Seq(1, 1))
    assert(measures(s"SELECT k FROM ($outer)").isEmpty)
  }

  test("a window that would fail and of which nothing is read") {
    val failing =
      s"""SELECT k, count(*) OVER (ORDER BY g, k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
         |  AFTER MATCH SKIP TO A PATTERN (A B*)) AS n FROM $input""".stripMargin
    assert(rows(s"SELECT count(k) FROM ($failing)") == Seq(Row(4)))
    intercept[Exception](rows(s"SELECT sum(n) FROM ($failing)"))
  }

  test("measures of MATCH_RECOGNIZE that are not read, also with a filter between") {
    val clause =
      s"""$input MATCH_RECOGNIZE (PARTITION BY g ORDER BY k
         |  MEASURES LAST(v) AS a, MAX(v) AS b, COUNT(*) AS c PATTERN (A+))""".stripMargin
    assert(measures(s"SELECT a FROM $clause") == Seq(1))
    assert(measures(s"SELECT a FROM $clause WHERE b > 3") == Seq(2))
    assert(measures(s"SELECT count(*) FROM $clause") == Seq(0))
    assert(rows(s"SELECT a FROM $clause WHERE b > 3") == Seq(Row(6)))
    assert(rows(s"SELECT count(*) FROM $clause") == Seq(Row(2)))
  }
}
