package io.matchrecognize.plans

import io.matchrecognize.{Interpreted, Sampled}

/**
 * The columns of the output where optimisation makes two columns of the input one: an alias that
 * Spark's optimiser removes. Every statement is compared with itself without that rule.
 */
class OutputColumnsSuite extends Interpreted {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(
      "CREATE TABLE out_input USING parquet AS " +
        "SELECT id % 3 AS k, id AS ts, id * 7 % 10 AS v FROM range(30)"
    )
  }

  // Spark removes an alias that has the name of what it renames.
  private val inputs = Seq(
    "((SELECT k, ts, v FROM out_input) a JOIN LATERAL (SELECT a.k AS k) b)",
    "((SELECT * FROM out_input DISTRIBUTE BY k SORT BY k, ts) a JOIN LATERAL (SELECT a.k AS k) b)",
    "(out_input a JOIN LATERAL (SELECT k AS k, v AS w FROM (SELECT a.k AS k, a.v AS v)) b)"
  )

  private val keys =
    Seq("a.k", "b.k", "a.k, b.k", "b.k, a.k", "a.k, b.k, a.k", "a.k + 1, b.k", "a.k, b.k AS k3")

  private val orders = Seq("ts", "b.k, ts DESC", "ts, a.k")

  private val shapes = Seq("ONE ROW PER MATCH", "ALL ROWS PER MATCH WITH UNMATCHED ROWS")

  private def clause(key: String, order: String, shape: String): String =
    s"MATCH_RECOGNIZE (PARTITION BY $key ORDER BY $order MEASURES count(*) AS n, LAST(v) AS l " +
      s"$shape PATTERN (A B+) DEFINE B AS v > PREV(v))"

  private def agree(sql: String): Unit = {
    val excluded = "spark.sql.optimizer.excludedRules"
    val rule = "org.apache.spark.sql.catalyst.optimizer.RemoveRedundantAliases"
    def run() = rows(sql).map(_.toString).sorted
    val expected = withConf(excluded -> rule)(run())
    val found =
      try run()
      catch { case e: Exception => Seq(e.toString.take(2500)) }
    assert(found == expected, sql)
    assert(expected.nonEmpty, sql)
  }

  test("keys, columns and measures stay in their places") {
    val queries =
      for {
        (input, i) <- inputs.zipWithIndex; (key, j) <- keys.zipWithIndex; shape <- shapes
      } yield s"SELECT * FROM $input ${clause(key, orders((i + j) % orders.length), shape)}"
    Sampled.oneIn(60, queries).foreach(agree)
  }

  test("columns that are read in part, and joins of a clause with itself", Slow) {
    for { shape <- shapes } {
      val query = s"SELECT * FROM ${inputs.head} ${clause("a.k, b.k", "ts", shape)}"
      val columns = if (shape.startsWith("ONE")) "(k1, k2, n, l)" else "(k1, k2, ts, n, l, v)"
      val named = s"($query AS mr $columns)"
      agree(s"SELECT k2, n FROM $named")
      agree(s"SELECT n FROM $named WHERE k1 = k2 AND k2 < 2")
      agree(s"WITH m AS $named SELECT x.*, y.n FROM m x JOIN m y ON x.k1 = y.k2 AND x.n = y.n")
      agree(s"SELECT * FROM $named x LEFT JOIN $named y USING (k1, n)")
      agree(s"SELECT * FROM out_input o, LATERAL $named x WHERE x.k2 = o.k AND o.ts < 3")
      agree(s"SELECT max(n), k1, k2 FROM $named GROUP BY k1, k2")
    }
    val all =
      s"SELECT * FROM ${inputs.head} ${clause("a.k", "ts", shapes.last)} AS mr (k, ts, n, l, v, k2)"
    agree(s"SELECT k2, l FROM ($all)")
    agree(s"SELECT x.k2, y.k FROM ($all) x JOIN ($all) y ON x.ts = y.ts AND x.k2 = y.k")
  }

  test("row pattern windows") {
    val cases = for { input <- inputs; key <- Seq("a.k, b.k", "b.k") } yield (input, key)
    Sampled.oneIn(3, cases).foreach { case (input, key) =>
      agree(
        s"SELECT *, count(*) OVER w AS n, LAST(b.k) OVER w AS l FROM $input WINDOW w AS (PARTITION BY " +
          s"$key ORDER BY ts ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A B+) " +
          "DEFINE B AS v > PREV(v))"
      )
    }
  }
}
