package io.matchrecognize.execution.compile

import io.matchrecognize.QuerySuite
import io.matchrecognize.matcher.FoldOrder
import io.matchrecognize.matcher.FoldOrder.{LargerIsBetter, SmallerIsBetter}

/** Which aggregates have an order by the conditions that read them. */
class AggregateOrdersSuite extends QuerySuite {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql(
        """SELECT id AS ts, CAST(id * 7919 % 10007 AS INT) AS i, CAST(id % 13 AS DOUBLE) AS d,
             |  CAST(id AS DECIMAL(10, 1)) AS x, concat('s', id) AS s FROM range(400)""".stripMargin
      )
      .createOrReplaceTempView("numbers")
  }

  private def query(condition: String, other: String = "TRUE"): String =
    s"""SELECT * FROM numbers MATCH_RECOGNIZE (ORDER BY ts MEASURES COUNT(*) AS n, SUM(A.i) AS s
       |  PATTERN ((A | B)+ C) DEFINE A AS i > -1 AND ($other), C AS $condition)""".stripMargin

  private def orders(sql: String): Seq[FoldOrder] =
    matchNodes(spark.sql(sql)).head.program.clause.conditions.registers.orders

  private def check(condition: String, order: FoldOrder, other: String = "TRUE"): Unit =
    test(s"$condition, $other") {
      val found = orders(query(condition, other))
      assert(found.nonEmpty && found.forall(_ == order))
    }

  check("SUM(A.i) > 100", LargerIsBetter)
  check("100 <= SUM(A.i)", LargerIsBetter)
  check("NOT (SUM(A.d) <= 100)", LargerIsBetter)
  check("SUM(A.d) < d * 10", SmallerIsBetter)
  check("COUNT(A.i) <= 5 OR (i = 3 AND COUNT(A.i) < 7)", SmallerIsBetter)
  check("MAX(A.i) <= NEXT(i)", SmallerIsBetter)
  check("MIN(A.ts) BETWEEN i AND 10000000000", FoldOrder.None)
  check("SUM(A.i) < 10", FoldOrder.None, "SUM(A.i) > -5")
  check("SUM(A.i) < 10", SmallerIsBetter, "SUM(A.i) < 1000000")
  check("SUM(DISTINCT A.i) < 10", FoldOrder.None)
  check("SUM(A.x) < 10", FoldOrder.None)
  check("AVG(A.i) < 10", FoldOrder.None)
  check("MAX(A.s) < 'x'", FoldOrder.None)
  check("SUM(A.i) < i / (i - 5)", FoldOrder.None)
  check("SUM(A.i) = 10", FoldOrder.None)
  check("SUM(A.i) + 1 < 10", FoldOrder.None)

  test("SUM of integers has none where it wraps around") {
    withConf("spark.sql.ansi.enabled" -> "false") {
      assert(orders(query("SUM(A.i) > 100")) == Seq(FoldOrder.None))
      assert(orders(query("SUM(A.d) > 100")) == Seq(LargerIsBetter))
    }
  }

  test("paths do not grow with the number of different sums") {
    withConf("spark.matchRecognize.maxStepsPerMatch" -> "100000") {
      assert(rows(query("SUM(A.i) > 10000000")).isEmpty)
      assert(rows(query("SUM(A.i) > 100000 AND i % 2 = 0")).nonEmpty)
    }
  }
}
