package io.matchrecognize.execution.trace

import org.apache.spark.sql.Row

import io.matchrecognize.Interpreted

/** `match_recognize_trace`; `TraceConformanceSuite` compares it with queries. */
class TraceSuite extends Interpreted {
  private val ticks =
    "(VALUES ('A', 1, 50), ('A', 2, 40), ('A', 3, 45), ('A', 4, 30), ('B', 1, 9) " +
      "AS ticks(symbol, ts, price))"

  private def query(body: String, input: String = ticks): String =
    s"SELECT * FROM $input MATCH_RECOGNIZE ($body)"

  private def trace(sql: String, more: String = "", columns: String = "*"): Seq[Row] = {
    val text = sql.replace("'", "\\'")
    rows(s"SELECT $columns FROM match_recognize_trace('$text'$more)")
  }

  private def lines(sql: String, where: String, columns: String, more: String = ""): Seq[String] = {
    val text = sql.replace("'", "\\'")
    rows(s"SELECT $columns FROM match_recognize_trace('$text'$more) WHERE $where")
      .map(_.toSeq.mkString(" "))
  }

  private val falls = query(
    """PARTITION BY symbol ORDER BY ts MEASURES COUNT(*) AS n PATTERN (STRT DOWN UP)
      |DEFINE DOWN AS price < STRT.price AND ts > 0, UP AS price > LAST(DOWN.price)""".stripMargin
  )
  private val onlyA = ", partition => 'symbol = \\'A\\''"

  test("each variable tried on each row, with what it read") {
    val tests = lines(
      falls,
      "event = 'test'",
      "attempt, start_row, step, row_number, order_key, variable, truth, result, previous_step",
      onlyA
    )
    assert(
      tests == Seq(
        "1 1 1 1 1 STRT TRUE kept null",
        "1 1 2 2 2 DOWN TRUE kept 1",
        "1 1 3 3 3 UP TRUE kept 2",
        "2 4 1 4 4 STRT TRUE kept null"
      )
    )
    val read = lines(falls, "event = 'test' AND start_row = 1", "to_json(reads), condition", onlyA)
    assert(
      read == Seq(
        "{} null",
        """{"price":"40","STRT.price":"50","ts":"2"} null""",
        """{"price":"45","LAST(DOWN.price)":"40"} null"""
      )
    )
  }

  test("the condition that failed, and its values in its place") {
    val sql = query(
      """ORDER BY ts MEASURES COUNT(*) AS n PATTERN (A B C)
        |DEFINE B AS price > 0 AND price < A.price AND symbol = 'A', C AS NOT price > A.price + 1""".stripMargin,
      "(VALUES ('A', 1, 5), ('A', 2, 6), ('A', 3, 4), ('A', 4, 9), (NULL, 5, 3), ('A', 6, NULL) AS t(symbol, ts, price))"
    )
    val failed = lines(
      sql,
      "event = 'end'",
      "start_row, row_number, variable, truth, condition, evaluated, result, path"
    )
    assert(
      failed == Seq(
        "1 2 B FALSE price < A.price 6 < 5 condition failed A",
        "2 4 C FALSE NOT price > A.price + 1 NOT 9 > 6 + 1 condition failed A B",
        "3 4 B FALSE price < A.price 9 < 4 condition failed A",
        "4 5 B NULL symbol = 'A' NULL = 'A' condition failed A",
        "5 6 B NULL price > 0 NULL > 0 condition failed A",
        "6 null null null null null rows ended null"
      )
    )
  }

  test("the text of a condition, with parentheses in strings and line breaks") {
    for (
      text <- Seq(
        "symbol IN ('(', 'y')",
        "(\n  symbol) IN ('x', ')')",
        "symbol IN (/* ( */ 'x', 'y')"
      )
    ) {
      val sql = query(
        s"ORDER BY ts MEASURES COUNT(*) AS n PATTERN (A B) DEFINE B AS price > 0 AND\n  $text",
        "(SELECT * FROM VALUES ('A', 1, 5), ('A', 2, 6) AS t(symbol, ts, price))"
      )
      assert(lines(sql, "event = 'end' AND start_row = 1", "condition") == Seq(text))
    }
  }

  test("rows, their columns and all partitions") {
    val found =
      lines(falls, "event = 'row'", "partition_key, row_number, order_key, attempt, to_json(reads)")
    assert(
      found.take(1) ++ found.drop(4) == Seq(
        """symbol = A 1 1 null {"symbol":"A","ts":"1","price":"50"}""",
        """symbol = B 1 1 null {"symbol":"B","ts":"1","price":"9"}"""
      )
    )
    assert(
      trace(
        query(
          "ORDER BY ts MEASURES 1 AS x PATTERN (A)",
          "(SELECT * FROM VALUES (1), (2) AS t(ts) WHERE ts > 2)"
        )
      ).isEmpty
    )
  }

  test("better paths: the preferred one completes, or has the same future") {
    val sql =
      query("ORDER BY ts MEASURES COUNT(*) AS n PATTERN ((A | B) (C | D E)) DEFINE C AS TRUE")
    val found = lines(
      sql,
      "event <> 'row' AND start_row = 1 AND partition_key IS NULL",
      "event, row_number, variable, truth, result, previous_step, match_number, path"
    )
    assert(
      found == Seq(
        "test 1 A TRUE kept null null null",
        "test 1 B TRUE kept null null null",
        "test 2 C TRUE kept 1 null null",
        "test 2 D TRUE kept 1 null null",
        "test 2 C null better path 2 null null",
        "test 2 D null better path 2 null null",
        "complete 2 null null kept 3 null null",
        "cut 2 null null better path 4 null null",
        "end 2 null null match null 1 A C"
      )
    )
  }

  test("how an attempt ends") {
    def ends(body: String) = lines(query(body), "event = 'end' AND start_row < 4", "result, path")
    assert(
      ends("ORDER BY symbol, ts MEASURES 1 AS x PATTERN (^ A{9})") == Seq(
        "rows ended null",
        "anchor failed null",
        "anchor failed null"
      )
    )
    assert(
      ends("ORDER BY ts MEASURES 1 AS x PATTERN (A B C) WITHIN 1 DEFINE C AS price > 99") ==
        Seq("condition failed A B", "window ended null", "window ended null")
    )
    assert(
      ends("PARTITION BY symbol ORDER BY ts MEASURES 1 AS x PATTERN (()) ").toSet == Set("match ")
    )
    assert(
      ends(
        "PARTITION BY symbol ORDER BY ts MEASURES 1 AS x ONE ROW PER MATCH SHOW TIMEOUT MATCHES PATTERN (A{3}) WITHIN 1"
      ).head ==
        "timed out A{2}"
    )
  }

  test("a search that an earlier attempt made is not made again") {
    val sql =
      "SELECT * FROM range(200) MATCH_RECOGNIZE (ORDER BY id MEASURES 1 AS x PATTERN (A+ B) DEFINE B AS id < 0)"
    val results = lines(sql, "event = 'end'", "result")
    assert(results.head == "rows ended" && results.contains("failed before"))
    assert(lines(sql, "event = 'test'", "1").length < 10000)
  }

  test("an error of a condition ends the trace and is told") {
    val sql = query(
      "PARTITION BY symbol ORDER BY ts MEASURES 1 AS x PATTERN (A B) DEFINE B AS 1 DIV (price - 45) > 0"
    )
    val found = lines(
      sql,
      "event <> 'row' AND partition_key = 'symbol = A'",
      "event, truth, result, substr(evaluated, 1, 16)"
    )
    assert(
      found == Seq(
        "test TRUE kept null",
        "test FALSE dropped 1 DIV (40 - 45) ",
        "end FALSE condition failed 1 DIV (40 - 45) ",
        "test TRUE kept null",
        "test ERROR error 1 DIV (45 - 45) ",
        "end ERROR error [DIVIDE_BY_ZERO]"
      )
    )
  }

  test("the outermost clause of views, WITH and nested queries") {
    spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW trace_v AS $falls")
    val nested = s"WITH w AS (SELECT * FROM trace_v WHERE n > 0) SELECT n + 1 FROM w " +
      "MATCH_RECOGNIZE (ORDER BY n MEASURES MAX(n) AS n PATTERN (X))"
    assert(lines(nested, "event = 'row'", "to_json(reads)") == Seq("""{"symbol":"A","n":"3"}"""))
    assert(
      lines(
        "SELECT 1 FROM trace_v a JOIN trace_v b ON a.n = b.n",
        "result = 'match'",
        "path"
      ) == Seq("STRT DOWN UP")
    )
    spark.catalog.dropTempView("trace_v")
  }

  test("a trace joined with itself") {
    val text = falls.replace("'", "\\'")
    val one =
      spark.sql(s"SELECT attempt, result FROM match_recognize_trace('$text') WHERE event = 'end'")
    assert(one.as("a").join(one.as("b"), "attempt").count() == 5)
  }

  test("the text of conditions is that of the query, also if the query is a parameter") {
    val call = "SELECT condition, evaluated FROM match_recognize_trace(:query)" + " " * 500 +
      "WHERE truth = 'FALSE'"
    val sql = query("ORDER BY ts MEASURES 1 AS x PATTERN (A B) DEFINE B AS ts > 5L")
    val found = spark.sql(call, Map("query" -> sql)).collect().map(_.mkString(" ")).distinct
    assert(found.sorted.head == "ts > 5L 1 > 5L")
  }

  test("a query as bytes is not a string that the session's setting changes", Slow) {
    val sql = query("PARTITION BY symbol MEASURES 1 AS x PATTERN (A B) DEFINE B AS symbol = '\\d'")
    def text(sql: String) = sql.getBytes("UTF-8")
    val values = Map("query" -> text(sql), "condition" -> text("symbol <> 'it''s \\\\ '"))
    val call = "SELECT DISTINCT condition FROM match_recognize_trace(:query, :condition)" +
      " WHERE truth = 'FALSE'"
    for (escaped <- Seq("true", "false")) {
      spark.conf.set("spark.sql.parser.escapedStringLiterals", escaped)
      try assert(spark.sql(call, values).collect().toSeq == Seq(Row("symbol = '\\d'")))
      finally spark.conf.unset("spark.sql.parser.escapedStringLiterals")
    }
  }

  test("conditions with aggregates, MATCH_NUMBER and subqueries") {
    val sql = query(
      """ORDER BY ts, symbol MEASURES 1 AS x PATTERN (A B+ C)
        |DEFINE B AS SUM(B.price) + MATCH_NUMBER() < 60, C AS price > (SELECT 44)""".stripMargin
    )
    val found = lines(sql, "event = 'test' AND truth <> 'TRUE'", "evaluated, to_json(reads)")
    assert(found.head == """40 > (SELECT 44) {"price":"40"}""")
    assert(found.contains("""94 + 1 < 60 {"SUM(B.price)":"94","MATCH_NUMBER()":"1"}"""))
  }
}
