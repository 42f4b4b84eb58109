package io.matchrecognize.errors

/**
 * Mistakes in a clause over a stream. `rate_stream` has the columns `timestamp` and `value` and no
 * watermark, `timed_stream` has one on `timestamp`.
 */
object StreamErrorQueries {
  private val prefix = "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM"

  private def query(body: String, input: String = "timed_stream"): String =
    s"SELECT * FROM $input MATCH_RECOGNIZE (\n  $body\n) AS mr"

  val all: Seq[ErrorQuery] = Seq(
    ErrorQuery(
      query(
        "PARTITION BY value ORDER BY timestamp MEASURES 1 AS one PATTERN (A)",
        "(SELECT /*+ REPARTITION(2) */ * FROM timed_stream)"
      ).replace("SELECT *", "SELECT /*+ INPUT_ORDER(arrival) */ *"),
      s"$prefix.ARRIVAL_ORDER",
      "MATCH_RECOGNIZE ("
    ),
    ErrorQuery(
      query("ORDER BY timestamp MEASURES 1 AS one PATTERN (A (B | {- C $ -})?)"),
      s"$prefix.END_ANCHOR",
      "A (B"
    ),
    ErrorQuery(
      query(
        "PARTITION BY m ORDER BY timestamp MEASURES 1 AS one PATTERN (A)",
        "(SELECT *, map(1, value) AS m FROM timed_stream)"
      ),
      s"$prefix.KEY_TYPE",
      "m"
    ),
    ErrorQuery(
      query(
        "PARTITION BY array(parse_json('1')) ORDER BY timestamp MEASURES 1 AS one PATTERN (A)"
      ),
      s"$prefix.KEY_TYPE",
      "array("
    ),
    ErrorQuery(
      query(
        "PARTITION BY value, m ORDER BY timestamp MEASURES 1 AS one PATTERN (A)",
        "(SELECT *, map(1, value) AS m FROM timed_stream)"
      ),
      s"$prefix.KEY_TYPE",
      "m"
    ),
    ErrorQuery(
      query("MEASURES 1 AS one PATTERN (A)"),
      s"$prefix.LEADING_KEY",
      "MATCH_RECOGNIZE ("
    ),
    ErrorQuery(
      query("ORDER BY value, timestamp MEASURES 1 AS one PATTERN (A)"),
      s"$prefix.LEADING_KEY",
      "value"
    ),
    ErrorQuery(
      query(
        "PARTITION BY timestamp ORDER BY value MEASURES 1 AS one PATTERN (A)"
      ),
      s"$prefix.LEADING_KEY",
      "value"
    ),
    ErrorQuery(
      query("PARTITION BY value ORDER BY timestamp DESC MEASURES 1 AS one PATTERN (A)"),
      s"$prefix.LEADING_KEY",
      "timestamp"
    ),
    ErrorQuery(
      query("ORDER BY timestamp DESC MEASURES 1 AS one PATTERN (A)"),
      s"$prefix.LEADING_KEY",
      "timestamp"
    ),
    ErrorQuery(
      query("ORDER BY timestamp + INTERVAL 1 HOUR MEASURES 1 AS one PATTERN (A)"),
      s"$prefix.LEADING_KEY",
      "timestamp + INTERVAL"
    ),
    ErrorQuery(
      query("ORDER BY timestamp MEASURES 1 AS one PATTERN (A)", "rate_stream"),
      s"$prefix.NO_WATERMARK",
      "timestamp"
    ),
    ErrorQuery(
      query(
        "ORDER BY t MEASURES 1 AS one PATTERN (A)",
        "(SELECT * FROM timed_stream MATCH_RECOGNIZE (ORDER BY timestamp MEASURES MATCH_ROWTIME() AS t PATTERN (A)))"
      ),
      s"$prefix.LOST_WATERMARK",
      "t"
    ),
    ErrorQuery(
      query("PARTITION BY value ORDER BY timestamp MEASURES 1 AS one PATTERN (A)", "rate_stream"),
      s"$prefix.NO_WATERMARK",
      "timestamp"
    )
  )

  /**
   * Conditions that these queries do not raise, and where they are raised: mistakes only because of
   * a DataFrame's plan or the output mode.
   */
  val raisedElsewhere: Map[String, String] =
    Seq(
      "COMPLETE_MODE",
      "MIXED_JOIN",
      "MIXED_WATERMARKS",
      "ONE_STATEFUL_OPERATOR",
      "OUTER_JOIN",
      "OUTPUT_MODE",
      "SECOND_WATERMARK"
    )
      .map(condition => s"$prefix.$condition" -> "queries that start; *StreamRefusalSuite")
      .toMap + (s"$prefix.STATE_ENCODING" -> "queries that run; StreamRestartSuite")
}
