package io.matchrecognize.streaming

import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode}
import org.apache.spark.sql.{AnalysisException, DataFrame, Dataset}

/**
 * Joins of a clause without a watermark with a stream that has one: refused where rows are lost.
 */
class MixedJoinStreamRefusalSuite extends StreamSuite {
  private val near = "r.ts BETWEEN m.t - INTERVAL 1 SECOND AND m.t + INTERVAL 4 SECONDS"

  private def pairs(
      measures: String = "MATCH_ROWTIME() AS t",
      within: String = "WITHIN INTERVAL 10 SECONDS"
  ): String =
    s"""SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
      MEASURES $measures, LAST(v) AS v PATTERN (A B) $within)"""

  private def joined(
      clause: String,
      on: String = near,
      columns: String = "m.g, m.t AS at, r.ts, r.v"
  ): String = s"SELECT $columns FROM ($clause) m JOIN r ON m.g = r.g AND $on"

  private def views(): Unit = {
    view(newSource(), "0 seconds")
    view(newSource(), "0 seconds", "r")
  }

  private def start(frame: DataFrame, mode: String = "append"): Unit =
    frame.writeStream.format("noop").outputMode(mode).start().stop()

  private def refused(reader: String, sql: String)(frame: => DataFrame): Unit = withClue(sql) {
    val e = intercept[AnalysisException](start(frame))
    assert(e.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.MIXED_JOIN")
    assert(e.getSqlState == "42KDE")
    assert(e.getMessage.contains(s"$reader would lose") && e.getMessage.contains("`ts`"))
  }

  test("a join of a clause without a watermark with a stream that has one") {
    views()
    def clauseOver(input: String): String =
      s"""SELECT * FROM ($input) MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
        MEASURES LAST(v) AS v PATTERN (A))"""
    def windowOver(input: String, window: String): String =
      s"SELECT $window AS w, COUNT(*) AS n FROM ($input) GROUP BY $window"
    def plans(clause: String): Seq[(String, String)] = Seq(
      "Join" -> joined(clause, "m.t = r.ts"),
      "Join" -> s"SELECT r.v FROM r LEFT SEMI JOIN ($clause) m ON r.ts = m.t",
      "Join" -> s"SELECT r.v FROM r, ($clause) m WHERE m.g = r.g AND r.ts = m.t",
      "Join" -> s"SELECT * FROM (${joined(clause, "true")}) WHERE at = ts",
      "MATCH_RECOGNIZE" -> clauseOver(joined(clause)),
      "MATCH_RECOGNIZE" -> clauseOver(
        s"SELECT g, ts, v FROM s UNION ALL ${joined(clause, columns = "m.g, r.ts AS time, r.v")}"
      ),
      "Aggregate" -> windowOver(joined(clause), "window(ts, '10 seconds')"),
      "Aggregate" -> windowOver(joined(clause), "window(ts, '10 seconds', '5 seconds')"),
      "Distinct" -> s"SELECT DISTINCT g, ts FROM (${joined(clause)})",
      "Join" -> s"SELECT j.v FROM (${joined(clause)}) j JOIN s ON j.g = s.g AND s.ts = j.ts"
    )
    for {
      without <- Seq(
        pairs(within = ""),
        pairs(measures = "MATCH_ROWTIME() AS t, NEXT(B.v) AS n"),
        pairs(measures = "LAST(ts) AS t")
      )
      (reader, sql) <- plans(without)
    }
      refused(reader, sql)(spark.sql(sql))
    plans(pairs()).foreach { case (_, sql) => start(spark.sql(sql)) }
    // The watermark of the clause holds the join back whatever time is compared.
    val first = pairs(measures = "FIRST(ts) AS t, MATCH_ROWTIME() AS last")
    start(spark.sql(windowOver(joined(first), "window(ts, '10 seconds')")))
    // Nothing is late where no time is read above, and nothing removed where none is equal.
    start(spark.sql(joined(pairs(within = ""))))
    start(
      spark.sql(s"SELECT g, COUNT(*) FROM (${joined(pairs(within = ""))}) GROUP BY g"),
      "update"
    )
  }

  test("equal times that the optimizer finds in a condition") {
    views()
    val without = pairs(within = "")
    val equal = Seq(
      "m.t + INTERVAL 0 SECONDS = r.ts",
      "date_trunc('SECOND', m.t) = r.ts",
      "m.t = CAST(r.ts AS TIMESTAMP)",
      "(m.t = r.ts AND m.v > r.v) OR (m.t = r.ts AND m.v < r.v)",
      "NOT (m.t <> r.ts)",
      "NOT (m.t <> r.ts OR m.v = r.v)"
    )
    equal.foreach { on =>
      refused("Join", on)(spark.sql(joined(without, on)))
      start(spark.sql(joined(pairs(), on)))
    }
    val later = "SELECT m.g, m.t + INTERVAL 1 SECOND AS next, r.ts AS other"
    val filtered = s"$later FROM ($without) m JOIN r ON m.g = r.g"
    Seq("next = other", "NOT (other <> next)").foreach { on =>
      refused("Join", on)(spark.sql(s"SELECT * FROM ($filtered) WHERE $on"))
    }
    // By these Spark removes nothing.
    Seq(
      "m.t <=> r.ts",
      "m.t IN (r.ts, r.ts + INTERVAL 1 SECOND)",
      "m.t BETWEEN r.ts AND r.ts",
      "m.t = r.ts + INTERVAL 0 SECONDS",
      "(m.t = r.ts OR m.v = r.v)",
      "r.ts = TIMESTAMP '2024-01-01 00:00:00'"
    ).foreach(on => withClue(on)(start(spark.sql(joined(without, on)))))
  }

  test("dropDuplicates above the join drops rows late by any time, a key or not") {
    views()
    val frame = spark.sql(joined(pairs(within = "")))
    Seq(Seq("g"), Seq("g", "ts")).foreach { keys =>
      refused("Deduplicate", keys.mkString(", "))(frame.dropDuplicates(keys))
    }
    refused("DeduplicateWithinWatermark", "g")(frame.dropDuplicatesWithinWatermark("g"))
    start(frame.drop("ts").dropDuplicates("g"))
    start(spark.sql(joined(pairs())).dropDuplicates("g"))
  }

  private val last: (String, Iterator[Event], GroupState[Int]) => Iterator[Event] =
    (_, rows, _) => rows.toSeq.lastOption.iterator

  private def grouped(frame: DataFrame, timeout: GroupStateTimeout): Dataset[Event] = {
    val session = spark
    import session.implicits._
    frame
      .as[Event]
      .groupByKey(_.g)
      .flatMapGroupsWithState(OutputMode.Append, timeout)(last)
  }

  test("functions over groups above the join drop late rows only with timeouts by event time") {
    views()
    val frame = spark.sql(joined(pairs(within = ""), columns = "m.g, r.ts, r.v"))
    refused("FlatMapGroupsWithState", "")(grouped(frame, GroupStateTimeout.EventTimeTimeout).toDF())
    Seq(GroupStateTimeout.NoTimeout, GroupStateTimeout.ProcessingTimeTimeout).foreach(timeout =>
      start(grouped(frame, timeout).toDF())
    )
  }

  test("functions over groups below the join return rows of their own") {
    views()
    val matches = spark.sql(s"SELECT g, t AS ts, v FROM (${pairs(within = "")})")
    val anew = grouped(matches, GroupStateTimeout.NoTimeout).toDF()
    def over(rows: DataFrame): DataFrame = {
      rows.createOrReplaceTempView("rows")
      spark.sql(joined("SELECT g, ts AS t, v FROM rows", "m.t = r.ts"))
    }
    refused("Join", "")(over(matches))
    start(over(anew))
    start(over(anew.withWatermark("ts", "1 second")))
  }
}
