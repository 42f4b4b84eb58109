package io.matchrecognize.errors

/**
 * A statement with one mistake.
 *
 * @param condition
 *   the condition of its error
 * @param at
 *   the beginning of the fragment that the error shows; empty if it shows none
 * @param confs
 *   of the session
 */
final case class ErrorQuery(
    sql: String,
    condition: String,
    at: String,
    confs: Seq[(String, String)] = Nil
)

/** The mistakes that suites raise and the golden file shows; `input` creates their tables. */
object ErrorQuery {
  val input: Seq[String] = Seq(
    """CREATE OR REPLACE TEMPORARY VIEW t AS SELECT * FROM VALUES
      |  ('p', 1, 2, 'x', 1.5D, TIMESTAMP'2024-01-01 10:00:00', DATE'2024-01-01'),
      |  ('p', 2, 0, 'y', 2.5D, TIMESTAMP'2024-01-01 11:00:00', DATE'2024-01-02')
      |  AS rows(g, k, v, c, x, ts, d),
      |  LATERAL (SELECT named_struct('f', 1) AS s, map(1, 2) AS m, array(1, 2) AS arr)""".stripMargin,
    "CREATE OR REPLACE TEMPORARY VIEW o AS VALUES (1) AS o(z)",
    """CREATE OR REPLACE VIEW stored AS SELECT * FROM VALUES (1) AS s(k)
      |  MATCH_RECOGNIZE (ORDER BY k MEASURES 1 AS one PATTERN (A))""".stripMargin,
    """CREATE OR REPLACE FUNCTION traced() RETURNS TABLE (event STRING) RETURN
      |  SELECT event FROM match_recognize_trace('SELECT * FROM VALUES (1) AS s(k)
      |    MATCH_RECOGNIZE (ORDER BY k MEASURES 1 AS one PATTERN (A))')""".stripMargin
  )

  /** A clause over `t` with this body. */
  def of(body: String): String = s"SELECT *\nFROM t MATCH_RECOGNIZE (\n  $body\n) AS mr"

  /** A clause over `t` with one wrong part. */
  def clause(
      measures: String = "COUNT(*) AS n",
      define: String = "B AS TRUE",
      keys: String = "ORDER BY k",
      rest: String = ""
  ): String = {
    val parts = Seq(keys, s"MEASURES $measures", rest, "PATTERN (A B+)", s"DEFINE $define")
    of(parts.filter(_.nonEmpty).mkString("\n  "))
  }

  lazy val all: Seq[ErrorQuery] = SyntaxErrorQueries.all ++ NameErrorQueries.all ++
    ExpressionErrorQueries.all ++ ClauseErrorQueries.all ++ RunTimeErrorQueries.all ++
    StreamErrorQueries.all ++ TraceErrorQueries.all ++ WindowErrorQueries.all

  /** Conditions of the catalogue that these statements do not raise, and where they are raised. */
  val raisedElsewhere: Map[String, String] = Map(
    "MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.FORMAT" -> "queries that run; StreamRestartSuite",
    "MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.PATTERNS" -> "queries that run; MergedStreamSuite",
    "MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.QUERY" -> "queries that run; StreamRestartSuite",
    "MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.SESSION_CONF" -> "queries that run; StreamRestartSuite",
    "MATCH_RECOGNIZE_INVALID_EVENT_TIME.NULL_VALUE" -> "queries that run; StreamOperatorSuite",
    "MATCH_RECOGNIZE_OUT_OF_ORDER" -> "queries that run; StreamArrivalSuite",
    "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.REAL_TIME_CLOCK" ->
      "queries that run; RealTimeModeSuite",
    "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.REAL_TIME_MODE" -> "queries that run; RealTimeModeSuite",
    "MATCH_RECOGNIZE_LIMIT_EXCEEDED.PARTITION_ROWS" -> "queries that run; StreamLimitsSuite",
    "MATCH_RECOGNIZE_MEMORY_EXCEEDED.ROWS" -> "too little memory; RunTimeFailuresSuite",
    "MATCH_RECOGNIZE_LIMIT_EXCEEDED.SESSION" -> "limits of the cluster; SessionLimitsSuite",
    "MATCH_RECOGNIZE_LIMIT_EXCEEDED.TIME" -> "slow searches; RunTimeFailuresSuite",
    "MATCH_RECOGNIZE_LIMIT_EXCEEDED.STATE_KEYS" -> "queries that run; StreamLimitsSuite",
    "MATCH_RECOGNIZE_UNSUPPORTED.PYTHON_UDF" -> "Python functions; tests/test_python_functions.py",
    "MATCH_RECOGNIZE_WRONG_SPARK_VERSION" -> "a session of another Spark; tests/test_loading.py"
  ) ++ StreamErrorQueries.raisedElsewhere
}
