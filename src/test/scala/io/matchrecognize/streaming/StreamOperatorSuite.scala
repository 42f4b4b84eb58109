package io.matchrecognize.streaming

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.AnalysisException

import io.matchrecognize.Sampled
import io.matchrecognize.streaming.task.StreamMetrics

/** What a stream returns, and when, and what it reports. */
class StreamOperatorSuite extends StreamSuite {
  private val rise = """SELECT * FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts
    MEASURES FIRST(A.v) AS a, LAST(B.v) AS b, COUNT(*) AS n
    AFTER MATCH SKIP PAST LAST ROW
    PATTERN (A B{2})
    DEFINE B AS v > PREV(v))"""

  /** A, then rows that are not Z, until Z, within ten seconds. */
  private val bounded = """SELECT * FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts
    MEASURES FIRST(A.ts) AS first, COUNT(B.*) AS n, LAST(v) AS v
    ONE ROW PER MATCH SHOW TIMEOUT MATCHES
    PATTERN (A B* Z) WITHIN INTERVAL 10 SECONDS
    DEFINE A AS v = 1, B AS v BETWEEN 2 AND 8, Z AS v = 9)"""

  test("a measure is evaluated once the row that NEXT reads has come") {
    val quotient = """SELECT * FROM s MATCH_RECOGNIZE (
      PARTITION BY g ORDER BY ts
      MEASURES 12 DIV COALESCE(NEXT(A.v), 0) AS q
      PATTERN (A) DEFINE A AS v = 1)"""
    Seq(quotient, quotient.replace("PATTERN", "ALL ROWS PER MATCH PATTERN")).foreach { query =>
      stream(s"SELECT g, q FROM ($query)", "0 seconds") { run =>
        run.add("a1@0")
        assert(run.taken().isEmpty)
        run.add("a3@5")
        assert(run.taken() == Seq("a,4"))
      }
    }
  }

  Sampled.oneIn(2, Seq(hdfs, rocksDb)).foreach { provider =>
    val name = provider.split('.').last

    test(s"a match comes when the watermark has reached its last row: $name") {
      // Compiled, as others are not.
      val compiled = Seq("wholeStage" -> "true", "factoryMode" -> "FALLBACK")
        .map { case (key, value) => s"spark.sql.codegen.$key" -> value }
      withConf(compiled :+ (ProviderKey -> provider): _*) {
        stream(rise) { run =>
          run.add("a1@1 a2@2 a3@3 b5@1")
          assert(run.taken().isEmpty)
          run.add("a9@8")
          assert(run.taken() == Seq("a,1,3,3"))
          // Out of order, within the delay.
          run.add("b7@9 b6@6 a1@9.5")
          assert(run.taken().isEmpty)
          run.add("c0@20")
          assert(run.taken() == Seq("b,5,7,3"))
        }
      }
    }

    test(s"a deadline closes an attempt without a row of its key, and the state empties: $name") {
      withConf(ProviderKey -> provider) {
        stream(bounded, "0 seconds") { run =>
          run.add("a1@0 a2@3 b1@1")
          assert(run.taken().isEmpty)
          assert(run.metric("openAttempts") == 2)
          // The watermark is at 100 after the batch: a and b have timed out, c is open.
          run.add("c1@100")
          assert(run.taken() == Seq("a,0,1,2", "b,1,0,1"))
          assert(run.metric("keysWithState") == 1)
          assert(run.metric("openAttempts") == 1)
          assert(run.total("timedOutMatches") == 2)
          run.add("c9@105")
          run.add("d5@300")
          assert(run.taken() == Seq("c,100,0,9"))
          run.add("d5@301")
          run.add("d5@302")
          assert(run.total("matches") == 1)
          Seq("keysWithState", "openAttempts", "rowsInState").foreach { gauge =>
            assert(run.metric(gauge) == 0, gauge)
          }
        }
      }
    }
  }

  test("a named key is an output column and stands in MEASURES and DEFINE") {
    val sql = """SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY upper(g) AS name ORDER BY ts
      MEASURES LAST(name) AS last_name, COUNT(*) AS n
      PATTERN (A B) DEFINE A AS name = 'A' AND v = 1, B AS B.name = 'A' AND v = 2)"""
    stream(sql) { run =>
      run.add("a1@1 b1@1 a2@2 b2@2")
      run.add("c0@20")
      assert(run.taken() == Seq("A,A,2"))
    }
  }

  test("update mode gives the same, complete mode is refused") {
    stream(rise, mode = "update") { run =>
      run.add("a1@1 a2@2 a3@3 a0@20")
      assert(run.taken() == Seq("a,1,3,3"))
    }
    val e = intercept[AnalysisException](stream(rise, mode = "complete")(identity))
    assert(e.getCondition == "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION")
  }

  test("a row without time ends the query, or is dropped and counted") {
    val source = newSource()
    view(source, "5 seconds")
    run(rise, Seq(source)) { run =>
      val e = failure(run.add(source, Event("a", None, 1)))
      assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_INVALID_EVENT_TIME.NULL_VALUE]"))
      assert(e.getMessage.contains("`ts` is NULL"))
      val cure = "or set \"spark.matchRecognize.stream.nullEventTime\" = \"drop\" to drop"
      assert(e.getMessage.contains(cure))
    }
    withConf("spark.matchRecognize.stream.nullEventTime" -> "drop") {
      val other = newSource()
      view(other, "5 seconds")
      run(rise, Seq(other)) { run =>
        run.add(other, Event("a", 1, 1), Event("a", None, 1), Event("a", 2, 2), Event("a", 3, 3))
        run.add("b0@20")
        assert(run.taken() == Seq("a,1,3,3"))
        assert(run.total("rowsDroppedNullTime") == 1)
      }
    }
  }

  test("an error of an expression names the row at hand") {
    def message(sql: String, delay: String = "5 seconds"): String = {
      val source = newSource()
      view(source, delay)
      var text = ""
      run(sql, Seq(source)) { run =>
        run.add("a1@1 a2@2 b1@12")
        text = failure(run.add("a0@13 a4@14 b1@40")).getMessage
      }
      text
    }
    def clause(body: String) =
      s"SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts $body)"
    val start = "row 1 \\([^)]*:01\\)"
    val errors = Seq(
      "MEASURES 1 AS m PATTERN (A B+ C) DEFINE B AS 6 / v > 1" ->
        s"while testing row 3 \\([^)]*:13\\) as `B`, in the search from $start in partition g = a",
      "MEASURES 1 AS m PATTERN (A B+ C) DEFINE B AS 6 / v > 1 AND COUNT(B.*) > 0" ->
        s"while testing row 3 \\([^)]*:13\\) as `B`, in the search from $start in partition g = a",
      "MEASURES 6 / LAST(v) AS x PATTERN (A B{2})" ->
        s"while computing the measure `x` of match 1, which starts at $start, in partition g = a",
      "MEASURES 6 / v AS x ALL ROWS PER MATCH PATTERN (A B{2})" ->
        (s"while computing the measure `x` for row 3 \\([^)]*:13\\) of match 1, which starts at " +
          s"$start, in partition g = a")
    )
    Sampled.oneIn(2, errors).foreach { case (body, place) =>
      val text = message(clause(body))
      assert(s"== MATCH_RECOGNIZE ==\n$place\n".r.findFirstIn(text).nonEmpty, text)
    }
  }

  test("progress is under the operator's own name") {
    stream(rise) { run =>
      run.add("a1@1 a2@2 b5@1")
      assert(run.operators.map(_.operatorName) == Seq("matchRecognize"))
      assert(run.metric("pendingRows") == 3)
      assert(run.metric("stateBytes") > 0)
      run.add("a1@9")
      assert(run.metric("pendingRows") == 1)
      assert(run.metric("keysWithState") == 2)
      assert(run.metric("rowsInState") > 0)
      val names = run.operators.head.customMetrics.keySet.asScala
      assert(StreamMetrics.texts(Nil).map(_._1).toSet.subsetOf(names))
    }
  }

  test("a batch touches only the keys that got rows or whose deadline has come") {
    withConf(ProviderKey -> rocksDb) {
      stream(bounded, "0 seconds") { run =>
        val events = (1 to 500).map(i => Event(s"key$i", 100 + i / 1000.0, 1))
        run.add(run.sources.head, events: _*)
        assert(run.metric("keysWithState") == 500)
        run.add(run.sources.head, Event("key7", 101, 2))
        val reads = run.query.recentProgress
          .takeRight(2)
          .map(_.stateOperators.head.customMetrics.get("rocksdbGetCount").longValue)
        assert(run.metric("keysWithState") == 500)
        assert(reads.forall(_ <= 20), s"${reads.toSeq}")
      }
    }
  }

  test("the operator in EXPLAIN") {
    stream(bounded) { run =>
      run.add("a1@1")
      val node = run.plan
      val line = node.simpleString(100)
      assert(line.contains("MatchRecognize [g#"))
      assert(line.contains("(A B* Z)"))
      val lines = node.verboseStringWithOperatorId()
      assert(lines.contains("Pattern: (A B* Z)"))
      assert(lines.contains("Within: INTERVAL '10' SECOND"))
      assert(node.canonicalized == node.clone().canonicalized)
      assert(node.canonicalized != node.children.head.canonicalized)
    }
  }
}
