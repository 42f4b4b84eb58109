package io.matchrecognize.streaming

import java.nio.file.Paths

import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.streaming.Trigger

import io.matchrecognize.Sampled
import io.matchrecognize.shims.StreamTesting.MemoryStream

/** The clause between other operators, and its keys and expressions. */
class StreamPlanSuite extends StreamSuite {
  private def pairs(measures: String, within: String = "WITHIN INTERVAL 10 SECONDS"): String =
    s"""s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts MEASURES $measures
      PATTERN (A B) $within DEFINE A AS v = 1, B AS v = 2)"""

  private def watermarks(sql: String): Seq[String] = spark
    .sql(sql)
    .schema
    .filter(_.metadata.contains(EventTimeWatermark.delayKey))
    .map(_.name)

  test("only a measure that is MATCH_ROWTIME carries the watermark, and only with WITHIN") {
    view(newSource(), "5 seconds")
    val both = "MATCH_ROWTIME() AS t, MATCH_ROWTIME(A) AS u, LAST(ts) AS x"
    assert(watermarks(s"SELECT * FROM ${pairs(both)}") == Seq("t"))
    assert(watermarks(s"SELECT * FROM ${pairs("MATCH_ROWTIME(A) AS u")}") == Seq("u"))
    assert(watermarks(s"SELECT * FROM ${pairs(both, "")}").isEmpty)
    assert(watermarks(s"SELECT * FROM ${pairs("LAST(ts) AS t")}").isEmpty)
    assert(watermarks(s"SELECT * FROM ${pairs("MATCH_ROWTIME() AS t, NEXT(B.v) AS x")}").isEmpty)
    val allRows =
      s"SELECT * FROM ${pairs("MATCH_ROWTIME() AS t").replace("PATTERN", "ALL ROWS PER MATCH PATTERN")}"
    assert(watermarks(allRows) == Seq("t"))
    assert(watermarks("SELECT * FROM s") == Seq("ts"))
  }

  test("a field of a struct that is an event time itself is none above the clause") {
    view(newSource(), "5 seconds")
    val fields = spark.sql("SELECT *, struct(ts AS at, g AS k) AS w FROM s")
    val marked = fields.col("w").as("w", fields.schema("ts").metadata)
    fields.withColumn("w", marked).createOrReplaceTempView("structs")
    val clause = pairs("LAST(w) AS w, MATCH_ROWTIME() AS t").replaceFirst("s ", "structs ")
    assert(watermarks("SELECT w, w.at FROM structs") == Seq("w", "at"))
    assert(watermarks(s"SELECT t, w, w.at FROM (SELECT * FROM $clause)") == Seq("t"))
  }

  test("a clause over a recursive query of WITH, or in it") {
    view(newSource(), "5 seconds")
    val anchor = "SELECT g, ts, v FROM s"
    def recursive(anchor: String, step: String, last: String): String =
      s"WITH RECURSIVE r (g, ts, v) AS ($anchor UNION ALL $step) $last"
    val clause = """MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts ALL ROWS PER MATCH
      PATTERN (A B) WITHIN INTERVAL 10 SECONDS DEFINE A AS v = 1, B AS v = 2)"""
    val step = "SELECT g, ts, v + 1 FROM r WHERE v < 3"
    val statements = Seq(
      recursive(anchor, step, s"SELECT * FROM r $clause"),
      recursive(anchor, s"SELECT g, ts, v FROM r $clause", "SELECT * FROM r"),
      recursive(s"SELECT g, ts, v FROM s $clause", step, "SELECT * FROM r"),
      recursive(step, anchor, s"SELECT * FROM r $clause"),
      recursive(step, step, s"SELECT * FROM r $clause"),
      recursive(s"SELECT g, ts, v FROM r $clause", step, "SELECT * FROM r")
    )
    statements.foreach { sql =>
      val e = intercept[Throwable](stream(sql)(_.add("a1@1 a2@2 x0@20")))
      val causes = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq
      assert(!causes.exists(_.isInstanceOf[StackOverflowError]), sql)
    }
  }

  test("a windowed aggregation above") {
    val sql = s"""SELECT window(t, '10 seconds').start AS w, COUNT(*) AS n
      FROM ${pairs("MATCH_ROWTIME() AS t")} GROUP BY window(t, '10 seconds')"""
    stream(sql, "0 seconds") { run =>
      run.add("a1@1 a2@2 b1@3 b2@12 c1@8 c2@9")
      run.add("x0@21")
      assert(run.taken() == Seq("0,2"))
      run.add("x0@40")
      assert(run.taken() == Seq("10,1"))
      assert(run.operators.map(_.operatorName).toSet.contains("matchRecognize"))
      assert(run.lateRows == 0)
    }
  }

  test("deduplication within the watermark above") {
    val source = newSource()
    view(source, "0 seconds")
    val frame = spark
      .sql(s"SELECT * FROM ${pairs("MATCH_ROWTIME() AS t")}")
      .dropDuplicatesWithinWatermark("g")
    frame.createOrReplaceTempView("deduplicated")
    run("SELECT * FROM deduplicated", Seq(source)) { run =>
      run.add("a1@1 a2@2 a1@3 a2@4 b1@5 b2@6 x0@7")
      assert(run.taken() == Seq("a,2", "b,6"))
    }
  }

  test("a second clause ordered by the first one's MATCH_ROWTIME", Slow) {
    val sql = s"""SELECT * FROM (SELECT * FROM ${pairs("MATCH_ROWTIME() AS t")}) MATCH_RECOGNIZE (
      PARTITION BY g ORDER BY t MEASURES FIRST(t) AS f, LAST(t) AS l PATTERN (P Q))"""
    stream(sql, "0 seconds") { run =>
      run.add("a1@1 a2@2 b1@3 b2@4 a1@5 a2@6")
      run.add("x0@30")
      assert(run.taken() == Seq("a,2,6"))
      run.add("b1@31 b2@32 x0@33")
      assert(run.taken().isEmpty)
      run.add("x0@60")
      assert(run.taken() == Seq("b,4,32"))
      assert(run.operators.map(_.operatorName) == Seq("matchRecognize", "matchRecognize"))
    }
  }

  test("a second clause over a first one without watermark is refused") {
    view(newSource(), "5 seconds")
    val e = intercept[org.apache.spark.sql.AnalysisException] {
      spark.sql(s"""SELECT * FROM (SELECT * FROM ${pairs("MATCH_ROWTIME() AS t", "")})
        MATCH_RECOGNIZE (ORDER BY t MEASURES 1 AS one PATTERN (A))""")
    }
    assert(e.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.LOST_WATERMARK")
  }

  test("a stream-stream join above", Slow) {
    val (left, right) = (newSource(), newSource())
    view(left, "0 seconds")
    view(right, "0 seconds", "r")
    val sql = s"""SELECT m.g, m.t, r.v FROM (SELECT * FROM ${pairs("MATCH_ROWTIME() AS t")}) m
      JOIN r ON m.g = r.g AND r.ts BETWEEN m.t AND m.t + INTERVAL 5 SECONDS"""
    run(sql, Seq(left, right)) { run =>
      run.add(right, Event.of("a7@3 a8@60 b9@3"): _*)
      run.add(left, Event.of("a1@1 a2@2 x0@60"): _*)
      assert(run.taken() == Seq("a,2,7"))
    }
  }

  test("a stream-static join below, and a static clause beside") {
    spark
      .sql("SELECT * FROM VALUES ('a', 'north'), ('b', 'south') AS x(g, name)")
      .createOrReplaceTempView("names")
    val sql = """SELECT * FROM (SELECT s.*, name FROM s JOIN names USING (g)) MATCH_RECOGNIZE (
      PARTITION BY name ORDER BY ts MEASURES LAST(v) AS v PATTERN (A B))"""
    stream(sql, "0 seconds") { run =>
      run.add("a1@1 a2@2 b3@3 c3@9 a0@10")
      assert(run.taken() == Seq("north,2"))
    }
  }

  private val joins =
    Seq("MERGE" -> "TRUE", "SHUFFLE_HASH" -> "TRUE", "BROADCAST" -> "g = 'none'")

  Sampled.oneIn(3, joins).foreach { case (hint, where) =>
    test(s"a join above that reads no row of a task: $hint") {
      // Compiled code of a hash join reads all rows, a sort without it too.
      val isCompiled = (hint == "MERGE").toString
      withConf(
        "spark.sql.shuffle.partitions" -> "3",
        "spark.sql.codegen.wholeStage" -> isCompiled,
        "spark.sql.codegen.factoryMode" -> "FALLBACK"
      ) {
        spark.sql("SELECT * FROM VALUES ('a') AS names(g)").createOrReplaceTempView("names")
        val sql =
          s"""SELECT /*+ $hint(names) */ * FROM (SELECT * FROM names WHERE $where) AS names
            JOIN (SELECT * FROM ${pairs("A.v AS a, B.v AS b", "")}) USING (g)"""
        stream(sql, "0 seconds") { run =>
          run.add("a1@1 b1@1 c1@1 d1@1")
          run.add("a2@2 b2@2 c2@2 d2@2")
          run.add("a1@3 e1@9")
          run.add("a2@10 e1@20")
          val found = if (where == "TRUE") Seq.fill(2)("a,1,2") else Nil
          assert(run.taken() == found && run.metric("keysWithState") == 1)
        }
      }
    }
  }

  test("a scalar subquery in DEFINE and MEASURES") {
    spark.sql("SELECT 2 AS x").createOrReplaceTempView("two")
    val sql = """SELECT * FROM s MATCH_RECOGNIZE (
      PARTITION BY g ORDER BY ts
      MEASURES LAST(v) + (SELECT x FROM two) AS v PATTERN (A B)
      DEFINE A AS v IN (SELECT x - 1 FROM two), B AS v = (SELECT MAX(x) FROM two))"""
    stream(sql, "0 seconds") { run =>
      run.add("a1@1 a2@2 b3@3 b1@4 b2@5 x0@10")
      assert(run.taken() == Seq("a,4", "b,4"))
      run.add("a1@11 a2@12 x0@20")
      assert(run.taken() == Seq("a,4"))
    }
  }

  test("keys are equal as GROUP BY has it") {
    val sql = """SELECT n, k FROM (SELECT *, CAST(IF(v = 0, '-0.0', '0.0') AS DOUBLE) AS z,
        UPPER(g) COLLATE UTF8_LCASE AS c, IF(v = 0, g COLLATE UTF8_LCASE, UPPER(g) COLLATE UTF8_LCASE) AS d
        FROM s)
      MATCH_RECOGNIZE (PARTITION BY z, d ORDER BY ts MEASURES COUNT(*) AS n, FIRST(v) AS k
        PATTERN (A B C))"""
    stream(sql, "0 seconds") { run =>
      run.add("a0@1 a1@2 b1@2 x0@3")
      run.add("a0@4 b0@4 x0@10")
      assert(run.taken() == Seq("3,0"))
    }
  }

  test("no PARTITION BY, and an expression in it") {
    stream(
      """SELECT * FROM s MATCH_RECOGNIZE (ORDER BY ts, v DESC
      MEASURES FIRST(v) AS a, LAST(v) AS b PATTERN (A B C))""",
      "0 seconds"
    ) { run =>
      run.add("a1@1 b2@1 x3@5")
      run.add("a7@9 b7@9 x9@12")
      assert(run.taken() == Seq("2,3", "7,9"))
    }
    stream(
      """SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY v % 2 ORDER BY ts
      MEASURES FIRST(v) AS a, LAST(v) AS b PATTERN (A B))""",
      "0 seconds"
    ) { run =>
      run.add("a1@1 b2@2 c3@3 d4@4 x9@10")
      assert(run.taken() == Seq("1,3", "2,4"))
    }
  }

  test("the conf's watermark for a stream without one") {
    val sql = s"SELECT * FROM ${pairs("1 AS one")}"
    withConf("spark.matchRecognize.stream.defaultWatermarkDelay" -> "5 seconds") {
      stream(sql, delay = "") { run =>
        run.add("a2@2 a1@1 x0@6")
        assert(run.taken().isEmpty)
        run.add("x0@7")
        assert(run.taken() == Seq("a,1"))
      }
    }
  }

  test("TIMESTAMP_NTZ and a renamed event-time column") {
    val sql = """SELECT * FROM (SELECT g, ts AS at, v FROM s) MATCH_RECOGNIZE (
      PARTITION BY g ORDER BY at MEASURES LAST(at) AS l PATTERN (A B))"""
    stream(sql, "0 seconds") { run =>
      run.add("a2@2 a1@1 x0@6")
      assert(run.taken() == Seq("a,2"))
    }
  }

  test("MATCH_PROCTIME is the timestamp of the batch") {
    val sql = s"SELECT unix_millis(p) AS p FROM ${pairs("MATCH_PROCTIME() AS p")}"
    stream(sql, "0 seconds") { run =>
      run.add("a1@1 a2@2 b1@1 b2@2 x0@6")
      val first = run.taken()
      assert(first.length == 2 && first.distinct.length == 1)
      val start = java.time.Instant.parse(run.query.recentProgress.head.timestamp).toEpochMilli
      // Returned by the batch without data that follows.
      assert(first.head.toLong > start)
      val before = System.currentTimeMillis
      run.add("a1@7 a2@8 x0@10")
      assert(run.taken().head.toLong >= before)
    }
  }

  test("the current time in DEFINE is that at which a row arrived, whenever it is tested", Slow) {
    def event(at: Long, v: Int): Event = Event("a", Some(new java.sql.Timestamp(at)), v)
    def query(more: String, source: MemoryStream[Event]): String = {
      view(source, "0 seconds")
      s"""SELECT a, b FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
        MEASURES A.v AS a, LAST(v) AS b PATTERN (A X* B)
        DEFINE A AS v < 5 AND ts > current_timestamp() - INTERVAL 10 SECONDS $more,
          X AS v < 5, B AS v >= 5 AND LAST(A.v) < 5)"""
    }
    val started = Seq("", "AND COALESCE(MAX(unix_micros(now()) * 0), 0) = 0").map { more =>
      val (source, checkpoint) = (newSource(), newDirectory())
      // The query runs before the first row that has to be young.
      val begin = run(query(more, source), Seq(source), checkpoint) { run =>
        run.add(source, Event("b", 0, 0))
        val now = System.currentTimeMillis
        run.add(source, event(now, 1), event(now + 10, 2), event(now + 20, 3))
        now
      }
      (more, source, checkpoint, begin)
    }
    Thread.sleep(math.max(0, started.last._4 + 11000 - System.currentTimeMillis))
    started.foreach { case (more, source, checkpoint, begin) =>
      run(query(more, source), Seq(source), checkpoint) { run =>
        run.add(source, event(begin + 11000, 6), event(begin + 11010, 0))
        assert(run.taken() == Seq("1,6"))
      }
    }
  }

  test("files and availableNow: what is not complete waits for the next run") {
    val (in, out, checkpoint) = (newDirectory(), newDirectory(), newDirectory())
    val session = spark
    import session.implicits._
    def write(text: String): Unit =
      Event.of(text).toDS().coalesce(1).write.mode("append").parquet(in)
    def runOnce(): Seq[String] = {
      spark.readStream
        .schema(org.apache.spark.sql.Encoders.product[Event].schema)
        .parquet(in)
        .withWatermark("ts", "5 seconds")
        .createOrReplaceTempView("s")
      spark
        .sql(s"SELECT * FROM ${pairs("MATCH_ROWTIME() AS t, B.v AS v", "")}")
        .writeStream
        .option("checkpointLocation", checkpoint)
        .trigger(Trigger.AvailableNow())
        .start(Paths.get(out, "rows").toString)
        .awaitTermination()
      spark.read
        .parquet(Paths.get(out, "rows").toString)
        .select("g")
        .as[String]
        .collect()
        .toSeq
        .sorted
    }
    write("a1@1 a2@2 b1@3 b2@9")
    assert(runOnce() == Seq("a"))
    write("x0@20")
    assert(runOnce() == Seq("a", "b"))
  }
}
