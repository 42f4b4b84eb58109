package io.matchrecognize.analysis

import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.Interpreted

/** What users of other systems write, beside the standard and its meaning. */
class OtherSystemsSuite extends Interpreted {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("SELECT * FROM VALUES (1, 10), (2, 8), (3, 6), (4, 9), (5, 7) AS v(t, p)")
      .createOrReplaceTempView("other_input")
  }

  private val falling = "PATTERN (A B+) DEFINE B AS p < PREV(p)"

  private def over(input: String, clause: String): Seq[Row] =
    rows(s"SELECT * FROM $input MATCH_RECOGNIZE ($clause) ORDER BY 1")

  private def condition(input: String, clause: String): String =
    intercept[AnalysisException](over(input, clause)).getCondition

  test("the input's alias qualifies a column") {
    val clause = "ORDER BY x.t MEASURES FIRST(x.t) AS f, x.p AS l, SUM(x.p) AS s PATTERN (A B+) " +
      "DEFINE B AS x.p < PREV(x.p) AND B.p < x.p + 1"
    val expected = Seq(Row(1, 6, 24L), Row(4, 7, 16L))
    assert(over("other_input AS x", clause) == expected)
    assert(over("other_input X", clause) == expected)
    assert(over("(SELECT * FROM other_input) x", clause) == expected)
    assert(over("other_input AS x(t, p)", clause) == expected)
    assert(
      rows(s"WITH c AS (SELECT * FROM other_input) SELECT * FROM c x MATCH_RECOGNIZE ($clause)")
        == expected
    )
  }

  test("over the output of a clause, its alias") {
    val first = s"(ORDER BY t MEASURES FIRST(t) AS f $falling) AS m"
    val second = "ORDER BY m.f MEASURES LAST(m.f) AS l PATTERN (A B) DEFINE B AS m.f > PREV(m.f)"
    assert(over(s"other_input MATCH_RECOGNIZE $first", second) == Seq(Row(4)))
  }

  test("a variable comes before the alias, the alias before a struct column") {
    assert(
      over("other_input AS B", "ORDER BY t MEASURES COUNT(B.p) AS n, MIN(B.p) AS m " + falling) ==
        Seq(Row(1L, 7), Row(2L, 6))
    )
    assert(
      over(
        "(SELECT t, named_struct('p', -p) AS y, p FROM other_input) AS y",
        "ORDER BY t MEASURES MIN(y.p) AS m, MIN(A.y.p) AS n PATTERN (A+)"
      ) == Seq(Row(6, -10))
    )
  }

  test("no alias: the name of a table, the alias of an inner query, a second name of the input") {
    val wrong = "MATCH_RECOGNIZE_INVALID_VARIABLE."
    val clause = "ORDER BY t MEASURES other_input.t AS f PATTERN (A)"
    assert(condition("other_input", clause) == wrong + "INPUT_QUALIFIER")
    assert(condition("other_input AS x", clause) == wrong + "UNKNOWN")
    assert(
      condition("(SELECT * FROM other_input AS y) AS x", "ORDER BY t MEASURES y.t AS f PATTERN (A)")
        == wrong + "UNKNOWN"
    )
    assert(
      condition("other_input AS x", "ORDER BY t MEASURES x.q AS f PATTERN (A)") ==
        wrong + "UNKNOWN"
    )
  }

  test("LAG and LEAD are PREV and NEXT") {
    def measures(back: String, forward: String) =
      s"ORDER BY t MEASURES $back(p) AS a, $back(FIRST(p), 1) AS b, $forward(p, 2) AS c, " +
        s"$back(LAST(B.p), 2) AS d PATTERN (A B+) DEFINE B AS p < $back(p) AND $forward(p) > 0"
    val expected = over("other_input", measures("PREV", "NEXT"))
    assert(expected.nonEmpty)
    assert(over("other_input", measures("LAG", "lead")) == expected)
    assert(
      condition("other_input", "ORDER BY t MEASURES LAG(p, 1, 0) AS a PATTERN (A)") ==
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"
    )
    assert(
      condition("other_input", "ORDER BY t MEASURES LAG(p) OVER (ORDER BY t) AS a PATTERN (A)") ==
        "MATCH_RECOGNIZE_INVALID_EXPRESSION.WINDOW_FUNCTION"
    )
  }

  test("MATCH_ROW_NUMBER counts the rows of the match") {
    val clause = "ORDER BY t MEASURES MATCH_ROW_NUMBER() AS a, match_row_number() AS b, " +
      s"FINAL MATCH_ROW_NUMBER() AS c ALL ROWS PER MATCH $falling AND MATCH_ROW_NUMBER() <= 2"
    assert(
      rows(s"SELECT t, a, b, c FROM other_input MATCH_RECOGNIZE ($clause) ORDER BY t") ==
        Seq(Row(1, 1L, 1L, 2L), Row(2, 2L, 2L, 2L), Row(4, 1L, 1L, 2L), Row(5, 2L, 2L, 2L))
    )
  }

  test("MATCH_ROWTIME of the leading ORDER BY column") {
    def last(input: String, key: String, argument: String) =
      over(input, s"ORDER BY $key MEASURES MATCH_ROWTIME($argument) AS a $falling")
    val expected = Seq(Row(3), Row(5))
    assert(last("other_input", "t", "t") == expected)
    assert(last("other_input AS x", "t", "x.t") == expected)
    assert(last("other_input AS x", "x.t", "T") == expected)
    assert(last("other_input AS B", "t", "B") == expected)
    // Inputs that are resolved later than a table is.
    assert(last("(SELECT abs(t) AS t, p FROM other_input) AS x", "t", "x.t") == expected)
    assert(last("(SELECT named_struct('t', t) AS s, p FROM other_input)", "s.t", "s.t") == expected)
    assert(
      last("(SELECT named_struct('t', t) AS s, p FROM other_input) x", "x.s.t", "S.T") == expected
    )
    val values = "VALUES (1, 10), (2, 8), (3, 6), (4, 9), (5, 7) AS v(t, p)"
    assert(last(values, "t", "t") == expected)
    assert(
      rows(
        s"WITH c AS (SELECT abs(t) AS t, p FROM other_input) SELECT * FROM c MATCH_RECOGNIZE (" +
          s"ORDER BY t MEASURES MATCH_ROWTIME(t) AS a $falling) ORDER BY 1"
      ) == expected
    )
    val again = "other_input MATCH_RECOGNIZE (ORDER BY t ALL ROWS PER MATCH PATTERN (A))"
    assert(last(again, "t", "t") == expected)
    assert(
      condition(
        "(SELECT abs(t) AS t, p FROM other_input)",
        "ORDER BY q MEASURES MATCH_ROWTIME(t) AS a PATTERN (A)"
      ) == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    )
  }

  test("MATCH_ROWTIME of what is not the leading ORDER BY column") {
    def refused(input: String, argument: String) =
      condition(input, s"ORDER BY t, p MEASURES MATCH_ROWTIME($argument) AS a $falling")
    val expected = "MATCH_RECOGNIZE_INVALID_EXPRESSION.VARIABLE_EXPECTED"
    assert(refused("other_input", "p") == expected)
    assert(refused("other_input AS x", "x.p") == expected)
    assert(refused("other_input AS B", "B.t") == expected)
    assert(refused("other_input AS x", "t + 0") == expected)
    assert(refused("other_input", "q") == "MATCH_RECOGNIZE_INVALID_VARIABLE.UNKNOWN")
    assert(
      refused("other_input", "other_input.t") == "MATCH_RECOGNIZE_INVALID_VARIABLE.INPUT_QUALIFIER"
    )
  }
}
