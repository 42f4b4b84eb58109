package io.matchrecognize.errors

import io.matchrecognize.errors.ErrorQuery.{clause, of}

/** Mistakes in a clause as a whole, its keys, its bound, and the query around it. */
object ClauseErrorQueries {
  private val prefix = "MATCH_RECOGNIZE_"

  private val clauses = Seq(
    ErrorQuery(
      clause(measures = "MATCH_ROWTIME() AS m", keys = ""),
      s"${prefix}INVALID_CLAUSE.MISSING_ORDER_BY",
      "MATCH_ROWTIME()"
    ),
    ErrorQuery(
      of("MEASURES COUNT(*) AS n PATTERN (A) WITHIN INTERVAL 1 HOUR"),
      s"${prefix}INVALID_CLAUSE.MISSING_ORDER_BY",
      "INTERVAL 1 HOUR"
    ),
    ErrorQuery(
      of("PARTITION BY k + 1 PATTERN (A)"),
      s"${prefix}INVALID_CLAUSE.NO_OUTPUT_COLUMNS",
      "MATCH_RECOGNIZE ("
    ),
    ErrorQuery(
      of("ORDER BY k MEASURES 1 AS m PATTERN (A{300000})"),
      s"${prefix}PATTERN_TOO_LARGE.POSITIONS",
      "A{300000}"
    ),
    ErrorQuery(
      of("ORDER BY k MEASURES 1 AS m PATTERN ((A? B? C?){1000})"),
      s"${prefix}PATTERN_TOO_LARGE.FOLLOWERS",
      "(A? B? C?){1000}"
    ),
    ErrorQuery(
      of("ORDER BY k MEASURES 1 AS m PATTERN (B PERMUTE(A, B, C, D, E, F, G, H, I, J, K))"),
      s"${prefix}PATTERN_TOO_LARGE.PERMUTE",
      "PERMUTE(A"
    )
  )

  private val keys = Seq(
    ErrorQuery(clause(keys = "ORDER BY m"), "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "m"),
    ErrorQuery(
      clause(keys = "PARTITION BY m ORDER BY k"),
      "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
      "m"
    ),
    ErrorQuery(
      clause(keys = "PARTITION BY g, m ORDER BY k"),
      "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
      "m"
    ),
    ErrorQuery(
      clause(keys = "PARTITION BY g ORDER BY k, m DESC"),
      "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
      "m"
    ),
    ErrorQuery(
      s"SELECT (SELECT MAX(n) FROM ${clause(keys = "PARTITION BY g ORDER BY k, z").drop(14)}) FROM o",
      s"${prefix}UNSUPPORTED.OUTER_REFERENCE",
      "z"
    ),
    ErrorQuery(
      clause(keys = "PARTITION BY MAX(v) ORDER BY k"),
      "UNSUPPORTED_EXPR_FOR_OPERATOR",
      "MAX(v)"
    ),
    ErrorQuery(
      clause(keys = "ORDER BY row_number() OVER (ORDER BY k)"),
      "UNSUPPORTED_EXPR_FOR_OPERATOR",
      "row_number()"
    ),
    ErrorQuery(
      clause(keys = "ORDER BY y -> y"),
      "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION",
      "y -> y"
    ),
    ErrorQuery(clause(keys = "ORDER BY rand()"), "UNSUPPORTED_EXPR_FOR_OPERATOR", "rand()"),
    ErrorQuery(
      clause(keys = "PARTITION BY explode(arr) ORDER BY k"),
      "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
      "explode(arr)"
    ),
    ErrorQuery(clause(keys = "ORDER BY CLASSIFIER()"), "UNRESOLVED_ROUTINE", "CLASSIFIER()")
  )

  private def constant(keys: String, at: String) =
    ErrorQuery(clause(keys = keys), s"${prefix}INVALID_EXPRESSION.CONSTANT_KEY", at)

  private val constants = Seq(
    constant("PARTITION BY \"g\" ORDER BY \"k\"", "\"g\""),
    constant("PARTITION BY g ORDER BY 'k' DESC", "'k'"),
    constant("ORDER BY k, 2", "2"),
    constant("PARTITION BY 1 ORDER BY k", "1"),
    ErrorQuery(
      of("ORDER BY \"no column\" PATTERN (A) WITHIN 5"),
      s"${prefix}INVALID_EXPRESSION.CONSTANT_KEY",
      "\"no column\""
    ),
    ErrorQuery(
      of("ORDER BY k MEASURES COUNT(*) AS \"n\" PATTERN (A)"),
      "PARSE_SYNTAX_ERROR",
      "\"n\""
    ),
    ErrorQuery(of("PARTITION BY v % 2 AS 'h' PATTERN (A)"), "PARSE_SYNTAX_ERROR", "'h'")
  )

  private val sessions = Seq("session_window(ts, '5 minutes')", "session_window(ts, '1 hour') AS w")
    .map { key =>
      ErrorQuery(
        clause(keys = s"PARTITION BY g, $key ORDER BY ts"),
        s"${prefix}UNSUPPORTED.SESSION_WINDOW",
        "session_window(ts"
      )
    }

  private val windows =
    Seq("window(ts, '1 hour')", "window(ts, '1 hour').end AS w", "window_time(s)").map { key =>
      ErrorQuery(
        clause(keys = s"PARTITION BY g, $key ORDER BY ts"),
        s"${prefix}UNSUPPORTED.TIME_WINDOW",
        "window"
      )
    }

  private def bound(key: String, bound: String, keys: String = "") = ErrorQuery(
    of(s"$keys ORDER BY $key MEASURES COUNT(*) AS n PATTERN (A+) WITHIN $bound".trim),
    s"${prefix}INVALID_WITHIN.BOUND",
    bound
  )

  private val within = Seq(
    bound("ts", "3"),
    bound("ts", "NULL"),
    bound("ts", "INTERVAL '-1' HOUR"),
    bound("ts", "INTERVAL 'x' HOUR"),
    bound("d", "'1 hour'"),
    bound("ts", "'5 minutes'"),
    bound("ts", "'soon'"),
    bound("k", "'5'"),
    bound("k", "INTERVAL '1' MONTH"),
    bound("k", "1 HOUR"),
    bound("k", "v + 1"),
    bound("ts", "3", keys = "PARTITION BY g, k"),
    bound("k + v", "1 HOUR", keys = "PARTITION BY g"),
    ErrorQuery(
      of("ORDER BY k MEASURES COUNT(*) AS n PATTERN (A+) WITHIN *"),
      "INVALID_USAGE_OF_STAR_OR_REGEX",
      ""
    ),
    ErrorQuery(
      of("ORDER BY ts DESC MEASURES COUNT(*) AS n PATTERN (A+) WITHIN INTERVAL 1 HOUR"),
      s"${prefix}INVALID_WITHIN.DIRECTION",
      "ts"
    ),
    ErrorQuery(
      of("ORDER BY c MEASURES COUNT(*) AS n PATTERN (A+) WITHIN INTERVAL 1 HOUR"),
      s"${prefix}INVALID_WITHIN.KEY_TYPE",
      "c"
    ),
    ErrorQuery(
      of("PARTITION BY g ORDER BY k DESC, c MEASURES COUNT(*) AS n PATTERN (A+) WITHIN 5"),
      s"${prefix}INVALID_WITHIN.DIRECTION",
      "k"
    ),
    ErrorQuery(
      of("PARTITION BY g, k ORDER BY t.c NULLS LAST MEASURES 1 AS one PATTERN (A+) WITHIN 5"),
      s"${prefix}INVALID_WITHIN.KEY_TYPE",
      "t.c"
    ),
    ErrorQuery(
      of("ORDER BY k MEASURES COUNT(*) AS n PATTERN (A+) WITHIN 1 / 0"),
      "DIVIDE_BY_ZERO",
      "1 / 0"
    )
  )

  private val around = {
    val mr = "MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n PATTERN (A))"
    Seq(
      ErrorQuery(
        s"SELECT 1 DIV (n - 1) FROM t $mr",
        "DIVIDE_BY_ZERO",
        "1 DIV (n - 1)"
      ),
      ErrorQuery(s"SELECT * FROM nosuch $mr", "TABLE_OR_VIEW_NOT_FOUND", "nosuch"),
      ErrorQuery(
        s"SELECT transform(array(1), x -> (SELECT MAX(n) FROM t $mr)) FROM t",
        "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION",
        ""
      ),
      ErrorQuery(
        s"WITH RECURSIVE r(k) AS (SELECT 1 UNION ALL SELECT CAST(n AS INT) + 1 FROM r $mr WHERE n < 3)\n" +
          "SELECT * FROM r",
        "INVALID_RECURSIVE_REFERENCE.PLACE",
        "MATCH_RECOGNIZE ("
      ),
      ErrorQuery(
        "WITH RECURSIVE r(k) AS (SELECT 1 UNION ALL (WITH q AS (SELECT * FROM r)\n" +
          s"  SELECT k + 1 FROM q, LATERAL (SELECT n FROM q $mr) WHERE k < 3))\nSELECT * FROM r",
        "INVALID_RECURSIVE_REFERENCE.PLACE",
        "MATCH_RECOGNIZE ("
      ),
      ErrorQuery(
        s"SELECT * FROM t $mr PIVOT (SUM(nosuch) FOR n IN (1))",
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "nosuch"
      ),
      ErrorQuery(s"SELECT * FROM t VERSION AS OF 1 $mr", "UNSUPPORTED_FEATURE.TIME_TRAVEL", "")
    )
  }

  val all: Seq[ErrorQuery] = clauses ++ keys ++ constants ++ sessions ++ windows ++ within ++ around
}
