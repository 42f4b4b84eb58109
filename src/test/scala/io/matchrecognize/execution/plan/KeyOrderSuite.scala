package io.matchrecognize.execution.plan

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.{Interpreted, Sampled}

/**
 * Keys that are repeated, equal or constant, over a child that is sorted by a part of them: what
 * the operator says about its order holds, and rows are searched in their order.
 */
class KeyOrderSuite extends Interpreted {
  private val rowCount = 60

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql(s"SELECT id % 7 AS k, id AS ts, id * 7 % 10 AS v FROM range($rowCount)")
      .createOrReplaceTempView("order_input")
  }

  private val children = Seq(
    "(SELECT *, k AS k2, 1 AS one FROM order_input DISTRIBUTE BY k SORT BY k, ts)",
    "(SELECT *, k AS k2, 1 AS one FROM order_input DISTRIBUTE BY k SORT BY k DESC, ts DESC, v)",
    "(SELECT *, 1 AS one FROM (SELECT *, k AS k2 FROM order_input) DISTRIBUTE BY k SORT BY k2, k, v)"
  )
  private val keys = Seq("k, k", "k, k2", "k2, k", "k, k2, k", "k, one", "one, k, k", "k, k + 0, k")
  private val orders = Seq("ts", "ts DESC", "v, ts DESC", "ts DESC, ts", "k, ts DESC", "one, v, ts")

  /** Each key with half of the orders, over one child each. */
  private val cases = Sampled.oneIn(
    10,
    for {
      (key, i) <- keys.zipWithIndex
      (order, j) <- orders.zipWithIndex
      if (i + j) % 2 == 0
    } yield (children((i + j / 2) % children.length), key, order)
  )

  private def clause(key: String, order: String, shape: String): String =
    s"MATCH_RECOGNIZE (PARTITION BY $key ORDER BY $order MEASURES count(*) AS n, FIRST(ts) AS f, " +
      s"LAST(ts) AS l $shape PATTERN (A B+) DEFINE B AS v > PREV(v))"

  private def answer(sql: String): Seq[String] = rows(sql).map(_.toString).sorted

  /** The answer with nothing sorted below and without this operator's own orders. */
  private def reference(child: String, sql: String => String): Seq[String] =
    answer(sql(s"(SELECT * FROM $child DISTRIBUTE BY ts)"))

  private val settings = Seq(
    Seq(
      MatchRecognizeConf.Sort.key -> "own",
      "spark.sql.codegen.factoryMode" -> "CODEGEN_ONLY"
    ),
    Seq(MatchRecognizeConf.Sort.key -> "spark"),
    Seq(
      MatchRecognizeConf.Sort.key -> "own",
      MatchRecognizeConf.SpillThresholdRows.key -> "10"
    )
  )

  test("matches") {
    cases.foreach { case (child, key, order) =>
      def sql(input: String) =
        s"SELECT n, f, l FROM $input ${clause(key, order, "ONE ROW PER MATCH")}"
      val expected = reference(child, sql)
      settings.foreach { setting =>
        withConf(setting: _*)(assert(answer(sql(child)) == expected, s"$setting ${sql(child)}"))
      }
      assert(expected.nonEmpty)
    }
  }

  test("operators above that use the order") {
    val shape = "ALL ROWS PER MATCH WITH UNMATCHED ROWS"
    cases.foreach { case (child, key, order) =>
      def sql(input: String) = "SELECT k, ts, lag(ts) OVER (PARTITION BY k ORDER BY ts) AS p, " +
        s"n FROM (SELECT * FROM $input ${clause(key, order, shape)})"
      val expected = reference(child, sql)
      settings.foreach { setting =>
        withConf(setting: _*)(assert(answer(sql(child)) == expected, s"$setting ${sql(child)}"))
      }
      assert(expected.length == rowCount)
    }
  }

  test("a window above windows with repeated keys") {
    val frame = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A B+) " +
      "DEFINE B AS v > PREV(v)"
    cases.filter(_._3.length < 10).foreach { case (child, key, order) =>
      def sql(input: String) = "SELECT k, ts, lag(ts) OVER (PARTITION BY k ORDER BY ts) AS p, n " +
        s"FROM (SELECT *, count(*) OVER (PARTITION BY $key ORDER BY $order $frame) AS n FROM $input)"
      assert(answer(sql(child)) == reference(child, sql), sql(child))
    }
  }
}
