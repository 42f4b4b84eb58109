package io.matchrecognize.plans

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}

import io.matchrecognize.QuerySuite

/** A clause over the view `input`, and the plans of queries. */
abstract class PlannedClause extends QuerySuite {
  protected def optimized(sql: String): LogicalPlan =
    spark.sql(sql).asInstanceOf[ClassicDataset[Row]].queryExecution.optimizedPlan

  protected def node(plan: LogicalPlan): MatchRecognize =
    plan.collectFirst { case m: MatchRecognize => m }.get

  protected val clause =
    """MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES LAST(A.v) AS last_v, COUNT(B.*) AS n
      |ALL ROWS PER MATCH PATTERN (A B+) DEFINE B AS v > PREV(v))""".stripMargin

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("SELECT id % 3 AS k, id AS ts, id * 7 % 5 AS v, 'x' AS unused FROM range(60)")
      .createOrReplaceTempView("input")
  }
}
