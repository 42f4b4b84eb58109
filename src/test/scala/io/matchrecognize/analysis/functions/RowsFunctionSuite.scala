package io.matchrecognize.analysis.functions

import org.apache.spark.sql.AnalysisException

import io.matchrecognize.Interpreted

/** `match_recognize_rows`: the rows of a clause with their variables and matches. */
class RowsFunctionSuite extends Interpreted {
  private val ticks =
    "(VALUES ('A', 1, 50), ('A', 2, 40), ('A', 3, 45), (NULL, 1, 9) AS ticks(symbol, ts, price))"

  private def clause(pattern: String, more: String = "", rows: String = "") =
    s"SELECT 1 AS one FROM $ticks MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts " +
      s"MEASURES COUNT(*) AS n $rows $more PATTERN ($pattern) " +
      "DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price)) WHERE n > 5"

  private def call(sql: String, columns: String, more: String = "") = {
    val text = sql.replace("'", "\\'")
    rows(s"SELECT $columns FROM match_recognize_rows('$text'$more) ORDER BY keys, order_by, 1")
      .map(_.toSeq.mkString(" "))
  }

  private val places = "to_json(keys), order_by.ts, match_number, match_row, variable"

  test("each row with its variable, whatever the query shows of the matches") {
    val expected = Seq(
      "{} 1 null null null",
      """{"symbol":"A"} 1 1 1 STRT""",
      """{"symbol":"A"} 2 1 2 DOWN""",
      """{"symbol":"A"} 3 1 3 UP"""
    )
    assert(call(clause("STRT DOWN UP"), places) == expected)
    assert(call(clause("STRT {- DOWN UP -}", rows = "ALL ROWS PER MATCH"), places) == expected)
  }

  test("a row of two matches is there twice, with one id") {
    val sql = clause("STRT (DOWN | UP)", "AFTER MATCH SKIP TO NEXT ROW")
    val found = call(sql, "order_by.ts, match_number, variable, row_id", ", 'symbol = \"A\"'")
    assert(
      found.map(_.split(' ').take(3).mkString(" ")).toSet ==
        Set("1 1 STRT", "2 1 DOWN", "2 2 STRT", "3 2 UP")
    )
    assert(found.map(_.split(' ').last).distinct.length == 3)
  }

  test("a number for each partition, not for each text of its keys") {
    def partitions(keys: String): Seq[Seq[String]] = {
      val sql =
        s"SELECT * FROM VALUES $keys AS t(g, k) MATCH_RECOGNIZE (PARTITION BY g ORDER BY k " +
          "MEASURES 1 AS one PATTERN (A B))"
      call(sql, "order_by.k, partition")
        .map(_.split(' '))
        .groupMap(_(1))(_(0))
        .values
        .map(_.sorted)
        .toSeq
        .sortBy(_.head)
    }
    val lower = Seq("a", "A", "b").zipWithIndex.map { case (key, i) =>
      s"('$key' COLLATE UTF8_LCASE, $i)"
    }
    assert(partitions(lower.mkString(", ")) == Seq(Seq("0", "1"), Seq("2")))
    assert(partitions("(-0.0D, 0), (0.0D, 1), (DOUBLE('NaN'), 2)") == Seq(Seq("0", "1"), Seq("2")))
    assert(partitions("(X'ff', 0), (X'fe', 1), (NULL, 2)") == Seq(Seq("0"), Seq("1"), Seq("2")))
  }

  test("columns of the input: numbers in the order of their use, texts of all") {
    val shown = "to_json(numbers), to_json(columns)"
    assert(
      call(clause("STRT DOWN UP"), shown, ", 'symbol IS NULL'") ==
        Seq("""{"price":9,"ts":1} {"symbol":null,"ts":"1","price":"9"}""")
    )
    val windowed = s"SELECT COUNT(*) OVER (ORDER BY ts ROWS BETWEEN CURRENT ROW AND UNBOUNDED " +
      s"FOLLOWING PATTERN (B) DEFINE B AS price < 10) FROM $ticks"
    assert(call(windowed, "variable, keys").flatMap(_.split(' ')).count(_ == "B") == 1)
  }

  test("rows without keys, and mistakes") {
    val input = "(SELECT id, -id AS ID FROM range(2))"
    val plain = s"SELECT * FROM $input MATCH_RECOGNIZE (MEASURES COUNT(*) AS n PATTERN (A))"
    assert(
      call(plain, "keys, order_by, numbers.id, match_number").sorted ==
        Seq("null null 0 1", "null null 1 2")
    )
    val e = intercept[AnalysisException](call("SELECT 1", "1"))
    assert(e.getCondition == "MATCH_RECOGNIZE_INVALID_TRACE.NO_CLAUSE")
  }

  test("a filter of a key is pushed below the clause") {
    val text = clause("STRT DOWN UP").replace("'", "\\'")
    val plan = spark
      .sql(s"SELECT row_id FROM match_recognize_rows('$text') WHERE keys.symbol <=> 'A'")
      .queryExecution
      .optimizedPlan
      .toString
    assert(plan.indexOf("MatchRecognize") < plan.indexOf("LocalRelation"))
    assert(!plan.substring(0, plan.indexOf("MatchRecognize")).contains("Filter"), plan)
  }
}
