package io.matchrecognize.plans.advice

import io.matchrecognize.Interpreted

/** What types tell, each trap with its sentence. */
class TypeWarningsSuite extends Interpreted {
  private val columns =
    "CAST('1' AS STRING) AS seq, 'x' AS name, 1 AS p, CAST(0.1 AS FLOAT) AS f, " +
      "DATE'2024-01-01' AS d, TIMESTAMP'2024-01-01 10:00:00' AS ts, 1D AS w"
  private val input = s"(SELECT $columns)"

  private def types(clause: String)(expected: String*): Unit = {
    val query = s"SELECT * FROM $input MATCH_RECOGNIZE (" +
      clause.replace("PATTERN", "MEASURES COUNT(*) AS n PATTERN") + ")"
    val text = query.replace("'", "\\'")
    val told = rows(s"SELECT * FROM match_recognize_warnings(query => '$text')")
    assert(told.map(_.getString(0)) == expected)
  }

  test("texts that are compared with numbers") {
    types("ORDER BY ts PATTERN (A B) DEFINE B AS name > 5")(
      "`name > 5` in the condition of B compares a text, `name`, with a number. A text that is not a " +
        "number is an error in ANSI mode, and NULL without it. Write TRY_CAST(name AS BIGINT)."
    )
    types("ORDER BY ts PATTERN (A B) DEFINE B AS CAST(name AS INT) > 5")()
    types("ORDER BY seq PATTERN (A B) DEFINE B AS name = '5' AND name < 'm' AND p > '5'")()
  }

  test("comparisons with NULL that the optimiser removes") {
    types("ORDER BY ts PATTERN (A B) DEFINE B AS p > 5 OR name <> NULL")(
      "`name <> NULL` is NULL for every row. Write IS NULL or IS NOT NULL."
    )
    types("ORDER BY ts PATTERN (A B) DEFINE B AS p NOT IN (5, NULL) OR p > 1")(
      "`p NOT IN (5, NULL)` is never true, because its list has NULL. Leave NULL out."
    )
    types("ORDER BY ts PATTERN (A B) DEFINE B AS p <=> NULL OR p IN (1, NULL)")()
  }

  test("a FLOAT that no value of DOUBLE equals") {
    for (constant <- Seq("0.1D", "0.1", "1e300D")) {
      val neverTrue = "The condition of B is never true."
      types(s"ORDER BY ts PATTERN (A B) DEFINE B AS f = $constant")(
        neverTrue,
        s"`f = $constant` is never true: `f` is a FLOAT, and the constant is a DOUBLE that no FLOAT is " +
          "equal to. Cast the constant: CAST(... AS FLOAT)."
      )
    }
    types("ORDER BY ts PATTERN (A B) DEFINE B AS f = 0.5D OR f > 0.1D OR f = 0.1F")()
    types("ORDER BY ts PATTERN (A B) DEFINE B AS f = DOUBLE('NaN') OR f = -0D")()
  }

  test("a date that is compared with a time") {
    types("ORDER BY ts PATTERN (A B) DEFINE B AS d = ts")(
      "`d = ts` in the condition of B compares a date with a time: it is true only at midnight. Write " +
        "to_date of the time, or a range of times."
    )
    types("ORDER BY ts PATTERN (A B) DEFINE B AS d = to_date(ts) AND d < ts OR d <=> ts")()
  }

  test("a constant that cannot be evaluated, in a branch that no row may take") {
    for (constant <- Seq("CAST('abc' AS DOUBLE)", "1D / 0"))
      types(s"ORDER BY ts PATTERN (A B) DEFINE B AS IF(p > 1, f = $constant, w > 0)")()
  }

  test("a constant that cannot be evaluated: the other warnings") {
    for (constant <- Seq("CAST('abc' AS DOUBLE)", "1D / 0"))
      types(s"PATTERN (A B) DEFINE A AS w < 0 OR w = NULL, B AS f = $constant")(
        "There is no ORDER BY, so the result depends on the order in which the rows are read.",
        "`w = NULL` is NULL for every row. Write IS NULL or IS NOT NULL."
      )
  }

  test("fractions as keys of partitions") {
    types("PARTITION BY w ORDER BY ts PATTERN (A)")(
      "PARTITION BY w is a DOUBLE: two results that differ in the last digit are two partitions. If it " +
        "has fractions, write CAST(w AS DECIMAL(18, 6)), or the scale that you mean."
    )
  }
}
