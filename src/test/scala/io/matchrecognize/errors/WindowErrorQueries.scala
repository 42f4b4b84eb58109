package io.matchrecognize.errors

/** Mistakes in a window with a row pattern. */
object WindowErrorQueries {
  private val prefix = "MATCH_RECOGNIZE_INVALID_WINDOW"
  private val frame = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"

  private def over(body: String, select: String = "count(*) OVER w"): String =
    s"SELECT k, $select\nFROM t WINDOW w AS (\n  $body\n)"

  private def invalid(name: String, body: String, at: String): ErrorQuery =
    ErrorQuery(over(body), s"$prefix.$name", at)

  lazy val all: Seq[ErrorQuery] = Seq(
    invalid("ANCHOR", s"ORDER BY k $frame PATTERN (^ A)", "^"),
    invalid("ANCHOR", s"ORDER BY k $frame PATTERN (A (B | $$))", "$"),
    invalid("CLAUSE_ORDER", s"ORDER BY k PATTERN (A) $frame", "ROWS"),
    invalid("CLAUSE_ORDER", s"$frame ORDER BY k PATTERN (A)", "ORDER"),
    invalid("EXCLUDE", s"ORDER BY k $frame EXCLUDE CURRENT ROW PATTERN (A)", "EXCLUDE"),
    invalid("EXCLUDE", s"ORDER BY k $frame EXCLUDE TIES PATTERN (A)", "EXCLUDE"),
    invalid("EXCLUSION", s"ORDER BY k $frame PATTERN (A {- B -})", "{-"),
    invalid("FRAME_END", "ROWS BETWEEN CURRENT ROW AND 1 PRECEDING PATTERN (A)", "1 PRECEDING"),
    invalid("FRAME_END", "ROWS BETWEEN CURRENT ROW AND -1 FOLLOWING PATTERN (A)", "-1"),
    invalid("FRAME_END", "ROWS BETWEEN CURRENT ROW AND 1.5 FOLLOWING PATTERN (A)", "1.5"),
    invalid("FRAME_END", "ROWS BETWEEN CURRENT ROW AND k FOLLOWING PATTERN (A)", "k FOLLOWING"),
    invalid("FRAME_START", "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW PATTERN (A)", "ROWS"),
    invalid(
      "FRAME_START",
      "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING PATTERN (A)",
      "ROWS"
    ),
    invalid("FRAME_START", "ORDER BY k ROWS 2 PRECEDING PATTERN (A)", "ROWS"),
    invalid(
      "FRAME_UNIT",
      "ORDER BY k RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A)",
      "RANGE"
    ),
    invalid(
      "FRAME_UNIT",
      "ORDER BY k GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A)",
      "GROUPS"
    ),
    invalid("MATCH_NUMBER", s"MEASURES MATCH_NUMBER() AS m $frame PATTERN (A)", "MATCH_NUMBER"),
    invalid("MISSING_FRAME", "ORDER BY k PATTERN (A)", "("),
    ErrorQuery(
      s"SELECT k, m OVER p FROM t WINDOW p AS (ORDER BY k),\n" +
        s"  w AS (MEASURES LAST(v) AS m $frame PATTERN (A))",
      s"$prefix.NO_PATTERN",
      "m"
    ),
    ErrorQuery(
      s"SELECT k FROM t ORDER BY count(*) OVER (ORDER BY k $frame PATTERN (A))",
      s"$prefix.PLACE",
      "count(*)"
    ),
    invalid("ROWS_PER_MATCH", s"ORDER BY k $frame ONE ROW PER MATCH PATTERN (A)", "ONE"),
    invalid("ROWS_PER_MATCH", s"ORDER BY k $frame ALL ROWS PER MATCH PATTERN (A)", "ALL"),
    ErrorQuery(
      over(s"ORDER BY k MEASURES LAST(v) AS last_v $frame PATTERN (A)", "lastv OVER w"),
      s"$prefix.UNKNOWN_MEASURE",
      "lastv"
    ),
    invalid("WITHIN", s"ORDER BY k $frame PATTERN (A) WITHIN 3", "WITHIN"),
    ErrorQuery(
      over(s"MEASURES k AS m, v AS M $frame PATTERN (A)", "m OVER w"),
      "MATCH_RECOGNIZE_DUPLICATE_NAME.OUTPUT_COLUMN",
      "M"
    ),
    ErrorQuery(
      s"SELECT count(*) OVER (ORDER BY timestamp $frame PATTERN (A)) FROM timed_stream",
      "MATCH_RECOGNIZE_UNSUPPORTED.STREAM_WINDOW",
      "("
    ),
    ErrorQuery(
      over(s"ORDER BY k $frame PATTERN (A)", "median(v) OVER w"),
      "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC",
      "median"
    ),
    ErrorQuery(
      over(s"$frame PATTERN (A B) DEFINE C AS TRUE"),
      "MATCH_RECOGNIZE_INVALID_VARIABLE.NOT_PRIMARY",
      "C"
    ),
    ErrorQuery(
      over(s"$frame PATTERN (A) DEFINE A AS nothing > 1"),
      "UNRESOLVED_COLUMN.WITH_SUGGESTION",
      "nothing"
    ),
    ErrorQuery(over(s"PARTITION BY g AS h $frame PATTERN (A)"), "PARSE_SYNTAX_ERROR", "h"),
    ErrorQuery(
      s"SELECT k m OVER w FROM t WINDOW w AS ($frame PATTERN (A))",
      "PARSE_SYNTAX_ERROR",
      "OVER"
    ),
    ErrorQuery(over(s"ORDER BY k $frame PATTERN (A B"), "PARSE_SYNTAX_ERROR", ""),
    // Functions that are none over a window, and windows inside aggregates.
    calling("abs(v)", "UNSUPPORTED_EXPR_FOR_WINDOW"),
    calling("coalesce(v, -1)", "UNSUPPORTED_EXPR_FOR_WINDOW"),
    calling("concat(c, 'x')", "UNSUPPORTED_EXPR_FOR_WINDOW"),
    calling("rand()", "UNSUPPORTED_EXPR_FOR_WINDOW"),
    calling("now()", "UNSUPPORTED_EXPR_FOR_WINDOW"),
    calling("pi()", "UNSUPPORTED_EXPR_FOR_WINDOW"),
    calling("explode(array(v))", "UNSUPPORTED_EXPR_FOR_WINDOW"),
    calling("transform(array(v), x -> x + 1)", "UNSUPPORTED_EXPR_FOR_WINDOW"),
    calling("sum(sum(v))", s"$prefix.GROUPS").copy(at = "sum(sum(v))"),
    // Groups.
    withGroups("sum(count(*) OVER w)", "", "sum(count(*) OVER w)"),
    withGroups("max(m OVER w)", "", "max(m OVER w)"),
    withGroups("sum(v), count(*) OVER w", "", "count(*)"),
    withGroups("sum(v + 1L), count(*) OVER w", "", "count(*)"),
    withGroups("v + 1 AS x, sum(x), count(*) OVER w AS n", "", ""),
    withGroups("g, 1 + count(*) OVER w", " GROUP BY g", "count(*)"),
    withGroups("max(count(*) OVER w)", " GROUP BY g", "count(*)"),
    withGroups("g, m OVER w AS m", " GROUP BY ROLLUP (g) HAVING sum(v) > 1", "m"),
    withGroups("g, m OVER w AS m", " GROUP BY ALL", "m"),
    withGroups("count(*) OVER w AS n", " GROUP BY n", "count(*)"),
    ErrorQuery(
      s"SELECT g FROM t GROUP BY g, count(*) OVER (ORDER BY k $frame PATTERN (A))",
      s"$prefix.PLACE",
      "count(*)"
    ),
    // Parts of a row pattern without PATTERN.
    ErrorQuery(
      s"SELECT k, count(*) OVER (ORDER BY k $frame\n  DEFINE B AS v > 1) FROM t",
      "PARSE_SYNTAX_ERROR",
      "DEFINE"
    ),
    // Measures of other windows, windows on others.
    ErrorQuery("SELECT k, m OVER w FROM t WINDOW w AS (ORDER BY k)", "PARSE_SYNTAX_ERROR", "w"),
    ErrorQuery("SELECT k, m OVER nowhere FROM t", "PARSE_SYNTAX_ERROR", "nowhere"),
    ErrorQuery("SELECT k, m OVER () FROM t", "PARSE_SYNTAX_ERROR", "("),
    ErrorQuery(
      s"SELECT k, m OVER () FROM t WINDOW w AS (MEASURES LAST(v) AS m $frame PATTERN (A))",
      "PARSE_SYNTAX_ERROR",
      "("
    ),
    ErrorQuery(
      s"SELECT k, count(*) OVER (w $frame PATTERN (A))\nFROM t WINDOW w AS (ORDER BY k)",
      "PARSE_SYNTAX_ERROR",
      "w"
    ),
    ErrorQuery(
      s"SELECT k, m OVER x FROM t WINDOW w AS (ORDER BY k),\n" +
        s"  x AS (w MEASURES LAST(v) AS m $frame PATTERN (A))",
      "PARSE_SYNTAX_ERROR",
      "w MEASURES"
    ),
    ErrorQuery(over(s"ORDER BY k $frame PARTITION PATTERN (A)"), "PARSE_SYNTAX_ERROR", "PARTITION"),
    ErrorQuery(
      over(s"MEASURES LAST(v) AS m, LAST(m OVER w) AS n $frame PATTERN (A)", "n OVER w"),
      "PARSE_SYNTAX_ERROR",
      "OVER"
    ),
    ErrorQuery(
      over(s"MEASURES LAST(v) AS m, m OVER w AS n $frame PATTERN (A)", "n OVER w"),
      "PARSE_SYNTAX_ERROR",
      "OVER"
    ),
    ErrorQuery(
      over(
        s"$frame PATTERN (A) DEFINE A AS v >\n" +
          "  (SELECT max(n) FROM t MATCH_RECOGNIZE (MEASURES COUNT(*) AS n PATTERN (B)))"
      ),
      "MATCH_RECOGNIZE_UNSUPPORTED.NESTED_CLAUSE",
      "MATCH_RECOGNIZE"
    )
  )

  private def calling(function: String, condition: String): ErrorQuery =
    ErrorQuery(over(s"ORDER BY k $frame PATTERN (A)", s"$function OVER w"), condition, function)

  private def withGroups(select: String, groups: String, at: String): ErrorQuery = ErrorQuery(
    s"SELECT $select FROM t$groups\nWINDOW w AS (ORDER BY g MEASURES LAST(g) AS m $frame PATTERN (A))",
    s"$prefix.GROUPS",
    at
  )
}
