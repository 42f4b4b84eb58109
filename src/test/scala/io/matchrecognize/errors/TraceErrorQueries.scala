package io.matchrecognize.errors

/** Calls of `match_recognize_trace` and `match_recognize_explain` that they refuse. */
object TraceErrorQueries {
  private val prefix = "MATCH_RECOGNIZE_INVALID_TRACE"
  private val clause = "MATCH_RECOGNIZE (PARTITION BY g ORDER BY k MEASURES 1 AS one PATTERN (A B))"

  private def call(arguments: String): String =
    s"SELECT *\nFROM match_recognize_trace($arguments)"

  private def explained(arguments: String, condition: String): ErrorQuery = {
    val sql = s"SELECT *\nFROM match_recognize_explain($arguments)"
    ErrorQuery(sql, condition, at(sql))
  }

  private def at(call: String): String = call.split("FROM ", 2).last

  private def refused(arguments: String, condition: String): ErrorQuery = {
    val sql = call(arguments)
    ErrorQuery(sql, condition, at(sql))
  }

  private val combinations = "(ORDER BY id MEASURES 1 AS one PATTERN ((A | B)* C) " +
    "DEFINE A AS SUM(A.id) >= 0, C AS SUM(A.id) = -1)"

  val all: Seq[ErrorQuery] = Seq(
    refused("", s"$prefix.ARGUMENT"),
    refused(s"'SELECT * FROM t $clause', 'g = 1', 0", s"$prefix.ARGUMENT"),
    refused(s"'SELECT * FROM t $clause', rows => 5", s"$prefix.ARGUMENT"),
    refused(s"'SELECT * FROM t $clause', query => 'SELECT 1'", s"$prefix.ARGUMENT"),
    refused("array('SELECT 1')", s"$prefix.ARGUMENT"),
    refused("'SELECT * FROM t'", s"$prefix.NO_CLAUSE"),
    refused(s"'CREATE TABLE made AS SELECT * FROM t $clause'", s"$prefix.NOT_A_QUERY"),
    refused("'SELECT one FROM stored'", s"$prefix.TEXT_OF_OBJECT"),
    ErrorQuery("SELECT *\nFROM traced()", s"$prefix.IN_OBJECT", ""),
    refused(
      s"'SELECT * FROM t $clause CROSS JOIN (SELECT * FROM o) $clause'"
        .replace("CROSS JOIN (SELECT * FROM o)", "CROSS JOIN (SELECT g, v AS k FROM t)"),
      s"$prefix.SEVERAL_CLAUSES"
    ),
    refused(s"'SELECT * FROM t $clause', 'g > \\'a\\' AND k > 1'", s"$prefix.PARTITION"),
    refused(
      "'SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES 1 AS one PATTERN (A B))', 'g = 1'",
      s"$prefix.PARTITION"
    ),
    refused(
      "'SELECT * FROM timed_stream MATCH_RECOGNIZE (ORDER BY timestamp MEASURES 1 AS m PATTERN (A))'",
      "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.TRACE"
    ),
    explained(s"'SELECT * FROM t $clause', max_rows => 0", s"$prefix.ARGUMENT"),
    explained("'SELECT * FROM t'", s"$prefix.NO_CLAUSE"),
    explained(s"'SELECT * FROM t $clause', partition => 'k = 1'", s"$prefix.PARTITION"),
    explained(
      "'SELECT * FROM timed_stream MATCH_RECOGNIZE (ORDER BY timestamp MEASURES 1 AS m PATTERN (A))'",
      "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.TRACE"
    ),
    ErrorQuery(
      call(s"'SELECT * FROM t $clause', max_rows => 1"),
      "MATCH_RECOGNIZE_LIMIT_EXCEEDED.TRACE_ROWS",
      ""
    ),
    ErrorQuery(
      call(s"'SELECT * FROM range(100) MATCH_RECOGNIZE $combinations'"),
      "MATCH_RECOGNIZE_LIMIT_EXCEEDED.TRACE_STEPS",
      ""
    )
  )
}
