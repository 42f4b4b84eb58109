package io.matchrecognize.execution.condition

import scala.util.Try

import org.apache.spark.SparkThrowable
import org.scalatest.tagobjects.Slow

import io.matchrecognize.QuerySuite
import io.matchrecognize.execution.compile.{ClauseSpec, SearchOptions, TaskProgram}
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

  private def conditions(sql: String): ConditionsProgram =
    matchNodes(spark.sql(sql)).head.program.clause.conditions

  private def orders(sql: String): Seq[FoldOrder] = conditions(sql).registers.orders

  private def check(
      condition: String,
      order: FoldOrder,
      other: String = "TRUE",
      guarded: Boolean = false
  ): Unit =
    test(s"$condition, $other") {
      val found = conditions(query(condition, other))
      assert(found.registers.orders.nonEmpty && found.registers.orders.forall(_ == order))
      assert(found.orderGuards.forall(_.isDefined == guarded))
    }

  check("SUM(A.i) > 100", LargerIsBetter)
  check("100 <= SUM(A.i)", LargerIsBetter)
  check("NOT (SUM(A.d) <= 100)", LargerIsBetter)
  check("SUM(A.d) < i", SmallerIsBetter)
  check("SUM(A.d) < 1e3", SmallerIsBetter)
  // The bound may be infinite.
  check("SUM(A.d) < d * 10", SmallerIsBetter, guarded = true)
  check("SUM(A.d) < DOUBLE('NaN')", SmallerIsBetter, guarded = true)
  check("SUM(A.d) < d OR SUM(A.d) < 3", SmallerIsBetter, guarded = true)
  check("MAX(A.d) < d * 10", SmallerIsBetter)
  // The sum may overflow on one path only.
  check("SUM(A.ts) < 1000", SmallerIsBetter, guarded = true)
  check("SUM(A.ts) > d", LargerIsBetter, guarded = true)
  check("try_sum(A.ts) > 1000", LargerIsBetter, guarded = true)
  check("SUM(A.ts * 2) FILTER (WHERE A.i > 1) > 5", LargerIsBetter, guarded = true)
  // The argument depends on the match, or on the path.
  check("SUM(A.ts + MATCH_NUMBER()) < 1000", FoldOrder.None)
  check("SUM(length(CLASSIFIER(A)) + A.ts) < 1000", FoldOrder.None)
  check("SUM(DISTINCT A.ts) < 1000", FoldOrder.None)
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
  // Both paths fail, or none does.
  check("SUM(A.i) < i / (i - 5)", SmallerIsBetter)
  check("10 % i < 5 AND SUM(A.i) < i / (i - 5)", SmallerIsBetter)
  check("SUM(A.i / (A.i - 5)) < 5", SmallerIsBetter)
  check("COUNT(A.i) < 5 AND AVG(A.x) < 3 OR MAX(A.ts) < 0", FoldOrder.None)
  // A TRUE part hides the failure on one of two paths.
  check("SUM(A.i) < 10 OR i / (i - 5) < 3", FoldOrder.None)
  check("NOT (SUM(A.i) < 10 AND i / (i - 5) < 3)", FoldOrder.None)
  check("SUM(A.i) = 10", FoldOrder.None)
  check("SUM(A.i) + 1 < 10", FoldOrder.None)

  test("SUM has the same order without ANSI mode") {
    withConf("spark.sql.ansi.enabled" -> "false") {
      assert(orders(query("SUM(A.i) > 100")) == Seq(LargerIsBetter))
      assert(orders(query("SUM(A.ts) > 100")) == Seq(LargerIsBetter))
    }
  }

  test("an aggregate that may fail takes the order from others only beside OR") {
    val found = orders(query("COUNT(A.i) < 5 OR SUM(A.ts) < 3"))
    assert(found == Seq(FoldOrder.None, SmallerIsBetter))
    assert(orders(query("COUNT(A.i) < 5 AND SUM(A.ts) < 3")).forall(_ == SmallerIsBetter))
  }

  test("no guard where rows still arrive") {
    val node = matchNodes(spark.sql(query("SUM(A.ts) > 100 AND SUM(A.i) > 5"))).head
    val spec = ClauseSpec(node.clause, node.measureOutput, node.child.output, node.output)
    val stream = TaskProgram.of(spec, (_, index) => index, SearchOptions.stream)
    val conditions = stream.clause.conditions
    assert(conditions.registers.orders == Seq(FoldOrder.None, LargerIsBetter))
    assert(conditions.orderGuards.forall(_.isEmpty))
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
    // Of those that add the large value, the one with the least sum before it does not.
    val late = Seq("1L", "1L", "1L", "1L", "9223372036854775805L", "0L")
    assert(found(late, "SUM(A.x) <= -5", "TRUE") == "ARITHMETIC_OVERFLOW")
    assert(found(late, "SUM(A.x) >= 9223372036854775806", "TRUE") == "[5,2]")
    // '10' is less than '5'.
    val text = "CAST(COUNT(A.*) AS STRING COLLATE UTF8_LCASE)"
    assert(found(Seq.fill(11)("1"), s"$text <= '5' COLLATE UTF8_LCASE", "id < 4") == "[10,10]")
    // The sum of BAAA is infinite, then NaN.
    val infinite = Seq("1e308", "-1.7e308", "-1e308", "DOUBLE('Infinity')", "0D")
    assert(found(infinite, "SUM(A.x) <= DOUBLE('Infinity')", "id < 1") == "[4,4]")
    // So is that of each path in which the first row is a B.
    val later = Seq("1e308", "1e292", "2e292", "4e292", "-1.7e308", "-1e308") ++ infinite.drop(3)
    assert(found(later, "SUM(A.x) <= DOUBLE('Infinity')", "id < 4") == "[7,4]")
  }

  test("paths do not grow with the number of different sums") {
    withConf("spark.matchRecognize.maxStepsPerMatch" -> "100000") {
      assert(rows(query("SUM(A.i) > 10000000")).isEmpty)
      assert(rows(query("SUM(A.i) > 100000 AND i % 2 = 0")).nonEmpty)
      assert(rows(query("SUM(A.ts * 7919 % 10007) > 10000000")).isEmpty)
    }
  }

  test("nor with bounds that may be infinite, nor with BIGINT, while no sum can overflow", Slow) {
    spark
      .sql("""SELECT id, id * 7919 % 10007 AS b, id * 7919 % 10007 + 0.5D AS d, 1D AS lim
             |  FROM range(300)""".stripMargin)
      .createOrReplaceTempView("sums")
    def counted(condition: String, input: String = "sums"): Seq[Any] = rows(
      s"""SELECT * FROM $input MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n, SUM(A.b) AS s
         |  PATTERN (S (A | B)+ C) DEFINE C AS $condition)""".stripMargin
    )
    val conditions = Seq(
      "SUM(A.d) > FIRST(lim) * 1000000",
      "SUM(A.b) > 1000000",
      "SUM(A.b) > CAST(FIRST(lim) AS BIGINT) * 1000000",
      "try_sum(A.b) > 1000000",
      "SUM(A.b) > lim * 1000000"
    )
    withConf("spark.matchRecognize.maxStepsPerMatch" -> "100000") {
      Seq("true", "false").foreach { ansi =>
        withConf("spark.sql.ansi.enabled" -> ansi) {
          conditions.foreach(c => assert(counted(c).length == 1, c))
          conditions.foreach(c => assert(counted(c.replace(">", "> 100000000 +")).isEmpty, c))
        }
      }
      // One row more, and a sum might overflow.
      val large = "(SELECT * FROM sums UNION ALL SELECT 300, 9223372036854775807, 1.7e308, 1)"
      conditions.foreach { condition =>
        val error =
          intercept[SparkThrowable](counted(condition.replace(">", "> 100000000 +"), large))
        assert(error.getCondition.startsWith("MATCH_RECOGNIZE_LIMIT_EXCEEDED"), condition)
      }
    }
  }
}
