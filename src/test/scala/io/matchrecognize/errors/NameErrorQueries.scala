package io.matchrecognize.errors

import io.matchrecognize.errors.ErrorQuery.{clause, of}

/** Names that are unknown, ambiguous, given twice, or not visible. */
object NameErrorQueries {
  private val prefix = "MATCH_RECOGNIZE_"

  private val unknown = Seq(
    clause(measures = "Z.k AS m") -> "Z.k",
    clause(measures = "CLASSIFIER(Z) AS m") -> "Z",
    clause(measures = "COUNT(Z.*) AS m") -> "Z",
    clause(measures = "MATCH_ROWTIME(Z) AS m") -> "Z",
    clause(rest = "AFTER MATCH SKIP TO LAST Z") -> "Z",
    clause(measures = "LAST(Z.v) AS m") -> "Z.v",
    clause(define = "B AS Z.v > 1") -> "Z.v",
    of("ORDER BY k MEASURES DOWM.v AS m PATTERN (STRT DOWN+ UP+)") -> "DOWM.v",
    of("ORDER BY k MEASURES E.v AS m PATTERN (A1 B1 C1 D1 E1 F1 G1)") -> "E.v"
  ).map { case (sql, at) => ErrorQuery(sql, s"${prefix}INVALID_VARIABLE.UNKNOWN", at) }

  private val qualifiers = Seq(
    ErrorQuery(clause(measures = "t.k AS m"), s"${prefix}INVALID_VARIABLE.INPUT_QUALIFIER", "t.k"),
    ErrorQuery(
      "SELECT * FROM t AS src MATCH_RECOGNIZE (ORDER BY k MEASURES 1 AS m PATTERN (A)\n" +
        "  DEFINE A AS t.v > 1)",
      s"${prefix}INVALID_VARIABLE.UNKNOWN",
      "t.v"
    ),
    ErrorQuery(clause(define = "C AS TRUE"), s"${prefix}INVALID_VARIABLE.NOT_PRIMARY", "C"),
    ErrorQuery(
      of("ORDER BY k MEASURES 1 AS m PATTERN (A B) SUBSET U = (A, C)"),
      s"${prefix}INVALID_VARIABLE.NOT_PRIMARY",
      "C"
    ),
    ErrorQuery(
      of("ORDER BY k MEASURES 1 AS m PATTERN (A B) SUBSET U = (A, B) DEFINE U AS v > 1"),
      s"${prefix}INVALID_VARIABLE.NOT_PRIMARY",
      "U"
    ),
    ErrorQuery(
      of("ORDER BY k MEASURES 1 AS m PATTERN (()) DEFINE A AS v > 1"),
      s"${prefix}INVALID_VARIABLE.NOT_PRIMARY",
      "A"
    )
  )

  private val duplicates = Seq(
    clause(define = "B AS TRUE, b AS FALSE") -> "b",
    of("ORDER BY k MEASURES 1 AS m PATTERN (A B) SUBSET a = (A, B)") -> "a",
    of("ORDER BY k MEASURES 1 AS m PATTERN (A B) SUBSET U = (A), U = (B)") -> "U"
  ).map { case (sql, at) => ErrorQuery(sql, s"${prefix}DUPLICATE_NAME.VARIABLE", at) } ++ Seq(
    clause(measures = "COUNT(*) AS n, MAX(v) AS n") -> "n",
    clause(measures = "COUNT(*) AS v", rest = "ALL ROWS PER MATCH") -> "v",
    clause(measures = "COUNT(*) AS g", keys = "PARTITION BY g ORDER BY k") -> "g"
  ).map { case (sql, at) => ErrorQuery(sql, s"${prefix}DUPLICATE_NAME.OUTPUT_COLUMN", at) } ++ Seq(
    clause(keys = "PARTITION BY v % 2 AS k ORDER BY k") -> "v % 2 AS k",
    clause(keys = "PARTITION BY v % 2 parity, v % 3 AS PARITY ORDER BY k") -> "v % 3 AS PARITY"
  ).map { case (sql, at) => ErrorQuery(sql, s"${prefix}DUPLICATE_NAME.PARTITION_KEY", at) }

  private val columns = Seq(
    ErrorQuery(clause(measures = "A.nosuch AS m"), column, "A.nosuch"),
    ErrorQuery(clause(measures = "A.vv AS m"), column, "A.vv"),
    ErrorQuery(clause(define = "B AS nosuch > 1"), column, "nosuch"),
    ErrorQuery(clause(keys = "ORDER BY kk"), column, "kk"),
    ErrorQuery(clause(keys = "PARTITION BY u.g ORDER BY k"), column, "u.g"),
    ErrorQuery(clause(measures = "A.s.g AS m"), "FIELD_NOT_FOUND", "A.s.g"),
    ErrorQuery(clause(measures = "A.v.g AS m"), "INVALID_EXTRACT_BASE_FIELD_TYPE", "A.v.g"),
    ErrorQuery(
      "SELECT * FROM (SELECT 1 AS k, 2 AS k) MATCH_RECOGNIZE (MEASURES LAST(k) AS m PATTERN (A))",
      "AMBIGUOUS_REFERENCE",
      "k"
    ),
    ErrorQuery(s"SELECT v FROM (${clause()})", column, "v"),
    ErrorQuery("SELECT t.k FROM t MATCH_RECOGNIZE (MEASURES 1 AS m PATTERN (A))", column, "t.k"),
    ErrorQuery(s"SELECT n FROM $aboveClause WHERE v > 3", column, "v"),
    ErrorQuery(s"SELECT n FROM $aboveClause ORDER BY n, v", column, "v"),
    ErrorQuery(
      "SELECT * FROM t MATCH_RECOGNIZE (MEASURES 1 AS m PATTERN (A)) AS mr (a, b)",
      "ASSIGNMENT_ARITY_MISMATCH",
      "AS mr"
    )
  )

  private def aboveClause =
    "t MATCH_RECOGNIZE (PARTITION BY g ORDER BY k MEASURES COUNT(*) AS n PATTERN (A B+))"

  private def column = "UNRESOLVED_COLUMN.WITH_SUGGESTION"

  private val routines = Seq(
    ErrorQuery(clause(measures = "nosuch(v) AS m"), "UNRESOLVED_ROUTINE", "nosuch(v)"),
    ErrorQuery(clause(measures = "FINAL LSAT(A.v, 1) AS m"), "UNRESOLVED_ROUTINE", "LSAT(A.v, 1)"),
    ErrorQuery("SELECT CLASSIFIER() FROM t", "UNRESOLVED_ROUTINE", "CLASSIFIER()"),
    ErrorQuery(s"SELECT PREV(n) FROM (${clause()})", "UNRESOLVED_ROUTINE", "PREV(n)")
  )

  private val outer = Seq(
    ErrorQuery(
      "SELECT (SELECT MAX(n) FROM t MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n\n" +
        "  PATTERN (A) DEFINE A AS z > v)) FROM o",
      s"${prefix}UNSUPPORTED.OUTER_REFERENCE",
      "z"
    ),
    ErrorQuery(
      "SELECT * FROM o, LATERAL (SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k + z\n" +
        "  MEASURES COUNT(*) AS n PATTERN (A)))",
      s"${prefix}UNSUPPORTED.OUTER_REFERENCE",
      "z"
    ),
    ErrorQuery(
      clause(define = "B AS v > (SELECT MAX(z) FROM o WHERE z = k)"),
      s"${prefix}UNSUPPORTED.CORRELATED_SUBQUERY",
      "k"
    ),
    ErrorQuery(
      clause(measures = "(SELECT MAX(z) FROM o WHERE z = A.k) AS m"),
      s"${prefix}UNSUPPORTED.CORRELATED_SUBQUERY",
      "A.k"
    )
  )

  val all: Seq[ErrorQuery] =
    unknown ++ qualifiers ++ duplicates ++ columns ++ routines ++ outer
}
