package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Union}

import io.matchrecognize.plans.MatchRecognizeUnion

class MergeClausesSuite extends MergeSuite {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql("""CREATE OR REPLACE TEMP VIEW steps AS
      |SELECT id % 5 AS k, id AS i, CAST(hash(id) % 10 AS INT) AS v, concat('s', id % 3) AS s,
      |  CAST(id AS DOUBLE) AS d FROM range(60)""".stripMargin)
  }

  private def optimized(sql: String): LogicalPlan = query(spark.sql(sql)).optimizedPlan

  private def groups(sql: String): Seq[Int] = groups(optimized(sql))

  private def clause(
      number: Int,
      pattern: String = "(A B+)",
      define: String = "B AS v > PREV(v)",
      keys: String = "PARTITION BY k ORDER BY i",
      from: String = "steps",
      measures: String = "A.i AS a, LAST(B.v) AS b, COUNT(*) AS n",
      select: String = "k, a, b, n",
      rest: String = ""
  ): String = s"""SELECT 'p$number' AS p, $select FROM $from MATCH_RECOGNIZE ($keys
    |MEASURES $measures PATTERN $pattern DEFINE $define) $rest""".stripMargin

  private def check(sql: String, expected: Int*): Unit = {
    assert(groups(sql) == expected, sql)
    val found = sorted(sql)
    withConf(apart) {
      assert(!groups(sql).exists(_ > 1))
      assert(found == sorted(sql), sql)
    }
  }

  test("clauses over one input are one operator with one exchange") {
    val sql = union(clause(1), clause(2, define = "B AS v < PREV(v)"), clause(3, "(A B{2})"))
    check(sql, 3)
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val plan = executed(spark.sql(sql)).toString
      assert("Exchange".r.findAllIn(plan).length == 1, plan)
    }
    assert(optimized(sql).collect { case u: Union => u }.isEmpty)
  }

  test("columns and filters above a branch") {
    check(
      union(
        clause(1, select = "k, a * 2 AS a, b, n", rest = "WHERE n > 2"),
        clause(2, measures = "FIRST(A.s) AS a, 0 AS b, COUNT(*) AS n", select = "n, 1L, b, k"),
        clause(3, measures = "A.d AS d", select = "k, CAST(d AS BIGINT), 0, 1L")
      ),
      3
    )
  }

  test("other keys, inputs and plain branches stay apart") {
    val plain = "SELECT 'q', k, i, v, 1L FROM steps"
    check(
      union(
        clause(1),
        clause(2, keys = "ORDER BY i", select = "1L, a, b, n"),
        plain,
        clause(3, "(A B)"),
        clause(
          4,
          "(A)",
          keys = "ORDER BY i",
          define = "A AS v > 3",
          measures = "A.i AS a, A.v AS b, COUNT(*) AS n",
          select = "1L, a, b, n"
        ),
        clause(5, keys = "PARTITION BY k ORDER BY i DESC"),
        clause(6, from = "(SELECT * FROM steps WHERE v > 2)")
      ),
      2,
      2,
      1,
      1
    )
  }

  test("a column that is never NULL in the first branch only") {
    // `id` is never NULL, so Spark would count rows in place of it.
    val ids = "(SELECT id AS k, id AS i, id % 7 AS v FROM range(20))"
    val branches = Seq("k", "NULLIF(k, 3)").zipWithIndex.map { case (column, i) =>
      clause(i, "(B)", s"B AS v > $i", from = ids, measures = "B.v AS b", select = s"$column AS c")
    }
    check(
      s"SELECT count(c), count(*) FROM (SELECT 'p', 1L AS c UNION ALL ${union(branches: _*)})",
      2
    )
  }

  test("LIMIT") {
    val sql = s"SELECT * FROM (${union(clause(1), clause(2, "(A B)"))}) LIMIT 3"
    assert(groups(sql) == Seq(2))
    assert(rows(sql).length == 3)
  }

  test("EXPLAIN, metrics and errors name a pattern") {
    val sql = union(
      clause(1, define = "A AS s = 's0', B AS s = 's1'"),
      clause(2, "(A B)", define = "A AS s = 's0', B AS s = 's2'"),
      clause(3, define = "A AS s = 's2', B AS s IN ('s1', 's2') AND v > 3")
    )
    check(sql, 3)
    val frame = spark.sql(sql)
    val found = frame.collect().groupBy(_.getString(0)).view.mapValues(_.length.toLong)
    val node = matchNodes(frame).head
    assert(node.simpleString(25).contains("of 3 patterns, 6 conditions, 4 distinct, 4 looked up"))
    assert(node.verboseStringWithOperatorId().contains("pattern 2 ('p2')"))
    (1 to 3).foreach { i =>
      assert(node.metrics(s"numMatches$i").value == found.getOrElse(s"p$i", 0L))
    }
    val failing = clause(2, define = "B AS 1 DIV (v - PREV(v)) > 0")
    val error = intercept[ArithmeticException](rows(union(clause(1), failing, clause(3))))
    assert(error.getMessage.contains("in partition k = "))
    assert(error.getMessage.contains("of pattern 2 ('p2')"), error.getMessage)
  }

  test("a branch alone raises no error that the union has not, and the other way round") {
    val risky = "A AS s = 's0', B AS s = 's5' AND 1 DIV (v - v) > 0"
    val others = Seq("s3", "s4", "s6").map(s => clause(4, define = s"A AS s = '$s'"))
    check(union(clause(1, define = risky) +: others: _*), 4)
  }

  test("what nothing reads of a branch is not computed, and filters go below all of them") {
    val sql = union(clause(1), clause(2, "(A B)"))
    check(s"SELECT n FROM ($sql) WHERE k = 3", 2)
    val plan = optimized(s"SELECT n FROM ($sql) WHERE k = 3")
    assert(
      plan.collect { case u: MatchRecognizeUnion => u.branches.map(_.measureOutput.length) }
        == Seq(Seq(1, 1))
    )
    assert(
      !optimized(s"SELECT p FROM ($sql)").exists(_.expressions.exists(_.sql.contains("DOUBLE")))
    )
    check(s"SELECT count(*) FROM ($sql)", 2)
    check(s"SELECT p, sum(n) FROM ($sql) GROUP BY p", 2)
    check(s"SELECT a.n, b.n FROM ($sql) a JOIN ($sql) b ON a.k = b.k AND a.a = b.a", 2, 2)
  }

  test("not merged: windows, and what is not deterministic") {
    val window = "SELECT 'w', k, i, v, count(*) OVER (PARTITION BY k ORDER BY i ROWS BETWEEN " +
      "CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A B) DEFINE B AS v > PREV(v)) FROM steps"
    check(union(window, window), 1, 1)
    val random = clause(1, rest = "WHERE rand() < 2")
    check(union(random, random), 1, 1)
    val sampled = clause(2, from = "(SELECT *, rand(1) < 2 AS r FROM steps)")
    assert(groups(union(sampled, sampled)) == Seq(1, 1))
  }

  test("a cached branch is read from the cache") {
    val one = spark.sql(clause(1))
    one.cache()
    try assert(groups(union(clause(1), clause(2), clause(3))) == Seq(2))
    finally one.unpersist(blocking = true): Unit
  }

  test("constants of each type are looked up") {
    Seq("TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "STRING")
      .foreach { dataType =>
        def value(n: String) = dataType match {
          case "DATE" => s"DATE '2026-01-01' + CAST($n AS INT)"
          case "TIMESTAMP" | "TIMESTAMP_NTZ" =>
            s"CAST(TIMESTAMP '2026-01-01 00:00:00' + make_interval(0, 0, 0, $n) AS $dataType)"
          case _ => s"CAST($n AS $dataType)"
        }
        val input = s"(SELECT *, IF(v = 5, NULL, ${value("v")}) AS c FROM steps)"
        val branches = (0 until 5).map { n =>
          val define = s"A AS c = ${value(s"$n")}, B AS c IN (${value("-3")}, ${value("2")})"
          clause(n, "(A X*? B)", s"$define AND v < 9", from = input)
        }
        check(union(branches: _*), 5)
        val node = matchNodes(spark.sql(union(branches: _*))).head
        assert(node.simpleString(25).contains("10 conditions, 6 distinct, 6 looked up"), dataType)
      }
  }

  test("constants of each type are looked up by order") {
    Seq("TINYINT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(9, 2)", "DATE", "TIMESTAMP").foreach {
      dataType =>
        def value(n: String) = dataType match {
          case "DATE" => s"DATE '2026-01-01' + CAST($n AS INT)"
          case "TIMESTAMP" =>
            s"CAST(TIMESTAMP '2026-01-01 00:00:00' + make_interval(0, 0, 0, $n) AS $dataType)"
          case _ => s"CAST($n AS $dataType)"
        }
        val special =
          if (Set("FLOAT", "DOUBLE")(dataType)) s"CAST('NaN' AS $dataType)" else "NULL"
        val input =
          s"(SELECT *, CASE v WHEN 5 THEN NULL WHEN -5 THEN $special ELSE ${value("v")} END AS c FROM steps)"
        val last = if (special == "NULL") value("9") else special
        val branches = (-2 until 3).map { n =>
          val define = s"A AS c > ${value(s"$n")} AND i > $n, B AS c <= ${value(s"${-n - 1}")}, " +
            s"C AS c BETWEEN ${value(s"$n")} AND $last, D AS ${value("0")} > c"
          clause(n, "(A X*? B (C | D)) WITHIN 40", define, from = input)
        }
        check(union(branches: _*), 5)
        val node = matchNodes(spark.sql(union(branches: _*))).head
        assert(node.simpleString(25).contains("20 conditions, 16 distinct, 16 looked up"), dataType)
    }
  }

  test("constants are looked up in partitions of many blocks of rows") {
    spark
      .range(0, 20000, 1, 1)
      .selectExpr(
        "id % 2 AS k",
        "id DIV 2 AS i",
        // Some rows begin and end words and blocks.
        "CASE WHEN id DIV 2 % 4096 IN (0, 63, 64, 4095) THEN id DIV 2 % 5 " +
          "ELSE abs(hash(id)) % 400 END AS c",
        "CAST(id % 7 AS INT) AS v"
      )
      .createOrReplaceTempView("long_steps")
    val branches = for {
      skip <- Seq("PAST LAST ROW", "TO NEXT ROW")
      n <- 0 until 4
    } yield clause(
      n,
      s"AFTER MATCH SKIP $skip PATTERN (A X*? B Y*? C) WITHIN 2500".stripPrefix("PATTERN "),
      s"A AS c = $n, B AS c = ${n + 1} AND v < 5, C AS c = ${n * 17 % 5}",
      from = "long_steps",
      measures = "A.i AS a, C.i AS b, COUNT(*) AS n"
    ).replace("PATTERN AFTER", "AFTER")
    check(union(branches: _*), 8)
    assert(rows(union(branches: _*)).length > 100)
  }
}
