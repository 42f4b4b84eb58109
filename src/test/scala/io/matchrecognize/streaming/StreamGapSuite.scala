package io.matchrecognize.streaming

import java.nio.file.{Files, Paths}
import java.sql.Timestamp

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{Dataset, Row}

import io.matchrecognize.Sampled
import io.matchrecognize.conf.MatchRecognizeConf.InputOrder
import io.matchrecognize.streaming.operator.StreamMatchRecognizeExec

/** A loop whose condition bounds the time of the next row ends once the watermark has passed it. */
class StreamGapSuite extends StreamSuite {
  private val gap = "INTERVAL 10 SECONDS"

  private def clause(
      pattern: String,
      define: String,
      rows: String = "ONE ROW PER MATCH",
      within: String = "",
      columns: String = "FIRST(v) AS a, LAST(v) AS z, COUNT(*) AS n"
  ): String =
    s"""SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
       |  MEASURES $columns $rows PATTERN ($pattern) $within DEFINE $define)""".stripMargin

  private val orders = Seq("watermark", "arrival")
  private var turn = 0

  /** By watermark, and in the order of arrival; in `make test` by one of them, in turn. */
  private def inOrders(body: => Unit): Unit = {
    turn += 1
    (if (Sampled.all) orders else orders.slice(turn % 2, turn % 2 + 1)).foreach { order =>
      withConf(InputOrder.key -> order, "spark.sql.session.timeZone" -> "UTC")(body)
    }
  }

  private def keys(run: Run): Long = run.metric("keysWithState")

  test("a session ends by its gap, and leaves no state") {
    val all = Seq(
      s"ts <= PREV(ts) + $gap",
      s"PREV(ts) + $gap >= ts",
      s"ts - PREV(ts) <= $gap",
      s"PREV(ts) - ts >= INTERVAL '-10' SECOND",
      s"ts - $gap <= LAST(ts, 1)",
      s"NOT (ts > PREV(ts) + $gap)",
      s"ts BETWEEN PREV(ts) AND PREV(ts) + $gap",
      s"ts <= coalesce(LAST(M.ts, 1), S.ts) + $gap",
      s"PREV(v) IS NULL OR ts <= PREV(ts) + $gap",
      s"v >= 0 AND unix_micros(ts) - unix_micros(PREV(ts)) < 10000001"
    )
    inOrders {
      Sampled.oneIn(5, all).foreach { bound =>
        stream(clause("S M*", s"M AS $bound"), "0 seconds") { run =>
          run.add("a1@1 a2@5 b3@6 a4@12")
          assert(run.taken().isEmpty, bound)
          // Sixteen ends the session of b, not the one of a.
          run.add("x0@16")
          assert(run.taken() == Seq("b,3,3,1"), bound)
          run.add("x0@21.9")
          assert(run.taken().isEmpty, bound)
          run.add("x0@22")
          assert(run.taken() == Seq("a,1,4,3"), bound)
          assert(run.metric("openAttempts") == 1, bound)
          run.add("x0@90")
          assert(run.taken() == Seq("x,0,0,3"), bound)
          run.add("x1@200 x1@300")
          assert(run.taken() == Seq("x,0,0,1", "x,1,1,1"), bound)
        }
      }
    }
  }

  test("strict bounds, a bound by the first row, by rows of a variable, equal times") {
    inOrders {
      stream(clause("S M*", s"M AS ts < PREV(ts) + $gap"), "0 seconds") { run =>
        run.add("a1@1 a1@1 x0@11")
        // Eleven is not within, so nothing after the microsecond before it is.
        assert(run.taken() == Seq("a,1,1,2"))
      }
      Seq(s"ts <= FIRST(ts) + $gap", s"ts <= S.ts + $gap").foreach { bound =>
        stream(clause("S M*", s"M AS $bound"), "0 seconds") { run =>
          run.add("a1@1 a2@9 x0@10.9")
          assert(run.taken().isEmpty)
          run.add("x0@11")
          assert(run.taken() == Seq("a,1,2,2") && keys(run) == 1)
        }
      }
      // Before there are four rows FIRST(ts, 3) has no row, and PREV of it no value.
      val far = "coalesce(PREV(FIRST(ts, 3), 3), TIMESTAMP '2030-01-01')"
      Seq("FIRST(ts, 3)" -> true, far -> false).foreach { case (from, ends) =>
        stream(clause("S M*", s"M AS ts <= $from + $gap"), "0 seconds") { run =>
          run.add("a1@1 x0@30")
          assert(run.taken().contains("a,1,1,1") == ends, from)
        }
      }
      // It moves with B only.
      val define = s"B AS v = 2 AND ts <= A.ts + $gap, C AS v = 3 AND ts <= LAST(B.ts) + $gap"
      stream(clause("A B (B | C)*", define), "0 seconds") { run =>
        run.add("a1@1 a2@5 a3@12 x0@14.9")
        assert(run.taken().isEmpty)
        run.add("x0@15")
        assert(run.taken() == Seq("a,1,3,3"))
      }
    }
  }

  test("a loop in the middle ends the attempt if each next variable has a bound") {
    val within = s"ts <= PREV(ts) + $gap"
    inOrders {
      stream(clause("S M* E", s"S AS v = 1, M AS v = 2 AND $within, E AS v = 3 AND $within")) {
        run =>
          run.add("a1@1 a2@9 b1@5 x0@30")
          assert(run.taken().isEmpty && keys(run) <= 1)
      }
      stream(clause("S M* E", s"S AS v = 1, M AS v = 2 AND $within, E AS v = 3")) { run =>
        run.add("a1@1 a2@9 b1@5 x0@300")
        assert(run.metric("openAttempts") == 2)
      }
    }
  }

  test("attempts of many start rows end together") {
    val within = s"v > 0 AND ts <= PREV(ts) + $gap"
    inOrders {
      stream(clause("S M* E", s"S AS v > 0, M AS $within, E AS v = 9 AND $within"), "0 seconds") {
        run =>
          (0 until 3).foreach { i =>
            run.add((i * 400 until i * 400 + 400).map(n => s"a1@$n").mkString(" "))
          }
          assert(run.metric("rowsInState") == 1200)
          run.add("x0@2000")
          assert(run.taken().isEmpty && run.metric("rowsInState") == 0)
      }
    }
  }

  test("ALL ROWS, unmatched rows and SKIP TO NEXT ROW") {
    val define = s"S AS v > 0, M AS ts <= PREV(ts) + $gap"
    inOrders {
      val all = "ALL ROWS PER MATCH WITH UNMATCHED ROWS"
      stream(clause("S M+", define, all, columns = "COUNT(*) AS n"), "0 seconds") { run =>
        run.add("a1@1 a2@5 b1@5 x0@15")
        assert(run.taken() == Seq("a,1,1,1", "a,5,2,2", "b,5,null,1", "x,15,null,0"))
      }
      val next = "ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW"
      stream(clause("S M*", define, next), "0 seconds") { run =>
        run.add("a1@1 a2@5 a3@9 x0@19")
        assert(run.taken() == Seq("a,1,3,3", "a,2,3,2", "a,3,3,1"))
      }
    }
  }

  test("WITHIN and a gap: the earlier one; a path times out by WITHIN only") {
    val define = s"S AS v = 1, M AS v = 2 AND ts <= PREV(ts) + $gap"
    val rows = "ONE ROW PER MATCH SHOW TIMEOUT MATCHES"
    inOrders {
      stream(clause("S M*", define, rows, "WITHIN INTERVAL 30 SECONDS"), "0 seconds") { run =>
        run.add("a1@1 a2@5 x0@15")
        assert(run.taken() == Seq("a,1,2,2"))
      }
      val pattern = s"$define, E AS v = 3 AND ts <= PREV(ts) + $gap"
      stream(clause("S M* E", pattern, rows, "WITHIN INTERVAL 30 SECONDS"), "0 seconds") { run =>
        // A row of a after the gap would end the attempt without a timeout, as on a table.
        run.add("a1@1 a2@5 b1@1 x0@20")
        assert(run.taken().isEmpty)
        run.add("b0@25 x0@31")
        assert(run.taken() == Seq("a,1,2,2"))
      }
    }
  }

  test("a key that waits for a row of NEXT is not read again once its bound has passed") {
    val sql = clause("A+ B", "A AS v > 1, B AS NEXT(v) < v", within = "WITHIN INTERVAL 1 HOUR")
    def updates(events: String): Long = stream(sql, "0 seconds") { run =>
      Seq(s"$events x0@2", "x0@7200", "x0@7300").foreach(run.add)
      run.operators.head.numRowsUpdated
    }
    assert(updates("a5@1") == updates("a1@1"))
  }

  test("NULL bounds, months, zones whose clocks change") {
    inOrders {
      val interval = "make_dt_interval(0, 0, 0, nullif(S.v, 1))"
      stream(clause("S M*", s"M AS ts <= PREV(ts) + $interval"), "0 seconds") { run =>
        run.add("a1@1 b5@1 x0@2")
        assert(run.taken().contains("a,1,1,1"))
      }
      withConf("spark.sql.session.timeZone" -> "America/New_York") {
        val hour = 3600
        Seq(
          ("ts <= PREV(ts) + INTERVAL '1' MONTH", 31 * 24),
          // By the clocks: more than a day may be elapsed.
          ("ts - PREV(ts) <= INTERVAL '1' DAY", 25),
          ("PREV(ts) - ts >= INTERVAL '-1' DAY", 25),
          ("ts <= PREV(ts) + INTERVAL '1' DAY", 24)
        ).foreach { case (bound, hours) =>
          stream(clause("S M*", s"M AS $bound"), "0 seconds") { run =>
            run.add(s"a1@0 x0@${hours * hour - 1}")
            assert(run.taken().isEmpty, bound)
            run.add(s"x0@${(hours + 12) * hour}")
            assert(run.taken().contains("a,1,1,1"), bound)
          }
        }
      }
    }
  }

  test("restarts between the rows of a session, and after its gap") {
    Sampled.oneIn(2, Seq(hdfs, rocksDb)).foreach { provider =>
      withConf(ProviderKey -> provider) {
        inOrders {
          val source = newSource()
          view(source, "0 seconds")
          val checkpoint = newDirectory()
          def next(events: String): Seq[String] =
            run(clause("S M*", s"M AS ts <= PREV(ts) + $gap"), Seq(source), checkpoint) { run =>
              run.add(events)
              run.taken()
            }
          assert(next("a1@1 a2@5 x0@6") == Nil)
          assert(next("a3@14 x0@23.9") == Seq("x,0,0,1"))
          assert(loseCommit(checkpoint))
          assert(next("x0@24").contains("a,1,3,3"))
          assert(next("a4@30 x0@40") == Seq("a,4,4,1", "x,0,0,2"))
        }
      }
    }
  }

  test("runs every night return each session once its gap is over") {
    val random = new Random(7)
    val folder = newDirectory()
    Files.createDirectory(Paths.get(folder, "visits"))
    withConf("spark.sql.shuffle.partitions" -> "1", "spark.sql.session.timeZone" -> "UTC") {
      val minute = 60L
      val schema = "g STRING, ts TIMESTAMP"
      spark.readStream
        .schema(schema)
        .csv(s"$folder/visits")
        .withWatermark("ts", "10 minutes")
        .createOrReplaceTempView("s")
      val sessions = """SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
        MEASURES FIRST(ts) AS since, LAST(ts) AS until, COUNT(*) AS n
        PATTERN (S M*) DEFINE M AS ts <= PREV(ts) + INTERVAL '30' MINUTE)"""
      val got = mutable.ArrayBuffer.empty[Row]
      var watermark = ""
      val day = 24 * 60 * minute
      val nights = Sampled.size(22, 8)
      // Some sessions go on after midnight.
      val visits = for {
        begin <- Seq.fill(nights * 12)(random.nextLong(nights * day - 50 * minute))
        visitor = random.nextInt(150)
        at <- Seq.fill(1 + random.nextInt(6))(random.nextLong(50 * minute))
      } yield (begin + at, visitor)
      visits.groupBy(_._1 / day).toSeq.sortBy(_._1).foreach { case (night, rows) =>
        val lines = rows.map { case (at, g) => s"v$g,${new Timestamp(at * 1000).toInstant}" }
        Files.writeString(Paths.get(folder, "visits", s"$night.csv"), lines.mkString("\n"))
        val query = spark
          .sql(sessions)
          .writeStream
          .option("checkpointLocation", s"$folder/checkpoint")
          .trigger(Trigger.AvailableNow())
          .foreachBatch((batch: Dataset[Row], _: Long) => got ++= batch.collect(): Unit)
          .start()
        query.awaitTermination()
        watermark = query.lastProgress.eventTime.get("watermark")
      }
      spark.read.schema(schema).csv(s"$folder/visits").createOrReplaceTempView("s")
      val late = s"until + INTERVAL '30' MINUTE <= TIMESTAMP '$watermark'"
      val expected = spark.sql(s"SELECT * FROM ($sessions) WHERE $late").collect()
      assert(got.map(_.toString).sorted == expected.map(_.toString).toSeq.sorted)
      assert(expected.length > Sampled.size(200, 70))
    }
  }

  test("the log and EXPLAIN name the bound, or the variable without one") {
    def texts(pattern: String, define: String, within: String = ""): (Boolean, Seq[String]) =
      stream(clause(pattern, define, within = within)) { run =>
        run.add("a1@1")
        val exec = run.plan.asInstanceOf[StreamMatchRecognizeExec]
        val lines = exec.verboseStringWithOperatorId().linesIterator
        (lines.exists(_.startsWith("Deadline: ")), exec.startWarnings)
      }
    assert(texts("S M*", s"M AS ts <= PREV(ts) + $gap") == (true, Nil))
    assert(texts("S M{1,5}", s"M AS v > 0 AND ts - FIRST(ts) < $gap") == (true, Nil))
    assert(!texts("S M+", "M AS ts < current_timestamp()")._1)
    assert(texts("S M*?", "M AS v > 0") == (false, Nil))
    assert(texts("S M* E", "M AS v > 0, E AS v = 0") == (false, Nil))
    assert(texts("S M*", "M AS v > 0", "WITHIN INTERVAL 1 HOUR") == (false, Nil))
    assert(texts("S M*", "M AS v > 0") == (false, Seq(StreamGapSuite.warning)))
    assert(
      texts("S (M | `N 1`)*", s"M AS ts <= PREV(ts) + $gap, `N 1` AS v = 9")._2.head
        .matches("A match that N 1 could .* as in `N 1` AS .*")
    )
    val query = clause("S M*", "M AS v > 0").replace("'", "''")
    view(newSource(), "5 seconds")
    def lint(sql: String) =
      rows(s"SELECT * FROM match_recognize_warnings('$sql')").map(_.getString(0))
    assert(lint(query) == Seq(StreamGapSuite.warning))
    assert(lint(clause("S M*", s"M AS ts <= PREV(ts) + $gap").replace("'", "''")) == Nil)
    spark.sql("CREATE OR REPLACE TEMP VIEW s AS SELECT 'a' AS g, now() AS ts, 1 AS v")
    assert(lint(query) == Nil)
  }
}

private object StreamGapSuite {
  val warning
      : String = "A match that M could extend waits for the next row of its partition, however " +
    "late that is. Bound the time of such a row, as in M AS ts <= PREV(ts) + INTERVAL '30' MINUTE, " +
    "or add WITHIN."
}
