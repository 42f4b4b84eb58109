package io.matchrecognize.streaming

import java.sql.Timestamp

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.AnalysisException
import org.scalatest.tagobjects.Slow

import io.matchrecognize.shims.StreamTesting._

/** The time of a clause is that of its whole input, whatever is above it and between. */
class StreamTimeSuite extends StreamSuite {
  private val prefix = "spark.matchRecognize.stream"

  private val timeouts = """(SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
    MEASURES A.v AS a, B.v AS b ONE ROW PER MATCH SHOW TIMEOUT MATCHES
    PATTERN (A X*? B) WITHIN INTERVAL 10 SECONDS DEFINE A AS v = 1, B AS v = 2)) m"""

  private def watermark(run: Run): String = run.query.recentProgress
    .flatMap(_.eventTime.asScala.get("watermark"))
    .maxOption
    .getOrElse("")

  private def withTable(body: => Unit): Unit = {
    spark.sql("SELECT * FROM VALUES ('a'), ('q') AS t(g)").write.saveAsTable("wanted")
    try body
    finally spark.sql("DROP TABLE wanted"): Unit
  }

  test("a filter on a key above a clause does not stop its time", Slow) {
    withTable {
      val queries = Seq(
        s"SELECT * FROM $timeouts",
        s"SELECT * FROM $timeouts WHERE b IS NULL",
        s"SELECT * FROM $timeouts WHERE g = 'a'",
        s"SELECT * FROM $timeouts WHERE g <> 'x' AND b IS NULL",
        s"SELECT * FROM $timeouts WHERE g IN ('a', 'q')",
        s"SELECT * FROM $timeouts WHERE g IN (SELECT g FROM wanted)",
        s"SELECT * FROM $timeouts WHERE g NOT IN (SELECT LOWER('X') FROM wanted)",
        s"SELECT * FROM $timeouts WHERE g = (SELECT MIN(g) FROM wanted)",
        s"SELECT * FROM $timeouts WHERE EXISTS (SELECT 1 FROM wanted w WHERE w.g = m.g)",
        s"SELECT m.* FROM $timeouts LEFT SEMI JOIN wanted USING (g)",
        s"SELECT m.* FROM $timeouts LEFT ANTI JOIN (SELECT 'x' AS g) o ON o.g = m.g",
        s"SELECT g, a, b FROM $timeouts JOIN wanted USING (g)",
        s"SELECT g, a, b FROM $timeouts JOIN (SELECT 'a' AS g) w USING (g)"
      )
      val runtime = Seq(
        "spark.sql.optimizer.runtime.bloomFilter.enabled" -> "true",
        "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold" -> "0",
        "spark.sql.autoBroadcastJoinThreshold" -> "-1"
      )
      for (
        sql <- queries; confs <- Seq(Nil, runtime)
        if confs.isEmpty || sql.contains("wanted")
      )
        withConf((confs :+ ("spark.sql.shuffle.partitions" -> "1")): _*) {
          stream(sql, "0 seconds") { run =>
            Seq("a1@0 x0@60", "x0@180").foreach(run.add)
            assert(run.taken() == Seq("a,1,null"), sql)
            assert(watermark(run) == Event.at(180).toInstant.toString.replace("Z", ".000Z"), sql)
          }
        }
    }
  }

  test("a filter on a key above a clause on a table is still pushed below it") {
    Event.of("a1@0 x0@60")
    val session = spark
    import session.implicits._
    Event.of("a1@0 x0@60").toDF().createOrReplaceTempView("s")
    val plan = spark
      .sql(s"SELECT * FROM $timeouts WHERE g = 'a'".replace("SHOW TIMEOUT MATCHES", ""))
      .queryExecution
      .optimizedPlan
    val clause = plan.collectFirst { case m: io.matchrecognize.plans.MatchRecognize => m }.get
    assert(!plan.toString.linesIterator.next().startsWith("Filter"), plan)
    assert(!clause.child.toString.contains("x"), plan)
  }

  private val pairs = """MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts MEASURES A.v AS a, B.v AS b PATTERN (A B) DEFINE B AS v > A.v)"""

  private val inputs = Seq(
    s"SELECT * FROM s $pairs",
    s"WITH c AS (SELECT * FROM s) SELECT * FROM c $pairs",
    s"WITH c AS (SELECT * FROM s), d AS (SELECT * FROM c) SELECT * FROM d $pairs",
    s"WITH c AS (SELECT * FROM s) SELECT * FROM (WITH d AS (FROM c) SELECT * FROM d $pairs)",
    s"WITH m AS (WITH c AS (SELECT * FROM s) SELECT * FROM c $pairs) SELECT * FROM m"
  )

  private def farFuture(
      sql: String,
      source: MemoryStream[Event]
  ): Unit = {
    val now = System.currentTimeMillis
    def event(ahead: Long, v: Int): Event = Event("a", Some(new Timestamp(now + ahead)), v)
    run(sql, Seq(source)) { run =>
      run.add(source, event(-60000, 1), event(3 * 3600 * 1000L, 2), event(-50000, 3), event(0, 4))
      assert(run.total("rowsDroppedFarFuture") == 1, sql)
      assert(run.taken() == Seq("a,1,3"), sql)
      run.add(source, event(1000, 5), event(20000, 6))
      assert(run.taken() == Seq("a,4,5") && run.lateRows == 0, sql)
    }
  }

  test(
    "rows from the far future are dropped wherever the watermark is: below a query of WITH",
    Slow
  ) {
    withConf(s"$prefix.maxTimeAhead" -> "1 hour", s"$prefix.rowsTooFarAhead" -> "drop") {
      inputs.foreach { sql =>
        val source = newSource()
        view(source, "5 seconds")
        farFuture(sql, source)
      }
      if (PlanOperators.hasWatermarkClause) {
        val source = newSource()
        view(source, "", "raw")
        val in = "SELECT * FROM STREAM raw WATERMARK ts DELAY OF INTERVAL 5 SECONDS"
        farFuture(s"WITH c AS ($in) SELECT * FROM c $pairs", source)
      }
      // The watermark that the setting adds is above the reference.
      withConf(s"$prefix.defaultWatermarkDelay" -> "5 seconds") {
        Seq(inputs.head, inputs.last).foreach { sql =>
          val source = newSource()
          view(source, "")
          farFuture(sql, source)
        }
      }
      // A view whose own text has WITH.
      val source = newSource()
      view(source, "5 seconds")
      spark.sql("CREATE OR REPLACE TEMPORARY VIEW w AS WITH c AS (SELECT * FROM s) FROM c")
      farFuture(s"SELECT * FROM w $pairs", source)
    }
  }

  test("rows from the far future, of two clauses in a row, are counted by the lower one") {
    withConf(s"$prefix.maxTimeAhead" -> "1 hour", s"$prefix.rowsTooFarAhead" -> "drop") {
      val source = newSource()
      view(source, "0 seconds")
      val sql = """SELECT * FROM (SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
          MEASURES MATCH_ROWTIME() AS t PATTERN (A) WITHIN INTERVAL 10 SECONDS))
        MATCH_RECOGNIZE (PARTITION BY g ORDER BY t MEASURES COUNT(*) AS n PATTERN (P Q))"""
      run(sql, Seq(source)) { run =>
        val now = System.currentTimeMillis
        def event(ahead: Long, v: Int): Event = Event("a", Some(new Timestamp(now + ahead)), v)
        run.add(source, event(-60000, 1), event(3 * 3600 * 1000L, 2), event(0, 4))
        val counts = run.query.recentProgress.toSeq.map { progress =>
          progress.stateOperators.toSeq.map(_.customMetrics.get("rowsDroppedFarFuture").longValue)
        }
        assert(counts.flatten.sum == 1, counts)
      }
    }
  }

  test("a second watermark is named also if a query of WITH hides the first one") {
    view(newSource(), "5 seconds")
    val input = "SELECT g, v, ts + INTERVAL 1 HOUR AS ts FROM s"
    val default = Seq(s"$prefix.defaultWatermarkDelay" -> "1 second")
    for (confs <- Seq(Nil, default)) {
      val e = intercept[AnalysisException](withConf(confs: _*) {
        spark.sql(s"WITH c AS ($input), d AS (FROM c) SELECT * FROM d $pairs")
      })
      assert(e.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.LOST_WATERMARK")
      assert(e.getMessage.contains("a second one above the watermark on `ts`"))
    }
  }
}
