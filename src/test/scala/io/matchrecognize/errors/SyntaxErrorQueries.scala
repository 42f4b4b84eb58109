package io.matchrecognize.errors

import io.matchrecognize.errors.ErrorQuery.of

/** Mistakes that the parser finds. */
object SyntaxErrorQueries {
  private def syntax(body: String, at: String) = ErrorQuery(of(body), "PARSE_SYNTAX_ERROR", at)

  private val measures = Seq(
    syntax("MEASURES COUNT(*) PATTERN (A)", "PATTERN"),
    syntax("MEASURES COUNT(*) AS PATTERN (A)", "(A)"),
    syntax("MEASURES COUNT(*), v AS x PATTERN (A)", ", v"),
    syntax("MEASURES v IS NULL PATTERN (A)", "PATTERN"),
    syntax("MEASURES LAST(v) AS 'l' PATTERN (A)", "'l'"),
    syntax("MEASURES PATTERN (A)", ")"),
    syntax("MEASURES FIRST(k) AS a LAST(k) AS b PATTERN (A)", "LAST"),
    syntax("MEASURES FIRST(k) AS a,\n  PATTERN (A)", ","),
    syntax("MEASURES FINAL A.k AS m PATTERN (A)", ".k"),
    syntax("MEASURES LAST(FINAL A.k) AS m PATTERN (A)", "A.k"),
    syntax("MEASURES LAST(k) AS k WHERE v > 3 PATTERN (A)", "WHERE"),
    syntax("MEASURES * PATTERN (A)", "* PATTERN"),
    syntax("MEASURES COUNT(*) FILTER WHERE v > 3 AS n PATTERN (A)", "WHERE"),
    syntax("MEASURES A.*, COUNT(*) AS n PATTERN (A)", "*, COUNT"),
    syntax("MEASURES COUNT(*) AS n, *\n  ONE ROW PER MATCH PATTERN (A)", "*\n  ONE")
  )

  private val keys = Seq(
    syntax("PARTITION BY g, ORDER BY k PATTERN (A)", ", ORDER"),
    syntax("ORDER BY * MEASURES COUNT(*) AS n PATTERN (A)", "* MEASURES"),
    syntax("ORDER BY MEASURES COUNT(*) AS n PATTERN (A)", "MEASURES"),
    syntax("ORDER BY k, MEASURES COUNT(*) AS n PATTERN (A)", ", MEASURES"),
    syntax("MEASURES \u201cx\u201d AS n PATTERN (A)", "\u201c"),
    syntax("ORDER BY k\n  MEASURE COUNT(*) AS n\n  PATTERN (A)", "MEASURE COUNT"),
    syntax("ORDER BY k + > 1 PATTERN (A)", "> 1"),
    syntax("ORDER BY ts PATTERN (A) WITHIN 5 MINS", "MINS"),
    syntax("MEASURES COUNT(*) AS n PATERN (A)", "PATERN"),
    syntax("PATTERN (A B) DEFNIE A AS v > 1", "DEFNIE"),
    syntax("PATTERN (A B) DEFINES A AS v > 1", "DEFINES"),
    syntax("MEASURES COUNT(*) AS n ALL ROW PER MATCH PATTERN (A)", "ALL ROW"),
    syntax("ORDER BY ts PATTERN (A) WITHIN (5 MINUTES)", ")"),
    syntax("PARTITION g ORDER BY k PATTERN (A)", "PARTITION g"),
    syntax("PARTITION BY g ORDER k PATTERN (A)", "ORDER k"),
    syntax("GROUP BY g ORDER BY k PATTERN (A)", "GROUP BY"),
    syntax("PARTITION BY g SORT BY k PATTERN (A)", "SORT BY"),
    syntax("MEASURES n := COUNT(*) PATTERN (A)", ":="),
    syntax("MEASURES COUNT(*) AS n SKIP PAST LAST ROW PATTERN (A)", "SKIP PAST"),
    syntax("MEASURES COUNT(*) AS n PATTERN (A);", ";")
  )

  private val definitions = Seq(
    syntax("PATTERN (A) DEFINE A", ")"),
    syntax("PATTERN (A B) DEFINE A AS v > 1, B", ")"),
    syntax("PATTERN (A B) DEFINE A AS v > 1,", ","),
    syntax("PATTERN (A) DEFINE A v > 1", "v > 1"),
    syntax("PATTERN (A) DEFINE A AS v >", ")"),
    syntax("PATTERN (A) DEFINE A AS v > > 1", "> 1"),
    syntax("PATTERN (A) DEFINE A AS v w", "w"),
    syntax("PATTERN (A) DEFINE A AS", ")"),
    syntax("PATTERN (A B) DEFINE A AS v > 1\n  B AS v > 2", "B AS"),
    syntax("PATTERN (A B) DEFINE A AS v > 1 AND B AS v > 2", "B AS"),
    syntax("PATTERN (A) DEFINE A = v > 1", "= v"),
    syntax("PATTERN (A) SUBSET U = A DEFINE A AS v > 1", "A DEFINE"),
    syntax("PATTERN (A) SUBSET U AS (A)", "AS (A)")
  )

  private val options = Seq(
    syntax("ONE ROW PER MATCH SHOW EMPTY MATCHES PATTERN (A)", "EMPTY"),
    syntax("ONE ROW PER MATCH OMIT EMPTY MATCHES PATTERN (A)", "OMIT"),
    syntax("ONE ROW PER MATCH WITH UNMATCHED ROWS PATTERN (A)", "WITH"),
    syntax("ALL ROWS PER MATCH SHOW TIMEOUT MATCHES PATTERN (A)", "TIMEOUT"),
    syntax("ALL ROWS PER MATCH SHOW UNMATCHED ROWS PATTERN (A)", "UNMATCHED"),
    syntax("ALL ROWS PER MATCH OMIT UNMATCHED ROWS PATTERN (A)", "UNMATCHED"),
    syntax("ALL ROWS PER MATCH WITHOUT UNMATCHED ROWS PATTERN (A)", "WITHOUT"),
    syntax("ALL ROWS PER MATCH WITH EMPTY MATCHES PATTERN (A)", "EMPTY"),
    syntax("ALL ROWS PER MATCH SHOW EMPTY ROWS PATTERN (A)", "ROWS PATTERN"),
    syntax("ALL ROWS PER MATCH SHOW MATCHES PATTERN (A)", "MATCHES"),
    syntax("ALL ROWS PER MATCH OMIT TIMEOUT MATCHES PATTERN (A)", "TIMEOUT"),
    syntax("ALL ROWS PER MATCH SHOW EMPTY MATCHES WITH UNMATCHED ROWS PATTERN (A)", "WITH"),
    syntax("ONE ROW PER MATCH SHOW UNMATCHED ROWS PATTERN (A)", "UNMATCHED"),
    syntax("ONE ROW PER MATCH OMIT UNMATCHED ROWS PATTERN (A)", "OMIT"),
    syntax("ONE ROW PER MATCH WITH TIMEOUT MATCHES PATTERN (A)", "WITH"),
    syntax("ONE ROW PER MATCH SHOW TIMEOUT ROWS PATTERN (A)", "ROWS PATTERN"),
    syntax("ALL ROWS MATCH PATTERN (A)", "MATCH"),
    syntax("AFTER MATCH SKIP TO PAST LAST ROW PATTERN (A)", "LAST"),
    syntax("AFTER MATCH SKIP PAST ROW PATTERN (A)", "ROW"),
    syntax("AFTER MATCH SKIP PATTERN (A)", "PATTERN"),
    syntax("AFTER MATCH SKIP TO NEXT A PATTERN (A)", "A PATTERN"),
    syntax("AFTER MATCH PATTERN (A)", "PATTERN"),
    syntax("foo bar + 1", "foo")
  )

  private val patterns = Seq(
    syntax("PATTERN (A |)", ")"),
    syntax("PATTERN (| A)", "| A"),
    syntax("PATTERN (A || B)", "|| B"),
    syntax("PATTERN ()", ")"),
    syntax("PATTERN ({- -} A)", "-}"),
    syntax("PATTERN (PERMUTE(A, , B))", ", B"),
    syntax("PATTERN (PERMUTE())", "))"),
    syntax("PATTERN (A+*)", "*"),
    syntax("PATTERN (+ A)", "+ A"),
    syntax("PATTERN (A{2}{3})", "{3}"),
    syntax("PATTERN (A(2,) B)", "(2,"),
    syntax("PATTERN ((A B)(2, 5))", "(2, 5"),
    syntax("PATTERN (A{})", "}"),
    syntax("PATTERN (A{-1,2})", "1,2"),
    syntax("PATTERN (A{x + 1})", "x + 1"),
    syntax("PATTERN (A{:n + 1,})", "+ 1"),
    syntax("PATTERN (A{?}??)", "?)"),
    syntax("PATTERN (A{:})", "})"),
    syntax("PATTERN (A{'2'})", "'2'"),
    syntax("PATTERN (A{1 2})", "2}"),
    syntax("PATTERN (A{1.5})", "1.5"),
    syntax("PATTERN (A, B)", ", B"),
    syntax("PATTERN (A . B)", ". B"),
    syntax("PATTERN (A -> B)", "-> B"),
    syntax("PATTERN (A !B)", "!B"),
    syntax("PATTERN (A [^B])", "[^B]"),
    syntax("PATTERN (A[2,3])", "[2,3]"),
    syntax("PATTERN ('A B')", "'A B'"),
    syntax("PATTERN (\"first day\" B+)", "\"first day\""),
    syntax("PATTERN (A) DEFINE \"first day\" AS v > 1", "\"first day\""),
    syntax("AFTER MATCH SKIP TO LAST \"first day\" PATTERN (A)", "\"first day\""),
    syntax("PATTERN (A B) SUBSET U = (\"first day\", B)", "\"first day\""),
    syntax("PATTERN (A) DEFINE A 'login'", "'login'"),
    syntax("PATTERN (A v > 1)", "> 1"),
    syntax("PATTERN (A+ WITHIN 5 MINUTE)", "5 MINUTE"),
    syntax("PATTERN (A+ WITHIN INTERVAL '5' MINUTE)", "'5'"),
    syntax("PATTERN (A {- B)", ")"),
    syntax("PATTERN (A B -})", "-}"),
    syntax("PATTERN (A ~> B)", "~"),
    syntax("PATTERN (A & B)", "& B"),
    syntax("PATTERN (A % B)", "% B"),
    syntax("PATTERN (A# B)", "# B"),
    syntax("PATTERN (A ; B)", "; B"),
    syntax("PATTERN (A 3)", "3"),
    syntax("MEASURES COUNT(*)) AS n PATTERN (A)", ") AS n"),
    syntax("PATTERN (A+)) DEFINE A AS v > 1", ") DEFINE"),
    syntax("PATTERN A B+", "PATTERN"),
    syntax("PATTERN 'A B+'", "PATTERN"),
    ErrorQuery(
      "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS v > 1",
      "PARSE_SYNTAX_ERROR",
      ""
    ),
    ErrorQuery(
      "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS (v > 1)",
      "PARSE_SYNTAX_ERROR",
      ""
    )
  )

  private val order = Seq(
    "MEASURES v AS m ORDER BY k PATTERN (A)" -> "ORDER BY k",
    "WITHIN 1 PATTERN (A)" -> "PATTERN (A)",
    "PATTERN (A) DEFINE A AS v > 1 MEASURES v AS m" -> "MEASURES v AS m",
    "PATTERN (A) ONE ROW PER MATCH" -> "ONE ROW PER MATCH",
    "PATTERN (A) AFTER MATCH SKIP TO NEXT ROW" -> "AFTER MATCH SKIP TO NEXT ROW",
    "PATTERN (A) DEFINE A AS v > 1 WITHIN INTERVAL 1 HOUR" -> "WITHIN"
  ).map { case (body, at) =>
    ErrorQuery(of(body), "MATCH_RECOGNIZE_INVALID_CLAUSE.CLAUSE_ORDER", at)
  } ++ Seq(
    ErrorQuery(of("PATTERN (A) PATTERN (B)"), "DUPLICATE_CLAUSES", "PATTERN (B)"),
    ErrorQuery(of("MEASURES 1 AS a MEASURES 2 AS b PATTERN (B)"), "DUPLICATE_CLAUSES", "MEASURES 2")
  )

  private val parts = Seq(
    "" -> "MISSING_PATTERN" -> "MATCH_RECOGNIZE (",
    "ORDER BY k MEASURES COUNT(*) AS n DEFINE A AS TRUE" -> "MISSING_PATTERN" -> "MATCH_RECOGNIZE (",
    "MEASURES v AS m INITIAL PATTERN (A)" -> "SEARCH_MODIFIER" -> "INITIAL",
    "MEASURES v AS m SEEK PATTERN (A)" -> "SEARCH_MODIFIER" -> "SEEK",
    "INITIAL ORDER BY k PATTERN (A)" -> "SEARCH_MODIFIER" -> "INITIAL",
    "PARTITION BY g INITIAL ORDER BY k PATTERN (A)" -> "SEARCH_MODIFIER" -> "INITIAL",
    "PARTITION BY g SEEK PATTERN (A)" -> "SEARCH_MODIFIER" -> "SEEK",
    "ORDER BY k SEEK MEASURES v AS m PATTERN (A)" -> "SEARCH_MODIFIER" -> "SEEK",
    "ORDER BY k DESC NULLS LAST SEEK PATTERN (A)" -> "SEARCH_MODIFIER" -> "SEEK",
    "MEASURES v AS m SEEK AFTER MATCH SKIP TO A PATTERN (A)" -> "SEARCH_MODIFIER" -> "SEEK",
    "AFTER MATCH SKIP PAST LAST ROW SEEK PATTERN (A)" -> "SEARCH_MODIFIER" -> "SEEK",
    "AFTER MATCH SKIP TO LAST A INITIAL PATTERN (A)" -> "SEARCH_MODIFIER" -> "INITIAL",
    "ALL ROWS PER MATCH INITIAL AFTER MATCH SKIP TO A PATTERN (A)" -> "SEARCH_MODIFIER" -> "INIT",
    "PATTERN (A) SEEK" -> "SEARCH_MODIFIER" -> "SEEK",
    "PATTERN (A) INITIAL WITHIN 5" -> "SEARCH_MODIFIER" -> "INITIAL",
    "PATTERN (A) WITHIN 5 SEEK SUBSET U = (A)" -> "SEARCH_MODIFIER" -> "SEEK",
    "PATTERN (A) WITHIN 5 SEEK" -> "SEARCH_MODIFIER" -> "SEEK",
    "PATTERN (A) SUBSET U = (A) SEEK DEFINE A AS v > 1" -> "SEARCH_MODIFIER" -> "SEEK",
    "PATTERN (A) DEFINE A AS v > 1 SEEK" -> "SEARCH_MODIFIER" -> "SEEK",
    "MEASURES v AS m INITIAL SEEK PATTERN (A)" -> "SEARCH_MODIFIER" -> "INITIAL",
    "ORDER BY k ONE ROW PER MATCH SHOW TIMEOUT MATCHES PATTERN (A)" -> "TIMEOUT_WITHOUT_WITHIN" ->
      "ONE ROW PER MATCH SHOW TIMEOUT MATCHES"
  ).map { case ((body, condition), at) =>
    ErrorQuery(of(body), s"MATCH_RECOGNIZE_INVALID_CLAUSE.$condition", at)
  }

  private val quantifiers =
    Seq("{0}", "{0,0}", "{,0}", "{5,1}", "{2147483648}", "{1,99999999999999999999}").map { q =>
      val condition = "MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_BOUNDS"
      ErrorQuery(of(s"PATTERN (A (B C)$q)"), condition, q)
    } ++ Seq("{:n,}" -> ":n", "{1,?}?" -> "?").map { case (q, bound) =>
      val condition = "MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_VALUE"
      ErrorQuery(of(s"PATTERN (A (B C)$q)"), condition, bound)
    } ++ Seq("{n}" -> "n", "{1,session.most}" -> "session").map { case (q, bound) =>
      ErrorQuery(of(s"PATTERN (A (B C)$q)"), "PARSE_SYNTAX_ERROR", bound)
    }

  private val nested = {
    val inner = "(SELECT max(x) FROM t MATCH_RECOGNIZE (MEASURES v AS x PATTERN (X)))"
    Seq(
      s"MEASURES $inner AS m PATTERN (A)",
      s"PATTERN (A B) DEFINE A AS TRUE, B AS v > $inner"
    ).map { body =>
      ErrorQuery(of(body), "MATCH_RECOGNIZE_UNSUPPORTED.NESTED_CLAUSE", "MATCH_RECOGNIZE (MEAS")
    } :+ ErrorQuery(
      of("ALL ROWS PER MATCH WITH UNMATCHED ROWS PATTERN (A ({- B -} C)+)"),
      "MATCH_RECOGNIZE_INVALID_PATTERN.EXCLUSION_WITH_UNMATCHED_ROWS",
      "{- B -}"
    )
  }

  private val functions = Seq(
    "PREV(DISTINCT v)",
    "FIRST(v) FILTER (WHERE v > 1)",
    "LAST(v) IGNORE NULLS",
    "LAST(v IGNORE NULLS)",
    "CLASSIFIER(DISTINCT A)",
    "NEXT(v) WITHIN GROUP (ORDER BY k)"
  ).map { call =>
    val condition = "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX"
    ErrorQuery(of(s"MEASURES $call AS m PATTERN (A)"), condition, call.takeWhile(_ != '('))
  }

  private val around = {
    val mr = "MATCH_RECOGNIZE (PATTERN (A))"
    val keyed = "MATCH_RECOGNIZE (ORDER BY k PATTERN (A))"
    Seq(
      s"SELECT * FROM t $mr WHERE" -> "",
      s"SELECT * FORM t\n$mr AS m" -> "",
      s"SELECT * FROM t $mr AS m TABLESAMPLE (10 ROWS)" -> "TABLESAMPLE",
      s"DELETE FROM t $mr WHERE x = 1" -> "MATCH_RECOGNIZE",
      s"UPDATE t $mr SET x = 1" -> "MATCH_RECOGNIZE",
      s"DELETE FROM t WHERE x = 1 $mr" -> "MATCH_RECOGNIZE",
      s"INSERT INTO t $mr SELECT 1" -> "MATCH_RECOGNIZE",
      s"MERGE INTO t $mr USING s ON true WHEN MATCHED THEN DELETE" -> "MATCH_RECOGNIZE",
      s"SELECT * FROM t LATERAL VIEW explode(x) y $mr" -> "MATCH_RECOGNIZE",
      s"SELECT * FROM t WHERE k = 1 $mr" -> "MATCH_RECOGNIZE",
      s"SELECT * FROM t $mr)" -> ")",
      s"SELECT * FROM $keyed" -> "MATCH_RECOGNIZE",
      s"SELECT * $mr FROM t" -> "MATCH_RECOGNIZE",
      s"SELECT * FROM t.$keyed" -> "MATCH_RECOGNIZE",
      s"SELECT * FROM t $mr AS a JOIN $keyed" -> "MATCH_RECOGNIZE",
      "SELECT * FROM t MATCH_RECOGNIZE ORDER BY k PATTERN (A)" -> "MATCH_RECOGNIZE",
      "SELECT * FROM t MATCH_RECOGNISE (ORDER BY k PATTERN (A))" -> "MATCH_RECOGNISE",
      "SELECT * FROM t MATCH RECOGNIZE (ORDER BY k PATTERN (A))" -> "MATCH RECOGNIZE"
    ).map { case (sql, at) => ErrorQuery(sql, "PARSE_SYNTAX_ERROR", at) }
  }

  private val literals = Seq(
    syntax("PATTERN (NULL+)", "NULL"),
    syntax("PATTERN (A | true)", "true"),
    syntax("PATTERN (A) SUBSET FALSE = (A)", "FALSE"),
    syntax("PATTERN (A `NULL`) SUBSET U = (A, NULL)", "NULL)"),
    syntax("PATTERN (A `NULL`) DEFINE NULL AS v > 1", "NULL AS"),
    syntax("AFTER MATCH SKIP TO NULL PATTERN (A `NULL`)", "NULL PATTERN"),
    syntax("AFTER MATCH SKIP TO LAST TRUE PATTERN (A `TRUE`)", "TRUE PATTERN"),
    syntax("MEASURES NULL.k AS m PATTERN (`NULL`)", "NULL.k"),
    syntax("PATTERN (`TRUE`) DEFINE `TRUE` AS v > 1 AND TRUE.k > 2", "TRUE.k"),
    syntax("MEASURES COUNT(FALSE.*) AS m PATTERN (`FALSE`)", "FALSE.*")
  )

  // Characters beyond the basic plane take two chars of a String.
  private val wide = {
    def wide(clause: String) =
      s"SELECT '\uD83D\uDE00\uD83D\uDE00' AS e, * FROM t MATCH_RECOGNIZE (\n  $clause)"
    Seq(
      ErrorQuery(
        wide("MEASURES '\uD83D\uDE00' || LAST(v) AS m PATTERN (A {- B -})\n  MEASURES 1 AS n"),
        "DUPLICATE_CLAUSES",
        "MEASURES 1"
      ),
      ErrorQuery(
        wide("MEASURES '\uD83D\uDE00' || v || PREV(DISTINCT v) AS m PATTERN (A)"),
        "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
        "PREV(DISTINCT"
      ),
      ErrorQuery(
        wide("MEASURES '\uD83D\uDE00' AS m PATTERN (A (B '\uD83D\uDE00'))"),
        "PARSE_SYNTAX_ERROR",
        "'\uD83D\uDE00'))"
      ),
      ErrorQuery(
        wide(
          "MEASURES '\uD83D\uDE00' AS m ALL ROWS PER MATCH WITH UNMATCHED ROWS PATTERN ({- A -})"
        ),
        "MATCH_RECOGNIZE_INVALID_PATTERN.EXCLUSION_WITH_UNMATCHED_ROWS",
        "{- A -}"
      )
    )
  }

  private val lexing = Seq(
    ErrorQuery("SELECT * FROM t MATCH_RECOGNIZE (/*", "UNCLOSED_BRACKETED_COMMENT", "/*"),
    ErrorQuery(of("MEASURES v AS größe PATTERN (A)"), "INVALID_IDENTIFIER", "größe"),
    ErrorQuery(
      of("MEASURES 1 AS one PATTERN (A)"),
      "FEATURE_NOT_ENABLED",
      "MATCH_RECOGNIZE",
      Seq("spark.matchRecognize.enabled" -> "false")
    )
  )

  val all: Seq[ErrorQuery] = measures ++ keys ++ definitions ++ options ++ patterns ++ order ++
    parts ++ quantifiers ++ nested ++ functions ++ around ++ literals ++ wide ++ lexing
}
