package io.matchrecognize.optimizer

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}

import io.matchrecognize.Interpreted
import io.matchrecognize.plans.MatchRecognize

/** Filters on PARTITION BY columns: below the clause if they cannot fail. */
class PushPartitionFiltersSuite extends Interpreted {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    // Not a LocalRelation, over which Spark evaluates a filter while it plans.
    spark
      .range(12)
      .selectExpr(
        "id % 3 AS n",
        "concat(elt(CAST(id % 3 AS INT) + 1, 'x', '1', '2'), '') AS s",
        "date_add(DATE'2024-01-01', CAST(id % 3 AS INT)) AS d",
        "timestamp_seconds(id % 3 * 86400) AS ts",
        "id AS k"
      )
      .createOrReplaceTempView("pushed_input")
  }

  private val keys = Seq("n", "s", "d", "ts")

  /** Every partition has a match, but that of n = 0. */
  private def query(filter: String): String =
    s"SELECT n, count(*) AS c FROM pushed_input MATCH_RECOGNIZE (PARTITION BY ${keys.mkString(", ")} " +
      s"ORDER BY k MEASURES LAST(k) AS l PATTERN (A) DEFINE A AS n > 0) WHERE $filter GROUP BY n ORDER BY n"

  private def isPushed(filter: String): Boolean = {
    val plan: LogicalPlan =
      spark.sql(query(filter)).asInstanceOf[ClassicDataset[Row]].queryExecution.optimizedPlan
    !plan.exists {
      case Filter(_, child) => child.exists(_.isInstanceOf[MatchRecognize])
      case join: Join => join.left.exists(_.isInstanceOf[MatchRecognize])
      case _ => false
    }
  }

  test("what filters on keys usually say is tested below") {
    Seq(
      "n = 1",
      "n IN (1, 2, 7)",
      "n > 0 AND s <> 'x'",
      "s LIKE '1%'",
      "s LIKE '%_1%' OR s IS NULL",
      "upper(trim(s)) = 'X'",
      "substring(s, 1, 1) = '1'",
      "s || 'a' = '1a'",
      "year(d) = 2024 AND month(d) IN (1, 2)",
      "d >= DATE'2024-01-02'",
      "CAST(ts AS DATE) = DATE'1970-01-02'",
      "hour(ts) = 0",
      "n % 2 = 1",
      "pmod(hash(s), 8) >= 0",
      "CAST(n AS STRING) = '1'",
      "n = (SELECT max(id) FROM range(2))",
      "n IN (SELECT id FROM range(2))",
      "coalesce(n, 0) = 1"
    ).foreach(filter => assert(isPushed(filter), filter))
  }

  test("a filter that may fail does not see a partition without a match") {
    withConf("spark.sql.ansi.enabled" -> "true") {
      val both = Seq(Row(1L, 4L), Row(2L, 4L))
      Seq(
        "10 DIV n > 0" -> both,
        "10 DIV n > 0 AND n < 2" -> both.take(1),
        "CAST(s AS INT) > 1" -> both.drop(1),
        "s > 1" -> both.drop(1),
        "IF(n = 0, raise_error('x'), n) = 2" -> both.drop(1)
      ).foreach { case (filter, expected) =>
        assert(!isPushed(filter), filter)
        assert(rows(query(filter)) == expected, filter)
      }
    }
  }
}
