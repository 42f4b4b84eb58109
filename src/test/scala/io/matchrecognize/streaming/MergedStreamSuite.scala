package io.matchrecognize.streaming

import io.matchrecognize.conf.MatchRecognizeConf.InputOrder

/** Clauses of a UNION ALL over one stream, which one operator searches. */
class MergedStreamSuite extends StreamSuite {
  private def clause(
      name: String,
      pattern: String = "(A B+) WITHIN INTERVAL 6 SECONDS",
      define: String = "B AS v > PREV(v)",
      measures: String = "FIRST(v) AS f, LAST(v) AS l, COUNT(*) AS n",
      select: String = "g, f, l, n",
      keys: String = "PARTITION BY g ORDER BY ts",
      from: String = "s",
      rest: String = ""
  ): String = s"""SELECT '$name' AS p, $select FROM $from MATCH_RECOGNIZE ($keys
    MEASURES $measures PATTERN $pattern DEFINE $define) AS m $rest"""

  private def union(branches: String*): String = branches.mkString("\nUNION ALL\n")

  private val batches =
    Seq("a1@1 a2@2 b3@1 a4@3", "b5@6 a6@4.5 c7@5 b8@5 a9@7 c2@8 c3@7", "a1@9 b5@9.5 b1@10 b2@11")
  // The watermark passes all limits.
  private val end = Seq("z0@100", "z1@200")

  private def others(rows: Seq[String]): Seq[String] = rows.filterNot(_.contains(",z")).sorted

  /** The rows of the table, the rows of a stream, and its operators. */
  private def compare(sql: String, operators: Int, confs: (String, String)*): Unit =
    withConf(confs :+ "spark.sql.shuffle.partitions" -> "2": _*) {
      val session = spark
      import session.implicits._
      (batches ++ end).flatMap(Event.of).toDS().createOrReplaceTempView("s")
      val expected = others(rows(sql).map(shown))
      assert(expected.nonEmpty)
      val inOrder = confs.contains(InputOrder.key -> "arrival")
      Seq(Nil -> operators, Seq(apart) -> sql.split("MATCH_RECOGNIZE").length.-(1)).foreach {
        case (conf, count) =>
          val source = newSource()
          view(source, "1 second")
          val checkpoint = newDirectory()
          withConf(conf: _*) {
            val found = (batches ++ end).zipWithIndex.flatMap { case (events, i) =>
              run(sql, Seq(source), checkpoint) { run =>
                val arriving = Event.of(events)
                run.add(source, (if (inOrder) arriving.sortBy(_.ts.get.getTime) else arriving): _*)
                assert(run.operators.length == count, s"$i: $sql")
                run.taken()
              }
            }
            assert(others(found) == expected, s"$conf: $sql")
          }
      }
    }

  private val rules = union(
    clause("up"),
    clause("down", define = "B AS v < PREV(v)"),
    clause("three", "(A B C)", "A AS v > 1, B AS v > 2, C AS v > 3"),
    clause("last", "(A B) WITHIN INTERVAL 3 SECONDS", "A AS v > PREV(v), B AS v < 9"),
    clause("numbered", "(A B)", "A AS v > 2", measures = "v AS f, MATCH_NUMBER() AS l, 1L AS n")
  )

  test("by watermark")(compare(rules, 1))

  test("in the order of arrival")(compare(rules, 1, InputOrder.key -> "arrival"))

  test("RocksDB")(compare(rules, 1, ProviderKey -> rocksDb))

  test("views, queries of WITH, columns and filters above, timeouts, each row") {
    val created = "CREATE OR REPLACE TEMP VIEW found AS SELECT p, n, g FROM " +
      s"(${clause("viewed", "(A+) WITHIN INTERVAL 3 SECONDS", "A AS v > 2")})"
    val timeouts = "ONE ROW PER MATCH SHOW TIMEOUT MATCHES"
    val sql = s"""WITH w AS (${clause("with", "(A B)", "B AS v > A.v + 1")})
      SELECT p, g, n FROM w WHERE f BETWEEN 0 AND 4 UNION ALL
      SELECT * FROM (SELECT p, g, n + 0.5 FROM w UNION ALL SELECT p, g, n FROM found) UNION ALL
      SELECT p, g, n + 1 FROM (${clause("late", "(A B C)", "A AS v > 3, C AS v > 7")
        .replace("PATTERN", s"$timeouts PATTERN")
        .replace("C)", "C) WITHIN INTERVAL 4 SECONDS")}) UNION ALL
      SELECT p, g, v FROM (${clause("rows", "(A B)", "A AS v = 1", select = "g, v")
        .replace("PATTERN", "ALL ROWS PER MATCH PATTERN")})"""
    val source = newSource()
    view(source, "1 second")
    spark.sql(created)
    val session = spark
    import session.implicits._
    run(sql, Seq(source)) { run =>
      val found = (batches ++ end).flatMap { events =>
        run.add(events)
        assert(run.operators.length == 1)
        run.taken()
      }
      (batches ++ end).flatMap(Event.of).toDS().createOrReplaceTempView("s")
      spark.sql(created)
      assert(others(found) == others(rows(sql).map(shown)))
    }
  }

  test("what is one input") {
    def count(sql: String, sources: (String, String)*): Int = {
      val source = newSource()
      view(source, "1 second")
      view(source, "", "unmarked")
      sources.foreach { case (name, delay) => view(newSource(), delay, name) }
      run(sql, Seq(source)) { run =>
        run.add("a1@1 a2@2")
        run.operators.length
      }
    }
    def over(from: String*) =
      union(from.zipWithIndex.map { case (input, i) => clause(s"r$i", from = input) }: _*)
    assert(count(over("s", "s AS t", "(SELECT * FROM s)")) == 1)
    assert(count(s"WITH w AS (SELECT g, ts, v + 1 AS v FROM s) ${over("w", "w")}") == 1)
    assert(count(over("s", "other"), "other" -> "1 second") == 2)
    assert(count(over("s", "(SELECT * FROM s WHERE v > 2)")) == 2)
    withConf("spark.matchRecognize.stream.defaultWatermarkDelay" -> "2 seconds") {
      assert(count(over("unmarked", "unmarked")) == 1)
    }
    val keys = Seq("PARTITION BY g ORDER BY ts", "PARTITION BY g ORDER BY ts, v")
    assert(count(union(keys.map(k => clause("k", keys = k)): _*)) == 2)
    val times = Seq("MATCH_ROWTIME()", "FIRST(ts)").map { time =>
      clause("t", measures = s"$time AS f, 1 AS l, 1 AS n")
    }
    assert(count(union(times: _*)) == 2)
  }

  test("the clock of a micro-batch, above a clause and in one") {
    val past = "TIMESTAMP '2020-01-01'"
    val sql = s"""SELECT p, n FROM (${clause("filter")}) WHERE current_timestamp() > $past UNION ALL
      SELECT p, IF(now() > $past, n, 0) FROM (${clause("column")}) UNION ALL
      SELECT p, IF(f > $past, n, 0)
      FROM (${clause("measure", measures = "MATCH_PROCTIME() AS f, 1 AS l, COUNT(*) AS n")})"""
    stream(sql, "0 seconds") { run =>
      run.add("a1@1 a2@2")
      run.add("a3@3 a1@4")
      run.add("b1@9")
      assert(run.operators.length == 1)
      assert(run.taken() == Seq("column,3", "filter,3", "measure,3"))
    }
  }

  test("a window above has the least watermark") {
    val bounds = Seq("4 SECONDS", "20 SECONDS").map { bound =>
      clause(
        bound,
        s"(A B) WITHIN INTERVAL $bound",
        "B AS v > A.v",
        "MATCH_ROWTIME() AS f, 1 AS l, 1 AS n"
      )
    }
    val sql = s"""SELECT p, window.start, count(*) FROM (${union(bounds: _*)})
      GROUP BY p, window(f, '5 seconds')"""
    stream(sql, "0 seconds") { run =>
      run.add("a1@1 a2@2")
      run.add("b1@20")
      assert(run.taken().isEmpty)
      run.add("b1@32")
      assert(run.taken() == Seq("20 SECONDS,0,1", "4 SECONDS,0,1"))
      assert(run.operators.length == 2)
    }
  }

  test("progress, plan and errors name a pattern") {
    stream(rules, "0 seconds") { run =>
      run.add("a1@1 a2@2 a5@3 a6@4")
      run.add("z0@20")
      assert(run.total("matches of pattern 3 ('three')") == 1)
      assert(run.total("matches of pattern 2 ('down')") == 0)
      assert(run.total("matches") == run.taken().length)
      assert(run.plan.simpleString(25).contains("of 5 patterns, 8 conditions"))
      assert(run.plan.verboseStringWithOperatorId().contains("pattern 4 ('last')"))
    }
    val failing = union(clause("one"), clause("two", define = "B AS 1 DIV (v - PREV(v)) > 0"))
    val e = failure(stream(failing, "0 seconds")(_.add("a1@1 a1@2 a1@9")))
    assert(e.getMessage.contains("in partition g = a of pattern 2 ('two')"), e.getMessage)
  }

  test("the limit on rows names the pattern that holds them") {
    withConf("spark.matchRecognize.stream.maxRowsPerPartition" -> "3") {
      val sql =
        union(clause("short", "(A B)"), clause("long", "(A X* B)", "A AS v = 1, B AS v = 9"))
      val e = failure(stream(sql, "0 seconds") { run =>
        run.add("a0@1 a1@2 a2@3 a3@4 a4@5")
        run.add("a5@6")
      })
      assert(e.getMessage.contains("`A X* B`"), e.getMessage)
      assert(e.getMessage.contains("of pattern 2 ('long')"), e.getMessage)
    }
  }

  test("a clause that neither waits nor is opened has no state") {
    def bytes(sql: String): Long = stream(sql, "0 seconds") { run =>
      run.add("a1@1 b1@1 c1@1")
      run.add("z0@2")
      run.metric("stateBytes")
    }
    def rule(v: Int) = clause("r", "(A X*? B)", s"A AS v = $v, B AS v = 100")
    val idle = (10 until 20).map(rule)
    // The number of the waiting one is another, no more.
    assert(bytes(union(idle :+ rule(1): _*)) == bytes(union(rule(1), rule(2))))
  }

  private def restarted(first: String, second: String)(conf: (String, String)*): String = {
    val source = newSource()
    view(source, "1 second")
    val checkpoint = newDirectory()
    run(first, Seq(source), checkpoint)(_.add("a1@1 a2@2 b3@4"))
    withConf(conf: _*) {
      val e = intercept[Exception](run(second, Seq(source), checkpoint)(_.add("a3@5")))
      Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).toSeq.last.getMessage
    }
  }

  test("a checkpoint of another list of patterns is refused") {
    val two = union(clause("one"), clause("two", "(A B)"))
    assert(
      restarted(two, union(clause("1"), clause("2", "(A B B)", rest = "WHERE n > 2")))()
        .contains("PATTERN of pattern 2 (`A B`, now `A B B`)")
    )
    val mismatch = "[MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.PATTERNS]"
    val others = Seq(
      restarted(two, clause("one"))() -> "2 patterns together, those of this query 1",
      restarted(two, union(two, clause("three")))() -> "2 patterns together, those of this query 3",
      restarted(two, two)(apart) -> "2 patterns together, those of this query 1 + 1"
    )
    others.foreach { case (message, text) =>
      assert(message.startsWith(mismatch) && message.contains(text), message)
    }
    withConf(apart) {
      val message = restarted(two, two)("spark.sql.optimizer.excludedRules" -> "")
      assert(message.contains("1 + 1 patterns together, those of this query 2"), message)
    }
  }

  test("operators that are named twice, or return nothing, are no other list of patterns") {
    val timed = "MATCH_ROWTIME() AS f, LAST(v) AS l, 1L AS n"
    val joined = s"""WITH w AS (${clause("w", measures = timed)})
      SELECT a.p, b.n FROM w a JOIN w b ON a.g = b.g AND a.f = b.f UNION ALL
      SELECT p, n FROM (${clause("none")}) WHERE 1 = 2"""
    Seq(joined, s"$joined UNION ALL SELECT p, n FROM (${clause("one")})").foreach { sql =>
      val source = newSource()
      view(source, "1 second")
      val checkpoint = newDirectory()
      Seq("a1@1 a2@2 b3@4", "a3@9").foreach(rows => run(sql, Seq(source), checkpoint)(_.add(rows)))
    }
  }
}
