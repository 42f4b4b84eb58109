package io.matchrecognize.streaming

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.streaming.operator.StreamMatchRecognizeExec

/** Conditions that bound the time of a match free the state of a stream as WITHIN does. */
class StreamDeadlineSuite extends StreamSuite {

  private def clause(pattern: String, define: String, within: String = ""): String =
    s"""SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
       |  MEASURES A.v AS a, LAST(v) AS z, COUNT(*) AS n
       |  PATTERN ($pattern) $within DEFINE A AS v > 0, $define)""".stripMargin

  private val bound = "ts <= A.ts + INTERVAL 10 SECONDS"

  test("the watermark alone ends an attempt and removes its state") {
    Seq(
      s"C AS v = 9 AND C.$bound",
      "C AS C.ts - A.ts <= INTERVAL 10 SECONDS AND v = 9",
      "C AS v = 9 AND unix_timestamp(C.ts) - unix_timestamp(A.ts) < 11"
    ).foreach { define =>
      stream(clause("A B*? C", define), "0 seconds") { run =>
        run.add("a1@1 a3@5 c4@2 x0@11")
        // Of a the row at 5 is open now, of c that at 2.
        assert(run.taken().isEmpty && run.metric("openAttempts") == 2, define)
        run.add("b2@20 x0@21")
        assert(run.metric("openAttempts") == 1 && run.metric("keysWithState") == 1, define)
        run.add("b9@26 x0@27")
        assert(run.taken() == Seq("b,2,9,2"), define)
        assert(run.metric("keysWithState") == 0, define)
      }
    }
  }

  test("a greedy end is returned when no more rows can belong to it") {
    stream(clause("A B+", s"B AS $bound"), "0 seconds") { run =>
      run.add("a1@1 a2@2 a3@9 x0@10.9")
      assert(run.taken().isEmpty)
      run.add("x0@11")
      assert(run.taken() == Seq("a,1,3,3"))
    }
  }

  test("the earlier of WITHIN and a deadline ends an attempt") {
    Seq("5 SECONDS", "1 HOUR").foreach { within =>
      stream(clause("A B+", s"B AS $bound", s"WITHIN INTERVAL $within"), "0 seconds") { run =>
        run.add("a1@1 a2@2 x0@5.5")
        assert(run.taken().isEmpty)
        run.add("a3@7 x0@11")
        assert(run.taken() == Seq(if (within == "1 HOUR") "a,1,3,3" else "a,1,2,2"))
      }
    }
  }

  test("a deadline may depend on a row at a fixed distance, once that has arrived") {
    val define = "C AS v = 9 AND ts <= B.ts + INTERVAL 10 SECONDS"
    stream(clause("A B X* C", define), "0 seconds") { run =>
      run.add("a1@1 b1@1 x0@50")
      assert(run.metric("openAttempts") == 2)
      run.add("a2@52 b2@52 x0@61.5")
      assert(run.metric("openAttempts") == 2)
      run.add("a9@62 b9@62.5 x0@63")
      assert(run.taken() == Seq("a,1,9,3"))
    }
  }

  test("EXPLAIN names the deadline, and a setting turns it off") {
    def isOpen: Boolean =
      stream(clause("A B* C", s"C AS v = 9 AND $bound"), "0 seconds") { run =>
        run.add("a1@1 x0@50")
        val exec = run.plan.asInstanceOf[StreamMatchRecognizeExec]
        val text = exec.verboseStringWithOperatorId()
        val isShown = text.linesIterator.exists(_.startsWith("Deadline: C: "))
        val isOpen = run.metric("openAttempts") > 0
        assert(isShown == exec.startWarnings.isEmpty && isShown == !isOpen)
        isOpen
      }
    assert(!isOpen)
    withConf(MatchRecognizeConf.InferDeadlines.key -> "false")(assert(isOpen))
  }

  test("a checkpoint of a query without deadlines goes on with them") {
    val source = newSource()
    view(source, "0 seconds")
    val checkpoint = newDirectory()
    val sql = clause("A B* C", s"B AS v < 9, C AS v >= 8 AND $bound")
    withConf(MatchRecognizeConf.InferDeadlines.key -> "false") {
      run(sql, Seq(source), checkpoint) { run =>
        run.add("a1@1 a2@20 a3@30 b1@1 b8@4 b2@30 c1@28 x0@31")
        assert(run.taken().isEmpty && run.metric("openAttempts") == 3)
      }
    }
    run(sql, Seq(source), checkpoint) { run =>
      // Attempts that have read rows beyond their deadline end with the next row of the partition.
      run.add("a9@35 b0@36 c9@36 x0@37")
      assert(run.taken() == Seq("a,3,9,2", "b,1,8,2", "c,1,9,2"))
      run.add("x0@60")
      assert(run.metric("keysWithState") == 0)
    }
  }
}
