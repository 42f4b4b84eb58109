package io.matchrecognize.streaming

import java.util.UUID

import scala.collection.mutable

import io.matchrecognize.streaming.operator.WatermarkWatch

/** What the log and the progress say about an operator whose watermark does not move. */
class WatermarkWatchSuite extends StreamSuite {
  private val clause = """SELECT * FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts MEASURES A.v AS a, B.v AS b PATTERN (A B))"""

  private def warnings(body: => Unit): Seq[String] =
    warnings(WatermarkWatch.getClass)(_ => body)

  test("an idle input: a count of the micro-batches since the watermark has moved") {
    val (busy, idle) = (newSource(), newSource())
    view(busy, "0 seconds", "busy")
    view(idle, "0 seconds", "idle")
    spark.sql("SELECT * FROM busy UNION ALL SELECT * FROM idle").createOrReplaceTempView("s")
    val counts = mutable.ArrayBuffer.empty[Long]
    def add(run: Run, events: String): Unit = {
      run.add(events)
      counts += run.metric("stalledBatches")
    }
    // However many micro-batches it has, a query of milliseconds has no warning.
    val found = warnings(run(clause, Seq(busy, idle)) { run =>
      (1 to 12).foreach(i => add(run, s"a1@$i"))
      run.add(idle, Event.of("b0@4"): _*)
      counts += run.metric("stalledBatches")
      Seq("a7@17", "a8@18").foreach(add(run, _))
    })
    // Of the batch in which it moves, and of the first ones after it, nothing waits longer.
    assert(counts.toSeq == (0L to 11L) ++ Seq(0L, 1L, 2L))
    assert(found.isEmpty, found)
  }

  test("a healthy query, and one without rows that wait", Slow) {
    stream(clause, "2 seconds") { run =>
      Seq("a1@1", "a2@2", "a3@3", "a4@4").foreach { events =>
        run.add(events)
        assert(run.metric("stalledBatches") == 0)
        assert(run.metric("pendingRows") > 0)
      }
    }
    stream(clause, "0 seconds") { run =>
      run.add("a1@9")
      Seq("a1@1", "a2@2", "a3@3").foreach(run.add)
      assert(run.metric("pendingRows") == 0 && run.metric("stalledBatches") == 0)
    }
  }

  test("in the order of arrival keys with state wait, and rows do not") {
    withConf("spark.matchRecognize.stream.inputOrder" -> "arrival") {
      stream(clause, "1 day") { run =>
        val counts = Seq("a1@1", "a2@1", "b3@1", "b4@1").map { events =>
          run.add(events)
          run.metric("stalledBatches")
        }
        assert(counts == Seq(0, 1, 2, 3))
        assert(run.taken() == Seq("a,1,2", "b,3,4"))
      }
    }
  }

  test("one warning for each stall of five minutes and ten micro-batches with rows") {
    // Each second a micro-batch with a row; the watermark moves each `minutes`.
    def after(
        seconds: Int,
        minutes: Int,
        step: Int = 1,
        inOrder: Boolean = false
    ): (Seq[String], Long) = {
      val run = UUID.randomUUID()
      var stalled = 0L
      val found = warnings((step to seconds by step).foreach { i =>
        val moved = i / (60 * minutes) * 60L * minutes * 1000
        val seen = WatermarkWatch.Observation(i, i * 1000L, moved, 1, 4, inOrder)
        stalled = WatermarkWatch.note(run, 0, seen)
      })
      (found, stalled)
    }
    assert(after(seconds = 1000, minutes = 1) == ((Nil, 40)))
    assert(after(seconds = 600, minutes = 5) == ((Nil, 0)))
    assert(after(seconds = 590, minutes = 10, step = 100) == ((Nil, 4)))
    val (found, stalled) = after(seconds = 1000, minutes = 10)
    assert(found.length == 2 && stalled == 400)
    assert(
      found.head.startsWith(
        "MATCH_RECOGNIZE (state operator 0): rows arrived in 300 micro-batches within 300 seconds, " +
          "and the watermark has no value yet. 4 rows wait for it"
      )
    )
    assert(found(1).contains("is still 1970-01-01T00:10:00Z"))
    assert(found.forall(_.contains("spark.sql.streaming.multipleWatermarkPolicy = min")))
    val arrival = after(seconds = 500, minutes = 10, inOrder = true)._1
    assert(arrival.length == 1)
    assert(arrival.head.contains("4 keys have state; until it moves, none is freed"))
  }
}
