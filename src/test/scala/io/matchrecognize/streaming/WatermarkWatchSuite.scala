package io.matchrecognize.streaming

import java.util.UUID

import scala.collection.mutable

import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.{Level, LogManager}
import org.scalatest.tagobjects.Slow

import io.matchrecognize.streaming.operator.WatermarkWatch

/** What the log and the progress say about an operator whose watermark does not move. */
class WatermarkWatchSuite extends StreamSuite {
  private final val Limit = "spark.matchRecognize.stream.warnAfterStalledBatches"
  private val clause = """SELECT * FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts MEASURES A.v AS a, B.v AS b PATTERN (A B))"""

  /** Runs `body` with confs, and without a least time before a warning. */
  private def atOnce(confs: (String, String)*)(body: => Unit): Unit = {
    val before = WatermarkWatch.leastMs
    WatermarkWatch.leastMs = 0
    try withConf(confs: _*)(body)
    finally WatermarkWatch.leastMs = before
  }

  /** The warnings that `body` leads to. */
  private def warnings(body: => Unit): Seq[String] = {
    val found = mutable.ArrayBuffer.empty[String]
    val appender = new AbstractAppender("watch", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = found.synchronized {
        if (event.getLevel == Level.WARN) found += event.getMessage.getFormattedMessage: Unit
      }
    }
    val name = WatermarkWatch.getClass.getName.stripSuffix("$")
    Configurator.setLevel(name, Level.WARN)
    val logger = LogManager.getLogger(name).asInstanceOf[Logger]
    appender.start()
    logger.addAppender(appender)
    try body
    finally {
      logger.removeAppender(appender)
      Configurator.setLevel(name, Level.OFF)
    }
    found.synchronized(found.toSeq)
  }

  test("an idle input: one warning for each time that the watermark stands still, and a count") {
    atOnce(Limit -> "2") {
      val (busy, idle) = (newSource(), newSource())
      view(busy, "0 seconds", "busy")
      view(idle, "0 seconds", "idle")
      spark.sql("SELECT * FROM busy UNION ALL SELECT * FROM idle").createOrReplaceTempView("s")
      val counts = mutable.ArrayBuffer.empty[Long]
      def add(run: Run, events: String): Unit = {
        run.add(events)
        counts += run.metric("stalledBatches")
      }
      val found = warnings(run(clause, Seq(busy, idle)) { run =>
        Seq("a1@1", "a2@2", "a3@3 a4@3", "a5@5", "a6@6").foreach(add(run, _))
        run.add(idle, Event.of("b0@4"): _*)
        counts += run.metric("stalledBatches")
        Seq("a7@7", "a8@8", "a9@9").foreach(add(run, _))
      })
      // Of the batch in which it moves, and of the first ones after it, nothing waits longer.
      assert(counts.toSeq == Seq(0, 1, 2, 3, 4, 0, 1, 2, 3))
      assert(found.length == 2, found)
      assert(found.forall(_.startsWith("MATCH_RECOGNIZE (state operator 0): rows arrived in 2 ")))
      assert(found.head.contains("has no value yet. 4 rows wait for it"))
      assert(found(1).contains("is still 2024-01-01T00:00:04Z"))
      assert(found.forall(_.contains("spark.sql.streaming.multipleWatermarkPolicy = min")))
    }
  }

  test("a healthy query, one without rows that wait, and one that is told not to warn", Slow) {
    atOnce(Limit -> "2") {
      val healthy = warnings(stream(clause, "2 seconds") { run =>
        Seq("a1@1", "a2@2", "a3@3", "a4@4", "a5@5", "a6@6").foreach { events =>
          run.add(events)
          assert(run.metric("stalledBatches") == 0)
          assert(run.metric("pendingRows") > 0)
        }
      })
      assert(healthy.isEmpty)
      val late = warnings(stream(clause, "0 seconds") { run =>
        run.add("a1@9")
        Seq("a1@1", "a2@2", "a3@3", "a4@4").foreach(run.add)
        assert(run.metric("pendingRows") == 0 && run.metric("stalledBatches") == 0)
      })
      assert(late.isEmpty)
    }
    atOnce(Limit -> "0") {
      val silent = warnings(stream(clause, "10 seconds") { run =>
        run.add("a1@20")
        Seq("a1@19", "a2@18", "a3@17", "a4@16").foreach(run.add)
        assert(run.metric("stalledBatches") > 2)
      })
      assert(silent.isEmpty)
    }
  }

  test("in the order of arrival keys with state wait, and rows do not") {
    atOnce(Limit -> "2", "spark.matchRecognize.stream.inputOrder" -> "arrival") {
      val found = warnings(stream(clause, "1 day") { run =>
        val counts = Seq("a1@1", "a2@1", "b3@1", "b4@1").map { events =>
          run.add(events)
          run.metric("stalledBatches")
        }
        assert(counts == Seq(0, 1, 2, 3))
        assert(run.taken() == Seq("a,1,2", "b,3,4"))
      })
      assert(found.length == 1)
      assert(found.head.contains("2 keys have state; until it moves, none is freed"))
    }
  }

  test(
    "short micro-batches are not long: times in whole minutes move the watermark once a minute"
  ) {
    // Each second one with a row; the watermark moves each `minutes`.
    def after(seconds: Int, minutes: Int): (Seq[String], Long) = {
      val run = UUID.randomUUID()
      var stalled = 0L
      val found = warnings((1 to seconds).foreach { i =>
        val moved = i / (60 * minutes) * 60L * minutes * 1000
        val seen = WatermarkWatch.Observation(i, i * 1000L, moved, 1, WatermarkWatch.Keys(1), false)
        stalled = WatermarkWatch.note(run, 0, seen)
      })
      (found, stalled)
    }
    assert(after(seconds = 1000, minutes = 1) == ((Nil, 40)))
    assert(after(seconds = 600, minutes = 5) == ((Nil, 0)))
    val (found, stalled) = after(seconds = 1000, minutes = 10)
    assert(found.length == 2 && stalled == 400)
    assert(
      found.head.contains("rows arrived in 300 micro-batches within 300 seconds, and the watermark")
    )
  }

  test("a query of milliseconds has no warning, however many micro-batches it has") {
    withConf(Limit -> "2") {
      val found = warnings(stream(clause, "10 seconds") { run =>
        run.add("a1@20")
        Seq("a1@19", "a2@18", "a3@17", "a4@16").foreach(run.add)
        assert(run.metric("stalledBatches") > 2)
      })
      assert(found.isEmpty)
    }
  }
}
