package io.matchrecognize.analysis.warnings

/** What types tell without data, each trap with its sentence; and what to do with a stream. */
class TypeWarningsSuite extends WarningsSuite {
  private val columns =
    "CAST('1' AS STRING) AS seq, 'x' AS name, 1 AS p, CAST(0.1 AS FLOAT) AS f, " +
      "DATE'2024-01-01' AS d, TIMESTAMP'2024-01-01 10:00:00' AS ts, 1D AS w"
  private val input = s"(SELECT $columns)"

  private def types(clause: String)(expected: String*): Unit =
    check(input, clause, hasData = false)(expected: _*)

  private val bySeq = "ORDER BY seq sorts by STRING: of numbers '10' is before '9'. If they are " +
    "numbers, write ORDER BY CAST(seq AS BIGINT)."

  test("a text that is called or used as a number") {
    types("ORDER BY seq PATTERN (A B) DEFINE B AS p > 1")(bySeq)
    types("ORDER BY CAST(seq AS INT) PATTERN (A B) DEFINE B AS p > 1")()
    types("ORDER BY name PATTERN (A B) DEFINE B AS p > 1")()
    types("ORDER BY name PATTERN (A B) DEFINE B AS name = PREV(name) + 1")(
      bySeq.replace("seq", "name"),
      "`name = PREV(name) + 1` in the condition of B compares a text, `name`, with a number. A text " +
        "that is not a number is an error in ANSI mode, and NULL without it. Write TRY_CAST(name AS " +
        "BIGINT)."
    )
    for (
      (called, isNumber) <- Seq("eventSeq" -> true, "row_number" -> true, "number_plate" -> false)
    )
      check(s"(SELECT '1' AS $called)", s"ORDER BY $called PATTERN (A)", hasData = false)(
        Option.when(isNumber)(bySeq.replace("seq", called)).toSeq: _*
      )
  }

  test("texts that are compared with numbers, or as if they were") {
    types("ORDER BY ts PATTERN (A B) DEFINE B AS name > 5")(
      "`name > 5` in the condition of B compares a text, `name`, with a number. A text that is not a " +
        "number is an error in ANSI mode, and NULL without it. Write TRY_CAST(name AS BIGINT)."
    )
    types("ORDER BY ts PATTERN (A B) DEFINE B AS CAST(name AS INT) > 5")()
    types("ORDER BY ts PATTERN (A B) DEFINE B AS name >= '5'")(
      "`name >= '5'` compares texts: '10' is less than '9'. If they are numbers, write CAST(name AS " +
        "DOUBLE) and 5 without quotes."
    )
    types("ORDER BY ts PATTERN (A B) DEFINE B AS name = '5' AND name < 'm' AND p > '5'")()
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

  test("a FLOAT that no value of DOUBLE equals, and a date at a time of the day") {
    types("ORDER BY ts PATTERN (A B) DEFINE B AS f = 0.1D")(
      "The condition of B is never true.",
      "`f = 0.1D` is never true: `f` is a FLOAT, of which no value is 0.1D. Write CAST(0.1D AS FLOAT)."
    )
    types("ORDER BY ts PATTERN (A B) DEFINE B AS f = 0.5D OR f > 0.1D")()
    types("ORDER BY ts PATTERN (A B) DEFINE B AS d = ts")(
      "`d = ts` in the condition of B compares a date with a time: it is true only at midnight. Write " +
        "to_date of the time, or a range of times."
    )
    types("ORDER BY ts PATTERN (A B) DEFINE B AS d = to_date(ts) AND d < ts")()
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

  private val notRead =
    "The clause reads a stream, so its data was not checked: ties, NULLs, gaps and " +
      "texts in its keys, conditions that no row satisfies, and the sizes of partitions. "
  private val ofStream = "ORDER BY timestamp PATTERN (A B) DEFINE B AS value > NULL"
  private val told =
    Seq("The condition of B is never true: it is NULL. Write IS NULL to compare with NULL.")

  test("a stream that cannot be read as a table") {
    val rate = spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
    rate.createOrReplaceTempView("rates")
    check("rates", ofStream, hasData = false)(told: _*)
    check("rates", ofStream)(
      told :+
        (notRead + "Write some of its rows into a table, and check the same clause over that table."): _*
    )
  }

  test("a stream of files, which can be read as a table") {
    val path = java.nio.file.Files.createTempDirectory("files").toString
    val files = spark.readStream.schema("timestamp TIMESTAMP, value INT").json(path)
    files.withWatermark("timestamp", "1 second").createOrReplaceTempView("files")
    check("files", ofStream)(
      told :+ (notRead + "Check the same clause over spark.read.format(\"json\").load(\"" + path +
        "\"), or over some of its rows."): _*
    )
  }
}
