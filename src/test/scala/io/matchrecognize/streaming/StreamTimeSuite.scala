package io.matchrecognize.streaming

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.AnalysisException

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
