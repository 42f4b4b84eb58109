package io.matchrecognize.execution.trace

import io.matchrecognize.QuerySuite

/** What the SQL tab shows of the operators that search to explain or to trace. */
class TraceMetricsSuite extends QuerySuite {
  private val query =
    "SELECT * FROM (SELECT id, id % 2 AS k FROM range(1000)) MATCH_RECOGNIZE (PARTITION BY k " +
      "ORDER BY id MEASURES COUNT(*) AS n PATTERN (A B) DEFINE A AS id % 20 < 2, B AS id > 9)"

  private def metrics(function: String): (Map[String, Long], Long) = {
    val frame = spark.sql(s"SELECT * FROM $function('$query')")
    val rows = frame.collect().length.toLong
    val node = nodes(executed(frame)).collectFirst { case traced: TraceExec => traced }.get
    (node.metrics.map { case (name, metric) => name -> metric.value }, rows)
  }

  test("metrics of explain and trace") {
    for (function <- Seq("match_recognize_explain", "match_recognize_trace")) {
      val (found, rows) = metrics(function)
      assert(found("numInputRows") == 1000)
      assert(found("numPartitions") == 2)
      // The B after row 0 or 1 fails.
      assert(found("numMatches") == 98)
      assert(found("numOutputRows") == rows)
      assert(Seq("matchTime", "sortTime", "peakMemory").forall(found(_) > 0), found)
    }
  }

  test("bytes that a search of explain spills") {
    withConf("spark.matchRecognize.buffer.spillThresholdRows" -> "100") {
      assert(metrics("match_recognize_explain")._1("spillSize") > 0)
    }
  }
}
