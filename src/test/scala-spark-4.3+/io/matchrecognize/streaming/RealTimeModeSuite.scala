package io.matchrecognize.streaming

import io.matchrecognize.conf.MatchRecognizeConf.{InputOrder, OutOfOrder}

/**
 * What a clause does with `trigger(realTime=...)`, which has stateful operators since Spark 4.3.
 */
class RealTimeModeSuite extends RealTimeSuite {
  private def clause(
      pattern: String,
      define: String,
      rows: String = "",
      within: String = ""
  ): String = s"""SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
    MEASURES FIRST(v) AS a, LAST(v) AS b $rows
    PATTERN ($pattern) $within DEFINE $define)"""

  private val rises = clause("A B", "B AS v > A.v")

  Seq(
    "the check of operators" -> Seq(AllowlistCheck -> "true"),
    "the order of arrival" -> Seq(InputOrder.key -> "watermark")
  ).foreach { case (what, confs) =>
    test(s"without $what a query is refused before its first batch, with what it needs") {
      inRealTime(confs: _*) {
        val source = events("0 seconds")
        source.add(Event.of("a1@1"))
        val e = failure(running(rises)(_.await("no row")(false)))
        val message = e.getMessage
        assert(message.startsWith("[MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.REAL_TIME_MODE]"))
        assert(message.contains(s""""$AllowlistCheck" = false"""))
        assert(message.contains("\"spark.matchRecognize.stream.inputOrder\" = \"arrival\""))
        assert(message.contains("1 for \"spark.sql.shuffle.partitions\""))
      }
    }
  }

  test("the current time, in the clause or in a column below it, is refused") {
    def from(input: String, more: String = "", order: String = "ts", define: String = "TRUE") =
      s"""SELECT * FROM $input MATCH_RECOGNIZE (PARTITION BY g ORDER BY $order
        MEASURES A.v AS a $more PATTERN (A) DEFINE A AS $define)"""
    inRealTime() {
      val source = events("0 seconds")
      source.add(Event.of("a1@1"))
      source.unmarked
        .selectExpr("g", "v", "now() AS at")
        .withWatermark("at", "0 seconds")
        .createOrReplaceTempView("arrived")
      Seq(
        from("s", more = ", MATCH_PROCTIME() AS p") -> "`MATCH_PROCTIME()` is the time",
        from("s", define = "ts > current_timestamp() - INTERVAL 1 HOUR") ->
          "`current_timestamp()` is the time",
        from("(SELECT *, hour(now()) AS h FROM s)") -> "the column `h` is the time",
        from("arrived", order = "at") -> "the column `at` is the time"
      ).foreach { case (sql, text) =>
        val message = failure(running(sql)(_.await("no row")(false))).getMessage
        assert(message.startsWith("[MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.REAL_TIME_CLOCK]"))
        assert(message.contains(text))
      }
      // A filter keeps rows or drops them, whatever their order.
      running(from("(SELECT * FROM s WHERE ts < now())"))(_.awaitRows("a,1"))
    }
  }

  test("a match is returned before the next row arrives, in the first batch") {
    inRealTime() {
      val source = events("1 day")
      running(rises) { run =>
        source.add(Event.of("a1@1 b5@1 a2@2"))
        run.awaitRows("a,1,2")
        source.add(Event.of("b4@2 b9@3 a7@4"))
        run.awaitRows("a,1,2", "b,4,9")
        source.add(Event.of("a8@5"))
        run.awaitRows("a,1,2", "b,4,9", "a,7,8")
        assert(run.ended == 0)
      }
    }
  }

  test("the clauses of a union over one source are one operator, which Spark's check lets pass") {
    inRealTime() {
      val source = events("1 day")
      val falls = clause("A B", "B AS v < A.v")
      running(s"$rises UNION ALL $falls UNION ALL ${clause("A B B", "B AS v > A.v")}") { run =>
        source.add(Event.of("a1@1 b5@1 a2@2"))
        run.awaitRows("a,1,2")
        source.add(Event.of("b4@2 b9@3 a7@4"))
        run.awaitRows("a,1,2", "b,5,4", "b,4,9", "a,1,7")
        source.add(Event.of("b1@5"))
        run.awaitRows("a,1,2", "b,5,4", "b,4,9", "a,1,7", "b,9,1")
      }
    }
  }

  test("a query that is stopped in a batch repeats it, with the state before it", Slow) {
    inRealTime() {
      val source = events("1 day")
      val checkpoint = newDirectory()
      running(rises, checkpoint, "2 seconds") { run =>
        source.add(Event.of("a1@1 b5@1"))
        run.await("a batch")(run.ended > 0)
      }
      val (first, second) = (Seq("a,1,2", "b,4,9"), Seq("b,6,7"))
      running(rises, checkpoint) { run =>
        source.add(Event.of("a2@2 b4@2 b9@3"))
        run.awaitRows(first: _*)
      }
      running(rises, checkpoint) { run =>
        run.awaitRows(first: _*)
        source.add(Event.of("b6@4 b7@5"))
        run.awaitRows(first ++ second: _*)
      }
    }
  }

  test("a row out of order ends the query, or is dropped and counted") {
    inRealTime() {
      val source = events("1 day")
      running(rises) { run =>
        source.add(Event.of("a1@10 a2@12 a3@13"))
        run.awaitRows("a,1,2")
        source.add(Event.of("a4@9"))
        val e = failure(run.await("an error")(false))
        assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_OUT_OF_ORDER] The partition g = a "))
      }
    }
    inRealTime(OutOfOrder.key -> "drop") {
      val source = events("1 day")
      running(rises, batch = "3 seconds") { run =>
        source.add(Event.of("a1@10 a9@9 a2@12"))
        run.awaitRows("a,1,2")
        def dropped: Long = run.query.recentProgress
          .flatMap(_.stateOperators.headOption)
          .map(_.customMetrics.get("rowsDroppedOutOfOrder").longValue)
          .sum
        run.await("a count")(dropped == 1)
      }
    }
  }

  test("a batch that fails leaves the state before it, and is repeated") {
    inRealTime() {
      val source = events("1 day")
      val checkpoint = newDirectory()
      running(rises, checkpoint, "2 seconds") { run =>
        source.add(Event.of("a5@10"))
        run.await("a batch")(run.ended > 0)
      }
      running(rises, checkpoint) { run =>
        source.add(Event.of("a1@11 a7@12 a2@13"))
        run.awaitRows("a,1,7")
        source.add(Event.of("a4@9"))
        val e = failure(run.await("an error")(false))
        assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_OUT_OF_ORDER]"))
      }
      // With the state of the failed batch the row of second 11 would be out of order, too.
      withConf(OutOfOrder.key -> "drop")(running(rises, checkpoint) { run =>
        run.awaitRows("a,1,7")
        source.add(Event.of("a3@14"))
        run.awaitRows("a,1,7", "a,2,3")
      })
    }
  }

  test("what the watermark decides is returned at the start of a batch, and no state is left") {
    inRealTime() {
      val absent = clause(
        "A B",
        "A AS v = 1, B AS v = 2",
        "ONE ROW PER MATCH SHOW TIMEOUT MATCHES",
        "WITHIN INTERVAL 5 SECONDS"
      )
      val source = events("0 seconds")
      running(absent, batch = "4 seconds") { run =>
        source.add(Event.of("a1@1 b1@2 b2@3 c7@60"))
        run.awaitRows("b,1,2", "a,1,1")
        val (timeout, _) = run.numbered.last
        assert(timeout > run.numbered.head._1)
        // Not at its end.
        assert(run.ended == timeout)
        source.add(Event.of("c7@90"))
        def keys: Long =
          run.query.lastProgress.stateOperators.head.customMetrics.get("keysWithState").longValue
        run.await("no state")(run.ended > timeout + 1 && keys == 0)
      }
    }
  }
}
