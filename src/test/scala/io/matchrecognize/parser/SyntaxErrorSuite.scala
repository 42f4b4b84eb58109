package io.matchrecognize.parser

import org.scalatest.funsuite.AnyFunSuite

/** Mistakes in the clause: condition, place and advice. */
class SyntaxErrorSuite extends AnyFunSuite with ParserSupport {
  private def clauseOf(body: String) = s"SELECT *\nFROM t MATCH_RECOGNIZE (\n  $body\n) AS m"

  private def syntax(body: String, at: String, hint: String): Unit =
    test(s"syntax: $body") {
      checkFailure(clauseOf(body), "PARSE_SYNTAX_ERROR", at, hint)
    }

  private val measure = "a measure needs a name, as in COUNT(*) AS n"
  private val condition = "a variable needs a condition, as in A AS price > 10"
  private val skip = "SKIP goes PAST LAST ROW, TO NEXT ROW, or TO, TO FIRST, TO LAST a variable"
  private val nothing = "nothing stands here, write () to match no row"
  private val repeat = "nothing to repeat here, repeat a group as in (A+)*"
  private val quantifier = "a quantifier is *, +, ?, {n}, {n,}, {n,m} or {,m}"

  syntax("MEASURES COUNT(*) PATTERN (A)", "PATTERN", measure)
  syntax("MEASURES COUNT(*) AS PATTERN (A)", "(A)", measure)
  syntax("MEASURES COUNT(*), v AS x PATTERN (A)", ", v", measure)
  syntax("MEASURES v IS NULL PATTERN (A)", "PATTERN", measure)
  syntax("PATTERN (A) DEFINE A", ")", condition)
  syntax("PATTERN (A B) DEFINE A AS v > 1, B", ")", condition)
  syntax("PATTERN (A) DEFINE A v > 1", "v > 1", condition)
  syntax(
    "ONE ROW PER MATCH SHOW EMPTY MATCHES PATTERN (A)",
    "EMPTY",
    "this option belongs to ALL ROWS"
  )
  syntax(
    "ONE ROW PER MATCH OMIT EMPTY MATCHES PATTERN (A)",
    "OMIT",
    "this option belongs to ALL ROWS"
  )
  syntax(
    "ONE ROW PER MATCH WITH UNMATCHED ROWS PATTERN (A)",
    "WITH",
    "this option belongs to ALL ROWS"
  )
  syntax(
    "ALL ROWS PER MATCH SHOW TIMEOUT MATCHES PATTERN (A)",
    "TIMEOUT",
    "this option belongs to ONE ROW"
  )
  syntax("AFTER MATCH SKIP TO PAST LAST ROW PATTERN (A)", "LAST", skip)
  syntax("AFTER MATCH SKIP PAST ROW PATTERN (A)", "ROW", skip)
  syntax("AFTER MATCH SKIP PATTERN (A)", "PATTERN", skip)
  syntax("PATTERN (A |)", ")", nothing)
  syntax("PATTERN (| A)", "| A", nothing)
  syntax("PATTERN (A || B)", "|| B", nothing)
  syntax("PATTERN ()", ")", nothing)
  syntax("PATTERN ({- -} A)", "-}", nothing)
  syntax("PATTERN (PERMUTE(A, , B))", ", B", nothing)
  syntax("PATTERN (PERMUTE())", "))", nothing)
  syntax("PATTERN (A+*)", "*", repeat)
  syntax("PATTERN (+ A)", "+ A", repeat)
  syntax("PATTERN (A{2}{3})", "{3}", repeat)
  syntax("PATTERN (A{})", "}", quantifier)
  syntax("PATTERN (A{-1,2})", "1,2", quantifier)
  syntax("PATTERN (A{x})", "x}", quantifier)
  syntax("PATTERN (A{1 2})", "2}", quantifier)
  syntax("PATTERN (A {- B)", ")", "it is opened at line 3, position 13 and not closed")
  syntax("PATTERN (A) DEFINE A AS v >", ")", "")
  syntax("PATTERN (A) DEFINE A AS v > > 1", "> 1", "")
  syntax("PATTERN (A) DEFINE A AS v w", "w", "")
  syntax("foo bar + 1", "foo", "")

  test("an unclosed clause") {
    checkFailure(
      "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS v > 1",
      "PARSE_SYNTAX_ERROR",
      "",
      "it is opened at line 1, position 32 and not closed"
    )
  }

  test("order and number of parts") {
    checkFailure(
      clauseOf("MEASURES v AS m ORDER BY k PATTERN (A)"),
      "MATCH_RECOGNIZE_INVALID_CLAUSE.CLAUSE_ORDER",
      "ORDER BY k",
      "ORDER BY cannot follow MEASURES"
    )
    checkFailure(
      clauseOf("WITHIN 1 PATTERN (A)"),
      "MATCH_RECOGNIZE_INVALID_CLAUSE.CLAUSE_ORDER",
      "PATTERN (A)",
      "PATTERN cannot follow WITHIN"
    )
    checkFailure(
      clauseOf("PATTERN (A) DEFINE A AS v > 1 MEASURES v AS m"),
      "MATCH_RECOGNIZE_INVALID_CLAUSE.CLAUSE_ORDER",
      "MEASURES v AS m"
    )
    checkFailure(clauseOf("PATTERN (A) PATTERN (B)"), "DUPLICATE_CLAUSES", "PATTERN (B)", "PATTERN")
    checkFailure(
      clauseOf("MEASURES 1 AS a MEASURES 2 AS b PATTERN (B)"),
      "DUPLICATE_CLAUSES",
      "MEASURES 2",
      "MEASURES"
    )
    Seq("", "ORDER BY k MEASURES COUNT(*) AS n DEFINE A AS TRUE").foreach { body =>
      checkFailure(
        clauseOf(body),
        "MATCH_RECOGNIZE_INVALID_CLAUSE.MISSING_PATTERN",
        "MATCH_RECOGNIZE ("
      )
    }
    Seq("INITIAL", "SEEK").foreach { word =>
      checkFailure(
        clauseOf(s"MEASURES v AS m $word PATTERN (A)"),
        "MATCH_RECOGNIZE_INVALID_CLAUSE.SEARCH_MODIFIER",
        word,
        word
      )
    }
    checkFailure(
      clauseOf("ONE ROW PER MATCH SHOW TIMEOUT MATCHES PATTERN (A)"),
      "MATCH_RECOGNIZE_INVALID_CLAUSE.TIMEOUT_WITHOUT_WITHIN",
      "ONE ROW PER MATCH SHOW TIMEOUT MATCHES"
    )
  }

  test("patterns") {
    Seq("{0}", "{0,0}", "{,0}", "{5,1}", "{2147483648}", "{1,99999999999999999999}").foreach { q =>
      checkFailure(
        clauseOf(s"PATTERN (A (B C)$q)"),
        "MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_BOUNDS",
        q,
        s"`$q` after `(B C)`"
      )
    }
    checkFailure(
      clauseOf("ALL ROWS PER MATCH WITH UNMATCHED ROWS PATTERN (A ({- B -} C)+)"),
      "MATCH_RECOGNIZE_INVALID_PATTERN.EXCLUSION_WITH_UNMATCHED_ROWS",
      "{- B -}",
      "`{- B -}`"
    )
  }

  test("nested clauses") {
    val inner = "(SELECT max(x) FROM t MATCH_RECOGNIZE (MEASURES v AS x PATTERN (X)))"
    checkFailure(
      clauseOf(s"MEASURES $inner AS m PATTERN (A)"),
      "MATCH_RECOGNIZE_UNSUPPORTED.NESTED_CLAUSE",
      "MATCH_RECOGNIZE (MEASURES v",
      "inside MEASURES of another"
    )
    checkFailure(
      clauseOf(s"PATTERN (A B) DEFINE A AS TRUE, B AS v > $inner"),
      "MATCH_RECOGNIZE_UNSUPPORTED.NESTED_CLAUSE",
      "MATCH_RECOGNIZE (MEASURES v",
      "inside DEFINE `B` of another"
    )
  }

  test("functions of the clause take no syntax of aggregates") {
    Seq(
      "PREV(DISTINCT v)" -> "DISTINCT",
      "FIRST(v) FILTER (WHERE v > 1)" -> "FILTER",
      "LAST(v) IGNORE NULLS" -> "IGNORE NULLS",
      "LAST(v IGNORE NULLS)" -> "IGNORE NULLS",
      "CLASSIFIER(DISTINCT A)" -> "DISTINCT",
      "NEXT(v) WITHIN GROUP (ORDER BY k)" -> "WITHIN GROUP"
    ).foreach { case (call, syntax) =>
      checkFailure(
        clauseOf(s"MEASURES $call AS m PATTERN (A)"),
        "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
        call.takeWhile(_ != '('),
        syntax
      )
    }
  }

  test("lambdas outside higher-order functions") {
    Seq("x -> x", "PREV(x -> x)", "(x -> x) + 1", "LAST(x -> x)").foreach { text =>
      val e = failure(clauseOf(s"MEASURES $text AS m PATTERN (A)"))
      assert(
        Set("INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", "PARSE_SYNTAX_ERROR")(
          e.getCondition
        ),
        e.getMessage
      )
    }
  }

  test("no legacy conditions") {
    Seq(
      "MEASURES INTERVAL 'x' HOUR AS m PATTERN (A)",
      "PATTERN (A) DEFINE A AS v > INTERVAL 'x' DAY"
    )
      .foreach { body =>
        val e = failure(clauseOf(body))
        assert(!e.getCondition.startsWith("_LEGACY"), e.getMessage)
      }
  }

  test("errors around the clause are about the user's text") {
    val mr = "MATCH_RECOGNIZE (PATTERN (A))"
    checkFailure(s"SELECT * FROM t $mr WHERE", "PARSE_SYNTAX_ERROR", "", mr)
    checkFailure(s"SELECT * FORM t\n$mr AS m", "PARSE_SYNTAX_ERROR", "")
    checkFailure(
      s"SELECT * FROM t $mr AS m TABLESAMPLE (10 ROWS)",
      "PARSE_SYNTAX_ERROR",
      "TABLESAMPLE",
      mr
    )
    Seq(
      s"DELETE FROM t $mr WHERE x = 1",
      s"UPDATE t $mr SET x = 1",
      s"INSERT INTO t $mr SELECT 1",
      s"MERGE INTO t $mr USING s ON true WHEN MATCHED THEN DELETE",
      s"SELECT * FROM t LATERAL VIEW explode(x) y $mr"
    ).foreach { sql =>
      checkFailure(sql, "PARSE_SYNTAX_ERROR", "MATCH_RECOGNIZE", "that is read")
    }
  }

  test("unclosed comment, bad identifier") {
    checkFailure(
      "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A) /* DEFINE A AS v > 1)",
      "UNCLOSED_BRACKETED_COMMENT",
      "/*"
    )
    checkFailure(clauseOf("MEASURES v AS größe PATTERN (A)"), "INVALID_IDENTIFIER", "größe")
  }

  test("switched off") {
    withConf("spark.matchRecognize.enabled" -> "false") {
      checkFailure(
        "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A))",
        "FEATURE_NOT_ENABLED",
        "MATCH_RECOGNIZE",
        "spark.matchRecognize.enabled"
      )
      val e = failure("SELECT match_recognize(x FROM t")
      assert(e.getCondition == "PARSE_SYNTAX_ERROR")
    }
  }
}
