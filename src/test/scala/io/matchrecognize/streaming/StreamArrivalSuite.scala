package io.matchrecognize.streaming

import java.util.concurrent.{CountDownLatch, TimeUnit}

import io.matchrecognize.Sampled
import io.matchrecognize.conf.MatchRecognizeConf.{InputOrder, OutOfOrder}

/** Streams whose rows are searched in the order of arrival. */
class StreamArrivalSuite extends StreamSuite {
  private val rises = clause("A B{2}", "B AS v > PREV(v)")

  private def clause(
      pattern: String,
      define: String,
      within: String = "",
      rows: String = "ONE ROW PER MATCH",
      order: String = "ts"
  ): String = s"""SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY $order
    MEASURES FIRST(v) AS a, LAST(v) AS b $rows
    PATTERN ($pattern) $within DEFINE $define)"""

  private def inOrder[T](confs: (String, String)*)(body: => T): T =
    withConf(
      (confs :+ (InputOrder.key -> "arrival") :+ ("spark.sql.session.timeZone" -> "UTC")): _*
    )(
      body
    )

  test("a match is returned in the micro-batch of its last row, whatever the watermark") {
    inOrder() {
      stream(rises, delay = "1 day") { run =>
        run.add("a1@1 b5@1 a2@2")
        assert(run.taken().isEmpty)
        run.add("a3@3 b6@4")
        assert(run.taken() == Seq("a,1,3"))
        assert(run.metric("pendingRows") == 0)
        // Behind other keys, and in order for its own.
        run.add("c1@0.5 c2@0.6 c3@0.7 a1@3 a2@3 a4@3")
        assert(run.taken() == Seq("a,1,4", "c,1,3"))
      }
    }
    stream(rises, delay = "1 day") { run =>
      run.add("a1@1 a2@2 a3@3")
      assert(run.taken().isEmpty && run.metric("pendingRows") == 3)
    }
  }

  test("rows with equal ORDER BY values are in the order of arrival") {
    inOrder() {
      stream(rises) { run =>
        run.add("a1@5 a2@5 a3@5 b3@5 b2@5 b1@5")
        assert(run.taken() == Seq("a,1,3"))
        run.add("b2@5 b3@5")
        assert(run.taken() == Seq("b,1,3"))
      }
    }
  }

  test("a row out of order ends the query, with its key and both times") {
    inOrder() {
      val e = failure(stream(rises)(_.add("b9@1 a1@12 a2@11")))
      val message = e.getMessage
      assert(
        message.startsWith("[MATCH_RECOGNIZE_OUT_OF_ORDER] The partition g = a received a row")
      )
      assert(
        message.contains(
          "`ts` = 2024-01-01 00:00:11 after one with `ts` = 2024-01-01 00:00:12, and"
        )
      )
    }
  }

  test("all keys of ORDER BY count, each in its direction") {
    val byValue = clause("A B", "B AS v < A.v", order = "ts, v DESC")
    inOrder() {
      stream(byValue) { run =>
        run.add("a5@1 a4@1")
        assert(run.taken() == Seq("a,5,4"))
      }
      val e = failure(stream(byValue)(_.add("a4@1 a5@1")))
      assert(e.getMessage.contains("`v` = 5 after one with `ts` = 2024-01-01 00:00:01, `v` = 4"))
    }
  }

  test("with drop a row out of order is dropped and counted, also after a restart") {
    inOrder(OutOfOrder.key -> "drop") {
      val source = newSource()
      view(source, "1 day")
      val checkpoint = newDirectory()
      run(rises, Seq(source), checkpoint) { run =>
        run.add("a1@10 a9@9 a2@11")
        assert(run.total("rowsDroppedOutOfOrder") == 1)
      }
      run(rises, Seq(source), checkpoint) { run =>
        run.add("a9@10 a3@11")
        assert(run.taken() == Seq("a,1,3"))
        assert(run.total("rowsDroppedOutOfOrder") == 1 && run.lateRows == 0)
      }
    }
  }

  test("the watermark drops late rows, ends WITHIN of silent keys and frees their state") {
    val within = clause(
      "A B{2}",
      "B AS v > A.v",
      "WITHIN INTERVAL 5 SECONDS",
      "ONE ROW PER MATCH SHOW TIMEOUT MATCHES"
    )
    inOrder() {
      stream(within, delay = "10 seconds") { run =>
        run.add("a1@10 a2@11 b5@12")
        assert(run.taken().isEmpty && run.metric("keysWithState") == 2)
        run.add("c1@25.5")
        assert(run.taken() == Seq("a,1,2"))
        // Late: the watermark is at 15.5.
        run.add("a3@15")
        assert(run.lateRows == 1)
        run.add("c0@60")
        assert(run.taken() == Seq("a,2,2", "b,5,5", "c,1,1"))
        // The last row of c is after the watermark.
        assert(run.metric("keysWithState") == 1)
      }
    }
  }

  test("without an open attempt a key leaves no state once the watermark has passed its last row") {
    inOrder() {
      stream(clause("A B", "A AS v = 1, B AS v = 2"), delay = "5 seconds") { run =>
        run.add("a1@1 a2@2 b7@3 c1@4")
        assert(run.taken() == Seq("a,1,2") && run.metric("keysWithState") == 3)
        run.add("d7@20")
        // The attempt of c has no end.
        assert(run.metric("keysWithState") == 2 && run.metric("openAttempts") == 1)
      }
    }
  }

  test("a checkpoint keeps its order, and the error names both") {
    val second = Seq("arrival" -> "watermark", "watermark" -> "arrival")
    Sampled.oneIn(2, second).foreach { case (first, next) =>
      val source = newSource()
      view(source, "5 seconds")
      val checkpoint = newDirectory()
      withConf(InputOrder.key -> first)(run(rises, Seq(source), checkpoint)(_.add("a1@1 a2@2")))
      val e = withConf(InputOrder.key -> next) {
        failure(run(rises, Seq(source), checkpoint)(_.add("a3@3")))
      }
      assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.QUERY]"))
      assert(e.getMessage.contains(s"input order (`$first`, now `$next`)"))
    }
  }

  Sampled.oneIn(2, Seq(hdfs, rocksDb)).foreach { provider =>
    val name = provider.split('.').last
    test(
      s"a micro-batch that fails, or is stopped, within a key leaves the state before it: $name"
    ) {
      inOrder(ProviderKey -> provider) {
        spark.udf.register("gated", (v: Int) => StreamArrivalSuite.gated(v))
        val sql = clause("A B", "B AS gated(v) > A.v")
        val source = newSource()
        view(source, "1 day")
        val checkpoint = newDirectory()
        run(sql, Seq(source), checkpoint)(_.add("a5@10 c1@10"))
        StreamArrivalSuite.atSeven = () => throw new IllegalStateException("at seven")
        val e = failure(run(sql, Seq(source), checkpoint) { run =>
          run.add("b1@11 b2@12 a6@11 a1@12 a7@13 c3@11")
        })
        assert(e.getMessage == "at seven")
        val reached = new CountDownLatch(1)
        StreamArrivalSuite.atSeven = () => {
          reached.countDown()
          Thread.sleep(60000)
        }
        run(sql, Seq(source), checkpoint) { run =>
          assert(reached.await(60, TimeUnit.SECONDS))
          run.query.stop()
          assert(run.taken().isEmpty)
        }
        StreamArrivalSuite.atSeven = () => ()
        // With the state of either run these rows would be out of order.
        run(sql, Seq(source), checkpoint) { run =>
          run.query.processAllAvailable()
          assert(run.taken() == Seq("a,1,7", "a,5,6", "b,1,2", "c,1,3"))
        }
      }
    }
  }

  test("the plan shows the order") {
    inOrder() {
      stream(rises) { run =>
        run.add("a1@1")
        assert(run.plan.toString.contains(", in order of arrival"))
        assert(run.plan.verboseStringWithOperatorId().contains("Input order: arrival"))
      }
    }
    stream(rises) { run =>
      run.add("a1@1")
      assert(!run.plan.toString.contains("arrival"))
    }
  }
}

object StreamArrivalSuite {

  /** What happens in the test of a row with the value seven. */
  @volatile private var atSeven: () => Unit = () => ()

  private def gated(v: Int): Int = {
    if (v == 7) atSeven()
    v
  }
}
