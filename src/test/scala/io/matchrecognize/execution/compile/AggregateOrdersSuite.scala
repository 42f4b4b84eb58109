package io.matchrecognize.execution.compile

import scala.util.Try

import org.apache.spark.SparkThrowable

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
  check("SUM(A.d) < i", SmallerIsBetter)
  check("SUM(A.d) < 1e3", SmallerIsBetter)
  // The bound may be infinite.
  check("SUM(A.d) < d * 10", FoldOrder.None)
  check("MAX(A.d) < d * 10", SmallerIsBetter)
  // The sum may overflow on one path only.
  check("SUM(A.ts) < 1000", FoldOrder.None)
  check("SUM(CAST(A.i AS BIGINT)) < 1000", SmallerIsBetter)
  check("CAST(COUNT(*) AS STRING) <= '5'", FoldOrder.None)
  check("CAST(COUNT(*) AS STRING COLLATE UTF8_LCASE) <= '5' COLLATE UTF8_LCASE", FoldOrder.None)
  check("CAST(COUNT(*) AS DOUBLE) <= d", SmallerIsBetter)
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

  test("SUM has the same order without ANSI mode") {
    withConf("spark.sql.ansi.enabled" -> "false") {
      assert(orders(query("SUM(A.i) > 100")) == Seq(LargerIsBetter))
      assert(orders(query("SUM(A.ts) > 100")) == Seq(FoldOrder.None))
    }
  }

  test("paths that are left out would not have matched or failed otherwise") {
    def found(values: Seq[String], condition: String, b: String): String = {
      val sql =
        s"""SELECT * FROM (SELECT id, element_at(array(${values.mkString(
            ", "
          )}), CAST(id + 1 AS INT)) AS x
           |  FROM range(${values.length})) MATCH_RECOGNIZE (ORDER BY id
           |  MEASURES LAST(id) AS l, COUNT(A.*) AS a PATTERN (^ (B | A)+ C)
           |  DEFINE B AS $b, C AS $condition AND id = ${values.length - 1})""".stripMargin
      Try(rows(sql).mkString).fold(_.asInstanceOf[SparkThrowable].getCondition, identity)
    }
    // Of the paths BAA and AAA the second has the larger sum, and fails.
    val overflow = Seq("5L", "0L", "9223372036854775805L", "0L")
    assert(found(overflow, "SUM(A.x) <= 100", "id < 1") == "ARITHMETIC_OVERFLOW")
    // '10' is less than '5'.
    val text = "CAST(COUNT(A.*) AS STRING COLLATE UTF8_LCASE)"
    assert(found(Seq.fill(11)("1"), s"$text <= '5' COLLATE UTF8_LCASE", "id < 4") == "[10,10]")
    // The sum of BAAA is infinite, then NaN.
    val infinite = Seq("1e308", "-1.7e308", "-1e308", "DOUBLE('Infinity')", "0D")
    assert(found(infinite, "SUM(A.x) <= DOUBLE('Infinity')", "id < 1") == "[4,4]")
  }

  test("paths do not grow with the number of different sums") {
    withConf("spark.matchRecognize.maxStepsPerMatch" -> "100000") {
      assert(rows(query("SUM(A.i) > 10000000")).isEmpty)
      assert(rows(query("SUM(A.i) > 100000 AND i % 2 = 0")).nonEmpty)
    }
  }
}
