package io.matchrecognize.streaming

import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode}
import org.apache.spark.sql.{AnalysisException, DataFrame}

import io.matchrecognize.ErrorPlace

/**
 * Plans and output modes that would return other rows than a table: refused before the first row.
 */
class StreamRefusalSuite extends StreamSuite {
  private val prefix = "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM"
  private final val AllowMultiple = "spark.sql.streaming.statefulOperator.allowMultiple"
  private val counts = """SELECT g, v, window_time(window) AS ts FROM (
    SELECT g, COUNT(*) AS v, window FROM s GROUP BY g, window(ts, '10 seconds'))"""

  private def pairs(
      input: String = "s",
      measures: String = "MATCH_ROWTIME() AS t",
      within: String = "WITHIN INTERVAL 10 SECONDS"
  ): String =
    s"""SELECT * FROM $input MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
      MEASURES $measures, LAST(v) AS v PATTERN (A B) $within)"""

  private def start(frame: DataFrame, mode: String): Unit =
    frame.writeStream.format("noop").outputMode(mode).start().stop()

  private def refusal(condition: String)(body: => Any): AnalysisException = {
    val e = intercept[AnalysisException](body)
    assert(e.getCondition == s"$prefix.$condition")
    assert(e.getSqlState == "42KDE")
    e
  }

  private def windows(input: String): String =
    s"SELECT window(t, '10 seconds') AS w, COUNT(*) AS n FROM ($input) GROUP BY window(t, '10 seconds')"

  test("operators below a clause that give rows again in update or complete mode") {
    view(newSource(), "0 seconds")
    val below = Seq(
      "Aggregate" -> counts,
      "Aggregate" -> "SELECT g, ts, COUNT(*) AS v FROM s GROUP BY g, ts",
      "Distinct" -> "SELECT DISTINCT g, ts, v FROM s"
    )
    below.foreach { case (operator, input) =>
      start(spark.sql(pairs(s"($input)")), "append")
      val e = refusal("OUTPUT_MODE")(start(spark.sql(pairs(s"($input)")), "update"))
      assert(e.getMessage.contains(s"In update output mode $operator below the clause"))
      val place = ErrorPlace.after(e, pairs(s"($input)"))
      assert(place.exists(_.startsWith("MATCH_RECOGNIZE (")), e.getMessage)
      // Spark requires an aggregation in complete mode: below the clause, or above it too.
      Seq(pairs(s"($input)"), windows(pairs(s"($input)"))).foreach { sql =>
        // Spark itself refuses an aggregation over another one.
        val e = intercept[AnalysisException](start(spark.sql(sql), "complete"))
        assert(
          e.getCondition == s"$prefix.OUTPUT_MODE" || e.getMessage.contains("correctness"),
          e.getMessage
        )
      }
    }
    val limited = windows(pairs("(SELECT * FROM s LIMIT 3)"))
    refusal("OUTPUT_MODE")(start(spark.sql(limited), "complete"))
  }

  test("functions over groups below a clause, in update mode") {
    val session = spark
    import session.implicits._
    val timed = newSource().toDS()
    val last: (String, Iterator[Event], GroupState[Int]) => Iterator[Event] =
      (_, rows, _) => rows.toSeq.lastOption.iterator
    val updates = timed
      .groupByKey(_.g)
      .flatMapGroupsWithState(OutputMode.Update, GroupStateTimeout.NoTimeout)(last)
    updates.withWatermark("ts", "0 seconds").createOrReplaceTempView("s")
    val e = refusal("OUTPUT_MODE")(start(spark.sql(pairs()), "update"))
    assert(e.getMessage.contains("FlatMapGroupsWithState below the clause"))
    val appends = newSource()
      .toDS()
      .withWatermark("ts", "1 hour")
      .groupByKey(_.g)
      .flatMapGroupsWithState(OutputMode.Append, GroupStateTimeout.NoTimeout)(last)
    // A function over groups starts anew: its rows have no watermark.
    appends.withWatermark("ts", "0 seconds").createOrReplaceTempView("s")
    start(spark.sql(pairs()), "append")
  }

  test("update and complete mode stay allowed where rows below come once") {
    view(newSource(), "0 seconds")
    Seq(pairs(), s"SELECT * FROM (${pairs()})", windows(pairs())).foreach(sql =>
      start(spark.sql(sql), "update")
    )
    start(spark.sql(windows(pairs())), "complete")
    val deduplicated = spark.table("s").dropDuplicates("g", "ts")
    deduplicated.createOrReplaceTempView("deduplicated")
    start(spark.sql(pairs("deduplicated")), "update")
  }

  test("complete mode with a clause that no aggregation reads") {
    view(newSource(), "0 seconds")
    val sql = s"SELECT g, t FROM (${pairs()}) UNION ALL SELECT g, ts FROM ($counts)"
    refusal("COMPLETE_MODE")(start(spark.sql(sql), "complete"))
    start(spark.sql(sql), "append")
  }

  test("a watermark above a clause") {
    view(newSource(), "5 seconds")
    Seq(pairs(), pairs(within = ""), pairs(measures = "LAST(ts) AS t", within = "")).foreach {
      sql =>
        val frame = spark.sql(sql)
        val e = refusal("SECOND_WATERMARK")(frame.withWatermark("t", "1 minute"))
        assert(e.getMessage.contains("`t` above MATCH_RECOGNIZE would be a second one"))
        assert(e.getMessage.contains("MATCH_ROWTIME() of a clause that has WITHIN"))
        frame.createOrReplaceTempView("matches")
        val inSql =
          "SELECT * FROM STREAM matches WATERMARK t DELAY OF INTERVAL 1 MINUTE WHERE g > ''"
        if (PlanOperators.hasWatermarkClause) refusal("SECOND_WATERMARK")(spark.sql(inSql))
    }
    // Beside the clause a second watermark is allowed.
    val other = newSource().toDF().withWatermark("ts", "1 second").selectExpr("g", "ts AS t")
    start(spark.sql(s"SELECT g, t FROM (${pairs()})").unionByName(other), "append")
  }

  test("operators above a query of WITH, in which a clause is") {
    view(newSource(), "5 seconds")
    val latest = pairs(measures = "LAST(ts) AS t")
    val inWith = s"WITH m AS ($latest), n AS (SELECT g, 1 AS v, t AS ts FROM m)"
    withConf("spark.matchRecognize.stream.defaultWatermarkDelay" -> "1 second") {
      refusal("LOST_WATERMARK")(spark.sql(s"$inWith SELECT * FROM (${pairs("n")})"))
    }
    if (PlanOperators.hasWatermarkClause)
      refusal("SECOND_WATERMARK") {
        spark.sql(s"$inWith SELECT * FROM n WATERMARK ts DELAY OF INTERVAL 1 MINUTE")
      }
    val counted = s"WITH c AS ($counts) SELECT * FROM (${pairs("c")})"
    start(spark.sql(counted), "append")
    refusal("OUTPUT_MODE")(start(spark.sql(counted), "update"))
    withConf("spark.sql.streaming.statefulOperator.allowMultiple" -> "false") {
      refusal("ONE_STATEFUL_OPERATOR")(start(spark.sql(counted), "append"))
    }
  }

  test("a second watermark below a clause") {
    view(newSource(), "5 seconds")
    val again = spark.sql(s"SELECT g, v, ts + INTERVAL 0 SECOND AS ts FROM ($counts)")
    again.withWatermark("ts", "1 minute").createOrReplaceTempView("again")
    val e = refusal("SECOND_WATERMARK")(spark.sql(pairs("again")))
    assert(e.getMessage.contains("`ts` above the watermark on `ts` would be a second one"))
  }

  test("a clause whose ORDER BY column has lost the watermark is not told to set another one") {
    view(newSource(), "5 seconds")
    val inputs = Seq(
      s"SELECT g, v, t AS ts FROM (${pairs(within = "")})" -> "MATCH_RECOGNIZE",
      s"SELECT g, v, t AS ts FROM (${pairs(measures = "MATCH_ROWTIME() AS t, NEXT(B.v) AS n")})" ->
        "MATCH_RECOGNIZE",
      "SELECT g, 1 AS v, window.end AS ts, window FROM s GROUP BY g, window(ts, '1 second')" ->
        "the watermark on `ts`",
      "SELECT g, v, ts + INTERVAL 1 HOUR AS ts FROM s" -> "the watermark on `ts`"
    )
    inputs.foreach { case (input, below) =>
      val confs = Seq(Nil, Seq("spark.matchRecognize.stream.defaultWatermarkDelay" -> "1 second"))
      confs.foreach { conf =>
        val e = refusal("LOST_WATERMARK")(withConf(conf: _*)(spark.sql(pairs(s"($input)"))))
        assert(e.getMessage.contains(s"a second one above $below"))
        assert(e.getMessage.contains("a clause that has WITHIN and no NEXT"))
        assert(!e.getMessage.contains("Call withWatermark"))
      }
    }
  }

  test(
    "a clause without a watermark beside one that has it, below an operator that drops late rows"
  ) {
    view(newSource(), "0 seconds")
    val mixed = s"${pairs()} UNION ALL ${pairs(within = "")}"
    val readers = Seq(
      "Aggregate" -> windows(mixed),
      "Join" -> s"SELECT x.g FROM ($mixed) x JOIN s ON x.g = s.g AND x.t = s.ts",
      "MATCH_RECOGNIZE" -> s"""SELECT * FROM ($mixed) MATCH_RECOGNIZE (ORDER BY t
        MEASURES LAST(t) AS l PATTERN (A))"""
    )
    readers.foreach { case (reader, sql) =>
      val e = refusal("MIXED_WATERMARKS")(start(spark.sql(sql), "append"))
      assert(e.getMessage.contains(s"whose rows $reader above would take for late"), sql)
    }
    // A count that no watermark ends drops nothing.
    start(spark.sql(s"SELECT g, COUNT(*) AS n FROM ($mixed) GROUP BY g"), "update")
    start(spark.sql(windows(s"${pairs()} UNION ALL ${pairs()}")), "append")
  }

  test("an outer join keeps the rows of a clause only by a time that has a watermark") {
    view(newSource(), "0 seconds")
    def joined(kind: String, clause: String): String = {
      val near = "s.ts BETWEEN m.t - INTERVAL 1 SECOND AND m.t + INTERVAL 4 SECONDS"
      val sides = if (kind == "RIGHT") s"s RIGHT JOIN ($clause) m" else s"($clause) m $kind JOIN s"
      s"SELECT m.g, s.v FROM $sides ON m.g = s.g AND $near"
    }
    val other = pairs(measures = "MATCH_ROWTIME() AS x, LAST(ts) AS t")
    Seq("LEFT", "RIGHT").foreach { kind =>
      refusal("OUTER_JOIN")(start(spark.sql(joined(kind, other)), "append"))
    }
    start(spark.sql(joined("LEFT", pairs())), "append")
    start(spark.sql(joined("INNER", other)), "append")
  }

  test(
    "one watermark for all operators: a clause over another stateful operator, or below one",
    Slow
  ) {
    view(newSource(), "0 seconds")
    withConf(AllowMultiple -> "false") {
      val chained = Seq(
        s"""SELECT * FROM (${pairs()}) MATCH_RECOGNIZE (PARTITION BY g ORDER BY t
          MEASURES LAST(t) AS l PATTERN (A B) WITHIN INTERVAL 1 SECOND)""" ->
          "MATCH_RECOGNIZE reads the result of MATCH_RECOGNIZE",
        windows(pairs()) -> "Aggregate reads the result of MATCH_RECOGNIZE",
        pairs(s"($counts)") -> "MATCH_RECOGNIZE reads the result of Aggregate",
        s"SELECT x.g FROM (${pairs()}) x JOIN (${pairs()}) y ON x.g = y.g AND x.t = y.t" ->
          "Join reads the result of MATCH_RECOGNIZE"
      )
      chained.foreach { case (sql, text) =>
        val e = refusal("ONE_STATEFUL_OPERATOR")(start(spark.sql(sql), "append"))
        assert(
          e.getMessage.contains(text) && e.getMessage.contains(s""""$AllowMultiple" = false""")
        )
      }
      val sql = s"${pairs()} UNION ALL ${pairs(within = "")}"
      stream(sql, "0 seconds") { run =>
        run.add("a1@1 a2@2 b1@3")
        run.add("b2@4 z0@9")
        assert(run.taken() == Seq("a,2,2", "a,2,2", "b,4,2", "b,4,2"))
      }
    }
  }

  test("a join of a clause without a watermark with a stream") {
    view(newSource(), "0 seconds")
    view(newSource(), "0 seconds", "r")
    val near = "r.ts BETWEEN m.t - INTERVAL 1 SECOND AND m.t + INTERVAL 4 SECONDS"
    def plans(clause: String): Seq[String] = Seq(
      s"SELECT r.v FROM ($clause) m JOIN r ON m.g = r.g AND $near",
      s"SELECT r.v FROM r LEFT SEMI JOIN ($clause) m ON r.ts = m.t",
      s"SELECT r.v FROM r, (SELECT g, t + INTERVAL 1 SECOND AS t FROM ($clause)) m WHERE r.ts = m.t",
      s"WITH m AS ($clause) SELECT m.g FROM m JOIN (SELECT * FROM r WHERE v > 0) USING (g)"
    )
    for {
      without <- Seq(
        pairs(within = ""),
        pairs(measures = "MATCH_ROWTIME() AS t, NEXT(B.v) AS n"),
        pairs(measures = "LAST(ts) AS t")
      )
      sql <- plans(without)
    } withClue(sql) {
      val e = refusal("MIXED_JOIN")(start(spark.sql(sql), "append"))
      assert(e.getMessage.contains("Give the clause WITHIN"))
    }
    plans(pairs()).foreach(sql => withClue(sql)(start(spark.sql(sql), "append")))
    // A table is no stream.
    spark.range(3).selectExpr("CAST(id AS STRING) AS g").createOrReplaceTempView("names")
    start(spark.sql(s"SELECT * FROM (${pairs(within = "")}) JOIN names USING (g)"), "append")
  }

  test("a time inside a struct is no event time of the clause", Slow) {
    view(newSource(), "0 seconds")
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
      // Spark's own refusal: no watermark.
      val e =
        intercept[AnalysisException](start(spark.sql(s"SELECT DISTINCT t FROM ($sql)"), "append"))
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
}
