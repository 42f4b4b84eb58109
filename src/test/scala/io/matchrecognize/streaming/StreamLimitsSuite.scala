package io.matchrecognize.streaming

import org.apache.spark.sql.streaming.StreamingQueryException

import io.matchrecognize.Sampled
import io.matchrecognize.conf.MatchRecognizeConf.InputOrder
import io.matchrecognize.streaming.operator.StreamMatchRecognizeExec

/** The limits on a stream's state: each ends in an error or in a counted drop. */
class StreamLimitsSuite extends StreamSuite {
  private val prefix = "spark.matchRecognize.stream"
  private val pairs = """SELECT * FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts MEASURES A.v AS a, B.v AS b PATTERN (A B))"""

  test("beyond the limit on pending rows the oldest are handed on, counted, never out of order") {
    withConf(s"$prefix.maxPendingRows" -> "4", "spark.sql.shuffle.partitions" -> "1") {
      stream(pairs, "1 hour") { run =>
        run.add("a1@1 a2@2 a3@3 a4@4")
        assert(run.taken().isEmpty && run.metric("pendingRows") == 4)
        run.add("a6@6 a5@5")
        assert(run.taken() == Seq("a,1,2"))
        assert(run.total("rowsHandedOnEarly") == 2)
        assert(run.metric("pendingRows") == 4)
        // Older than what was handed on: late.
        run.add("a9@2 a7@1.5")
        assert(run.lateRows == 2)
        run.add("a7@7 a8@8")
        assert(run.taken() == Seq("a,3,4"))
        assert(run.total("rowsHandedOnEarly") == 4)
        assert(run.metric("pendingRows") == 4)
      }
    }
  }

  test("a search that takes too long ends the query") {
    val unlimited = Seq("maxStepsPerMatch" -> "0", "maxPathBytes" -> "8g").map {
      case (name, value) => s"spark.matchRecognize.$name" -> value
    }
    val limited = unlimited :+ "spark.matchRecognize.maxSearchTime" -> "100ms"
    withConf(limited :+ InputOrder.key -> "arrival": _*) {
      val slow = """SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
        MEASURES COUNT(*) AS n PATTERN ((A | B)* C)
        DEFINE A AS SUM(A.v) >= 0, C AS SUM(A.v) = -1)"""
      val source = newSource()
      view(source, "0 seconds")
      run(slow, Seq(source)) { run =>
        val rows = (1 to 20000).map(i => Event("a", i / 10.0, i))
        val error = intercept[StreamingQueryException](run.add(source, rows: _*))
        val texts = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null)
        val text =
          texts.map(_.getMessage).find(_.startsWith("[MATCH_RECOGNIZE_LIMIT_EXCEEDED.TIME]"))
        assert(text.exists(_.contains("partition g = a has taken 100 ms")))
      }
    }
  }

  test("too many rows of one partition end the query") {
    withConf(s"$prefix.maxRowsPerPartition" -> "5") {
      val sql = """SELECT * FROM s MATCH_RECOGNIZE (
        PARTITION BY g ORDER BY ts MEASURES ARRAY_AGG(v) AS a PATTERN (A+ B)
        DEFINE A AS v < 9, B AS v = 9)"""
      stream(sql, "0 seconds") { run =>
        run.add("a1@1 a1@2 a1@3 a1@4 a1@5 b0@6 b0@7")
        val e = failure(run.add("a1@7 a1@8 b0@10"))
        assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_LIMIT_EXCEEDED.PARTITION_ROWS]"))
        assert(e.getMessage.contains("rows of partition g = a, the limit is 5"))
        assert(e.getMessage.contains(s""""$prefix.maxRowsPerPartition" = 5"""))
      }
    }
  }

  test("too many keys with endless state end the query") {
    withConf(s"$prefix.maxStateKeys" -> "3", "spark.sql.shuffle.partitions" -> "1") {
      val sql = """SELECT * FROM s MATCH_RECOGNIZE (
        PARTITION BY g ORDER BY ts MEASURES MATCH_NUMBER() AS n PATTERN (A B))"""
      stream(sql, "0 seconds") { run =>
        run.add("a1@1 a1@2 b1@3 b1@4 x1@5")
        val e = failure(run.add("c1@6 c1@7 x1@10"))
        assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_LIMIT_EXCEEDED.STATE_KEYS]"))
        assert(e.getMessage.contains("MATCH_NUMBER keeps state for 4 partition keys"))
      }
      // Without such a construct, keys are not limited.
      stream(pairs, "0 seconds") { run =>
        run.add("a1@1 b1@3 c1@4 d1@4 x1@5")
        run.add("x1@10")
        assert(run.taken().nonEmpty)
      }
    }
  }

  Sampled.oneIn(2, Seq("watermark", "arrival")).foreach { order =>
    test(s"MATCH_NUMBER keeps no key that had no match: $order") {
      withConf(
        s"$prefix.inputOrder" -> order,
        s"$prefix.maxStateKeys" -> "6",
        "spark.sql.shuffle.partitions" -> "1"
      ) {
        val sql = """SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
          MEASURES MATCH_NUMBER() AS n, LAST(v) AS b PATTERN (A B) DEFINE A AS v = 1)"""
        stream(sql, "0 seconds") { run =>
          run.add("a1@1 a2@2 x0@3")
          run.add("b0@4 c0@4 x0@5")
          run.add("d0@6 e0@6 x0@7")
          val whole = run.metric("stateBytes")
          run.add("f0@8 g0@8 x0@9")
          assert(run.taken() == Seq("a,1,2"))
          run.add("a1@10 a3@11 h0@11 x0@20")
          assert(run.taken() == Seq("a,2,3"))
          assert(run.metric("keysWithState") == 1)
          assert(run.metric("stateBytes") <= whole)
        }
      }
    }
  }

  test("the ORDER BY values of a key's last row go with the watermark, whatever else stays") {
    withConf(s"$prefix.inputOrder" -> "arrival", "spark.sql.shuffle.partitions" -> "1") {
      val sql = """SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
        MEASURES PREV(A.v) AS p PATTERN (A B) DEFINE A AS v = 1)"""
      stream(sql, "10 seconds") { run =>
        run.add("a0@1")
        val kept = run.metric("stateBytes")
        run.add("x0@30")
        run.add("x0@60")
        assert(run.metric("keysWithState") == 2 && run.metric("stateBytes") < 2 * kept)
      }
    }
  }

  test("what can hold rows for ever is named") {
    def warnings(pattern: String, define: String, within: String = ""): Seq[String] = {
      val sql = s"""SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
        MEASURES COUNT(*) AS n PATTERN ($pattern) $within DEFINE $define)"""
      stream(sql) { run =>
        run.add("a1@1")
        run.plan.asInstanceOf[StreamMatchRecognizeExec].startWarnings
      }
    }
    assert(warnings("A B* C", "C AS v = 9").exists(_.contains("B takes every row")))
    assert(warnings("A (B | D)+ C", "D AS v = 1, C AS v = 9").exists(_.contains("B takes")))
    assert(warnings("A B* C", "B AS v < 9, C AS v = 9").isEmpty)
    assert(warnings("A B*? C", "C AS v = 9").isEmpty)
    assert(warnings("A B* C", "C AS v = 9", "WITHIN INTERVAL 1 HOUR").isEmpty)
    assert(warnings("A B* C", "C AS v = 9 AND ts <= A.ts + INTERVAL 1 HOUR").isEmpty)
    assert(warnings("A B* C?", "C AS v = 9 AND ts <= A.ts + INTERVAL 1 HOUR").nonEmpty)
    val kept = warnings("^ A C", "A AS v > PREV(v), C AS v > PREV(v)")
    assert(kept.length == 1 && kept.head.startsWith("^, PREV: "))
    assert(!warnings("A??", "A AS v < NEXT(A.v, 2)").exists(_.contains("PREV")))
    val numbered = warnings("A C", "C AS v > MATCH_NUMBER()")
    assert(numbered.head.startsWith("MATCH_NUMBER: the stream keeps a little state of every "))
    assert(numbered.head.contains(" partition with a match forever"))
    val waiting = warnings("A C", "C AS v > 1 AND NEXT(v) > v", "WITHIN INTERVAL 1 HOUR")
    assert(waiting.length == 1 && waiting.head.startsWith("NEXT: "))
  }
}
