package io.matchrecognize.errors

import io.matchrecognize.errors.ErrorQuery.of

/** Mistakes that only the search finds. */
object RunTimeErrorQueries {
  private val prefix = "MATCH_RECOGNIZE_"

  private val skips = Seq(
    ErrorQuery(
      of(
        "PARTITION BY g ORDER BY ts MEASURES COUNT(*) AS n AFTER MATCH SKIP TO FIRST A PATTERN (A+)"
      ),
      s"${prefix}SKIP_TO_FIRST_ROW",
      ""
    ),
    ErrorQuery(
      of(
        "PARTITION BY g, c || '!' ORDER BY k MEASURES COUNT(*) AS n AFTER MATCH SKIP TO B\n" +
          "  PATTERN (A | B)"
      ),
      s"${prefix}SKIP_TO_MISSING_ROW",
      ""
    ),
    ErrorQuery(
      of(
        "MEASURES COUNT(*) AS n AFTER MATCH SKIP TO LAST U PATTERN (A+ | B | C) SUBSET U = (B, C)"
      ),
      s"${prefix}SKIP_TO_MISSING_ROW",
      ""
    )
  )

  private val limits = {
    val search =
      "MEASURES COUNT(*) AS n PATTERN ((A | B)* C) DEFINE A AS SUM(A.id) >= 0, C AS SUM(A.id) = -1"
    Seq(
      ErrorQuery(
        s"SELECT * FROM range(100) MATCH_RECOGNIZE (PARTITION BY id % 2 ORDER BY id $search)",
        s"${prefix}LIMIT_EXCEEDED.STEPS",
        "",
        Seq("spark.matchRecognize.maxStepsPerMatch" -> "1000")
      ),
      ErrorQuery(
        s"SELECT * FROM range(100) MATCH_RECOGNIZE (PARTITION BY id DIV 50 ORDER BY id $search)",
        s"${prefix}MEMORY_EXCEEDED.PATHS",
        "",
        Seq("spark.matchRecognize.maxPathBytes" -> "20000")
      )
    )
  }

  private def ansi(body: String, condition: String, at: String, input: String = "t") =
    ErrorQuery(
      of(s"PARTITION BY g ORDER BY k $body").replace("FROM t ", s"FROM $input "),
      condition,
      at
    )

  private val expressions = Seq(
    ansi("MEASURES 1 AS m PATTERN (A+) DEFINE A AS k / v < 5", "DIVIDE_BY_ZERO", "k / v"),
    ansi(
      "MEASURES 1 AS m PATTERN (A+ B) DEFINE B AS SUM(A.k) / B.v > 0",
      "DIVIDE_BY_ZERO",
      "SUM(A.k) / B.v"
    ),
    ansi("MEASURES LAST(k) / LAST(v) AS m PATTERN (A+)", "DIVIDE_BY_ZERO", "LAST(k) / LAST(v)"),
    ansi(
      "MEASURES LAST(k) DIV LAST(v) AS r ALL ROWS PER MATCH PATTERN (A+)",
      "DIVIDE_BY_ZERO",
      "LAST(k) DIV LAST(v)"
    ),
    ansi("MEASURES SUM(1 DIV v) AS m PATTERN (A+)", "DIVIDE_BY_ZERO", "1 DIV v"),
    ansi(
      "MEASURES COUNT(*) AS n, '\uD83D\uDE00' || LAST(k) / LAST(v) AS m PATTERN (A+)",
      "DIVIDE_BY_ZERO",
      "LAST(k) / LAST(v)"
    ),
    ansi(
      "MEASURES 1 AS m PATTERN (A+ B) DEFINE B AS SUM(1 DIV A.v) / B.v > 0",
      "DIVIDE_BY_ZERO",
      "SUM(1 DIV A.v) / B.v"
    ),
    ansi(
      "MEASURES 1 AS m PATTERN (A A B) DEFINE A AS '\uD83D\uDE00' > 'a', B AS SUM(1 DIV A.v) > 0",
      "DIVIDE_BY_ZERO",
      "1 DIV A.v",
      "(SELECT * FROM t UNION ALL SELECT * FROM t)"
    ),
    ansi(
      "MEASURES COUNT(*) AS n, SUM(1 DIV v) AS r ALL ROWS PER MATCH PATTERN (A+)",
      "DIVIDE_BY_ZERO",
      "1 DIV v"
    ),
    ansi(
      "MEASURES COUNT(*) AS n, 1 DIV v AS r ALL ROWS PER MATCH PATTERN (A+)",
      "DIVIDE_BY_ZERO",
      "1 DIV v"
    ),
    ansi(
      "MEASURES 1 DIV (LAST(k) - 2) AS r ONE ROW PER MATCH SHOW TIMEOUT MATCHES\n" +
        "  PATTERN (A B{2}) WITHIN 5",
      "DIVIDE_BY_ZERO",
      "1 DIV (LAST(k) - 2)"
    ),
    ansi(
      "MEASURES 1 AS m PATTERN (A+) DEFINE A AS CAST(c AS INT) > 0",
      "CAST_INVALID_INPUT",
      "CAST(c AS INT)"
    ),
    ansi(
      "MEASURES 1 AS m PATTERN (A+) DEFINE A AS k + 2147483646 > 0",
      "ARITHMETIC_OVERFLOW",
      "k + 2147483646"
    ),
    ansi("MEASURES arr[LAST(k)] AS m PATTERN (A+)", "INVALID_ARRAY_INDEX", "arr[LAST(k)]"),
    ansi(
      "MEASURES element_at(arr, 5) AS m PATTERN (A)",
      "INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
      "elem"
    ),
    ansi(
      "MEASURES to_date(c, 'yyyy') AS m PATTERN (A)",
      "CANNOT_PARSE_TIMESTAMP",
      ""
    ),
    ansi(
      "MEASURES 1 AS m PATTERN (A) DEFINE A AS raise_error('stop ' || c) IS NULL",
      "USER_RAISED_EXCEPTION",
      ""
    ),
    ansi(
      "MEASURES LAST((SELECT k FROM t)) AS m PATTERN (A)",
      s"${prefix}INVALID_NAVIGATION.NO_COLUMN",
      "LAST((SELECT k FROM t))"
    ),
    ansi("MEASURES (SELECT k FROM t) AS m PATTERN (A)", "SCALAR_SUBQUERY_TOO_MANY_ROWS", "(SELECT")
  )

  val all: Seq[ErrorQuery] = skips ++ limits ++ expressions
}
