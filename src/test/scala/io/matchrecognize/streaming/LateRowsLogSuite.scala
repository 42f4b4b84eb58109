package io.matchrecognize.streaming

import io.matchrecognize.Sampled
import io.matchrecognize.streaming.operator.LateRowsLog

/** What the log and the progress say about late rows. */
class LateRowsLogSuite extends StreamSuite {
  private val clause = """SELECT * FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts MEASURES A.v AS a, B.v AS b PATTERN (A B))"""

  Sampled.oneIn(2, Seq("watermark", "arrival")).foreach { order =>
    test(s"dropped rows are logged at once, then each few minutes and at the end: $order") {
      withConf("spark.matchRecognize.stream.inputOrder" -> order) {
        val found = warnings(classOf[LateRowsLog]) { found =>
          def await(holds: => Boolean): Unit = {
            val end = System.nanoTime + 60L * 1000 * 1000 * 1000
            while (!holds && System.nanoTime < end) Thread.sleep(20)
          }
          stream(clause, "1 second") { run =>
            run.add("a1@10 b1@10")
            run.add("a1@21 b1@21")
            run.add("a7@5 b7@4 b8@22")
            // Of the two tasks' values the larger one.
            assert(run.lateRows == 2 && run.total("oldestLateRowMs") == 16000)
            await(found().nonEmpty && inUi.contains("16000"))
            assert(found().length == 1 && inUi.contains("16000"), inUi)
            run.add("a7@20 b7@1 b8@23")
            run.add("b7@3 b8@24")
            assert(run.lateRows == 5 && found().length == 1)
          }
          await(found().length == 2)
        }
        assert(found.length == 2)
        val (first, last) = (found.head, found.last)
        assert(first.startsWith("MATCH_RECOGNIZE in query "))
        assert(
          first.contains(" has dropped late rows: 2, and 2 since it started. The watermark is ")
        )
        assert(
          first.contains("2024-01-01T00:00:20.000Z, and the oldest of them was 16.0 seconds late")
        )
        assert(
          last.contains(" has dropped late rows: 3, and 5 since it started. The watermark is ")
        )
        assert(
          last.contains("2024-01-01T00:00:22.000Z, and the oldest of them was 20.0 seconds late")
        )
      }
    }
  }

  /** What Spark's UI shows of late rows. */
  private def inUi: Seq[String] = {
    val store = spark.sharedState.statusStore
    for {
      execution <- store.executionsList()
      metric <- execution.metrics if metric.name.startsWith("milliseconds from the oldest")
      value <- store.executionMetrics(execution.executionId).get(metric.accumulatorId)
    } yield value
  }

  test("a query without late rows logs nothing") {
    val found = warnings(classOf[LateRowsLog]) { _ =>
      stream(clause, "1 second") { run =>
        run.add("a1@10 a2@11")
        run.add("a1@20 a2@21")
        assert(run.total("oldestLateRowMs") == 0)
      }
    }
    assert(found.isEmpty)
  }
}
