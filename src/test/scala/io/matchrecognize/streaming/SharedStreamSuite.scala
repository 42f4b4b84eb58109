package io.matchrecognize.streaming

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.{Exchange, ReusedExchangeExec}

import io.matchrecognize.Sampled
import io.matchrecognize.conf.MatchRecognizeConf.InputOrder
import io.matchrecognize.shims.StreamTesting.StreamingQueryWrapper
import io.matchrecognize.streaming.operator.SeparateInputExec

/** Several operators over one stream, whose exchanges are equal except for the clause above. */
class SharedStreamSuite extends StreamSuite {
  private final val Reuse = "spark.sql.exchange.reuse"

  /** A clause that returns each key's rows in groups as long as the pattern. */
  private def clause(pattern: String, name: String, input: String = "s"): String =
    s"""SELECT g, '$name' AS p, f, t FROM $input MATCH_RECOGNIZE (
      PARTITION BY g ORDER BY ts MEASURES FIRST(v) AS f, MATCH_ROWTIME() AS t
      PATTERN ($pattern) WITHIN INTERVAL 5 SECONDS)"""

  private val one = clause("A", "one")
  private val two = clause("A A", "two")
  private val counts = """SELECT g, 'n' AS p, n, window_time(window) AS ts FROM (
    SELECT g, COUNT(*) AS n, window FROM s GROUP BY g, window(ts, '4 seconds'))"""

  private val plans = Seq(
    "union of two" -> s"$one UNION ALL $two",
    "union of two with equal text" -> s"$two UNION ALL $two",
    "one WITH used twice" -> s"WITH m AS ($two) SELECT * FROM m UNION ALL SELECT * FROM m",
    "windows over one WITH used twice" -> s"""WITH m AS ($two),
      w AS (SELECT g, COUNT(*) AS n FROM m GROUP BY g, window(t, '4 seconds'))
      SELECT * FROM w UNION ALL SELECT * FROM w""",
    "clause over clause, beside the lower one" ->
      s"""SELECT g, p, f, t FROM ($two) MATCH_RECOGNIZE (
        PARTITION BY g ORDER BY t MEASURES 'upper' AS p, FIRST(f) AS f, MATCH_ROWTIME() AS t
        PATTERN (A A) WITHIN INTERVAL 9 SECONDS) UNION ALL $two""",
    "beside a window count of the same columns" -> s"$two UNION ALL $counts",
    "two over one window count" -> s"""WITH c AS (SELECT g, n AS v, ts FROM ($counts))
      ${clause("A", "one", "c")} UNION ALL ${clause("A A", "two", "c")}""",
    "join of two" -> s"SELECT m.g, 'j' AS p, m.f, n.t FROM ($one) m JOIN ($two) n ON m.g = n.g AND m.t = n.t",
    "two over one DISTINCT" -> s"""WITH d AS (SELECT DISTINCT g, v, ts FROM s)
      ${clause("A", "one", "d")} UNION ALL ${clause("A A", "two", "d")}"""
  )

  private val batches = Seq("a1@1 a2@2 b3@1 a4@3", "b5@6 a6@4.5 c7@5 b8@5 a9@7 c2@8 c3@7 b5@9.5")
  // The watermark passes the bound of every clause and the end of every window.
  private val end = "z0@100"

  /** The rows of the other groups. */
  private def others(rows: Seq[String]): Seq[String] = rows.filterNot(_.startsWith("z")).sorted

  private def ofTable(sql: String): Seq[String] = {
    val session = spark
    import session.implicits._
    val events = (batches :+ end).flatMap(Event.of)
    events.toDS().createOrReplaceTempView("s")
    others(rows(sql).map(shown))
  }

  private def compare(sql: String, inOrder: Boolean = false): Unit = {
    val expected = ofTable(sql)
    assert(expected.nonEmpty)
    val source = newSource()
    view(source, "0 seconds")
    val order = InputOrder.key -> (if (inOrder) "arrival" else "watermark")
    withConf("spark.sql.shuffle.partitions" -> "1", order, apart)(run(sql, Seq(source)) { run =>
      val found = (batches :+ end).map(Event.of).flatMap { events =>
        run.add(source, (if (inOrder) events.sortBy(_.ts.get.getTime) else events): _*)
        run.taken()
      }
      assert(others(found) == expected)
    })
  }

  Sampled.oneIn(9, plans).foreach { case (name, sql) =>
    test(s"$name, with reuse of exchanges")(compare(sql))
  }

  // Others have operators that do not keep the order.
  Sampled.oneIn(4, plans.take(3).appended(plans(4))).foreach { case (name, sql) =>
    test(s"$name, in the order of arrival")(compare(sql, inOrder = true))
  }

  test("no clause waits for rows that the watermark has passed") {
    withConf(apart)(stream(s"$one UNION ALL $two", "0 seconds") { run =>
      Seq("a1@1 a2@2 a3@3", "a4@4 a5@5", "b6@20 b7@21", "b8@30").foreach { events =>
        run.add(events)
        val waiting = run.operators.map(_.customMetrics.get("pendingRows").longValue)
        assert(waiting == Seq(0, 0), s"after $events")
      }
    })
  }

  test("a restart of two clauses over one stream goes on, with reuse switched in between") {
    val sql = s"$one UNION ALL $two"
    val expected = ofTable(sql)
    val source = newSource()
    view(source, "0 seconds")
    val checkpoint = newDirectory()
    val found = (batches :+ end).zipWithIndex.flatMap { case (events, i) =>
      withConf(Reuse -> (i % 2 == 0).toString, apart) {
        run(sql, Seq(source), checkpoint) { run =>
          run.add(events)
          run.taken()
        }
      }
    }
    assert(others(found) == expected)
  }

  test("exchanges of tables are still reused, alone and beside a stream") {
    val table = spark
      .range(20)
      .selectExpr(
        "CAST(id % 3 AS STRING) AS g",
        "timestamp_seconds(id) AS ts",
        "CAST(id AS INT) AS v"
      )
    table.createOrReplaceTempView("s")
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val joined = spark.sql(s"SELECT * FROM ($one) a JOIN ($two) b ON a.g = b.g")
      assert(reused(executed(joined)) == 1)
    }
    table.createOrReplaceTempView("fixed")
    val source = newSource()
    view(source, "0 seconds")
    val joined =
      "SELECT /*+ BROADCAST(fixed) */ s.g, s.ts, fixed.v FROM s JOIN fixed ON s.v = fixed.v"
    val sql =
      s"""${clause("A", "one", s"($joined)")} UNION ALL ${clause("A A", "two", s"($joined)")}"""
    withConf(apart)(run(sql, Seq(source)) { run =>
      run.add("a1@1 a2@2 a3@3")
      val plan = executedPlan(run)
      assert(reused(plan) == 1)
      // It is the table's: those of the stream are separate.
      val exchanges = plan.collect { case e: Exchange => e }
      assert(exchanges.count(_.exists(_.isInstanceOf[SeparateInputExec])) == 2)
    })
  }

  private def executedPlan(run: Run): SparkPlan =
    run.query
      .asInstanceOf[StreamingQueryWrapper]
      .streamingQuery
      .lastExecution
      .executedPlan

  private def reused(plan: SparkPlan): Int =
    plan.collect { case r: ReusedExchangeExec => r }.length
}
