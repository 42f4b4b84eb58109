package io.matchrecognize.streaming

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode}
import org.apache.spark.sql.{AnalysisException, DataFrame, Dataset}
import org.scalatest.tagobjects.Slow

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
      "Aggregate" -> s"SELECT DISTINCT g, ts FROM (${joined(clause)})",
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

  test("joins in the order of the optimizer, with the columns that are read") {
    views()
    view(newSource(), "0 seconds", "x")
    val without = pairs(within = "")
    def ordered(columns: String): String =
      s"SELECT $columns FROM x, r, ($without) m WHERE x.g = m.g AND m.v = r.v"
    def three(columns: String): String =
      s"SELECT $columns FROM ($without) m JOIN r USING (g) JOIN x USING (g)"
    // Spark joins x with m first, and drops their late rows by the time of x.
    Seq(ordered("x.ts"), three("r.ts")).foreach(sql => refused("Join", sql)(spark.sql(sql)))
    Seq(ordered("x.v, m.t"), three("r.v, t"), ordered("r.ts"), three("x.ts"))
      .foreach(sql => withClue(sql)(start(spark.sql(sql))))
  }

  test("a match joins rows of two streams that came long before it", Slow) {
    val sources = Seq("s", "r", "x").map { name =>
      val source = newSource()
      view(source, "0 seconds", name)
      source
    }
    val matches = "MEASURES COUNT(*) AS n PATTERN (A+) DEFINE A AS v > 0"
    val sql = s"""SELECT g, n, r.v, x.v FROM
      (SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts $matches))
      JOIN r USING (g) JOIN x USING (g)"""
    withConf("spark.sql.shuffle.partitions" -> "1")(run(sql, sources) { query =>
      def add(events: String): Unit = {
        sources.foreach(_.addData(Event.of(events)))
        query.query.processAllAvailable()
      }
      add("a1@1 a2@2")
      add("b0@40")
      add("c0@50")
      assert(query.taken().isEmpty)
      add("d0@60 a0@61")
      add("c0@90")
      val values = Seq(0, 1, 2)
      assert(query.taken() == values.flatMap(r => values.map(x => s"a,2,$r,$x")))
    })
  }

  test("a time inside a struct is no event time of the clause", Slow) {
    views()
    val structs = """(SELECT g, ts, v, struct(ts AS at) AS one, array(struct(ts AS at)) AS many,
      map(0, struct(ts AS at)) AS mapped FROM s)"""
    def times(time: String, measures: String, rest: String = ""): String =
      s"""SELECT g, $time AS t FROM $structs MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
        MEASURES $measures $rest PATTERN (A B))"""
    val all = Seq(
      times("one.at", "LAST(one) AS one"),
      times("many[0].at", "LAST(many) AS many"),
      times("mapped[0].at", "LAST(mapped) AS mapped"),
      times("list[0].at", "collect_list(one) AS list"),
      times("one.at", "COUNT(*) AS n", "ALL ROWS PER MATCH")
    )
    all.foreach { sql =>
      refused("Join", sql)(spark.sql(s"SELECT r.v FROM ($sql) m JOIN r ON m.t = r.ts"))
      // Spark's own refusal: no watermark.
      val e = intercept[AnalysisException](start(spark.sql(s"SELECT DISTINCT t FROM ($sql)")))
      assert(e.getMessage.contains("without watermark"), e.getMessage)
    }
    stream(
      s"""SELECT one.at, many[0].at, mapped[0].at, n FROM $structs MATCH_RECOGNIZE (
        ORDER BY ts MEASURES LAST(one) AS one, FIRST(many) AS many, LAST(mapped) AS mapped,
        COUNT(*) AS n PATTERN (A B))""",
      "0 seconds"
    ) { query =>
      query.add("a1@1 a2@2")
      query.add("a3@30")
      assert(query.taken() == Seq("2,1,2,2"))
    }
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
    val e = intercept[AnalysisException](over(anew.withWatermark("ts", "1 second")))
    assert(e.getCondition.endsWith(".SECOND_WATERMARK"))
  }

  test("the optimizer is asked under the settings of streams, not those of the session") {
    views()
    val clause = "SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts " +
      "MEASURES MATCH_ROWTIME() AS t, LAST(v) AS v PATTERN (A B))"
    val seen = scala.collection.mutable.Set.empty[(Boolean, Boolean)]
    object Witness extends Rule[LogicalPlan] {
      override def apply(plan: LogicalPlan): LogicalPlan = {
        if (plan.isStreaming)
          seen += (conf.cboEnabled -> conf.adaptiveExecutionEnabled)
        plan
      }
    }
    spark.experimental.extraOptimizations = Seq(Witness)
    try
      withConf(
        SQLConf.CBO_ENABLED.key -> "true",
        SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "true"
      ) {
        refused("Join", joined(clause, "m.t = r.ts"))(spark.sql(joined(clause, "m.t = r.ts")))
      }
    finally spark.experimental.extraOptimizations = Nil
    assert(seen == Set(false -> false))
  }
}
