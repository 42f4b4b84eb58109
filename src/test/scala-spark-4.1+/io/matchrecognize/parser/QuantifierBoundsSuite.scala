package io.matchrecognize.parser

import org.apache.spark.sql.AnalysisException

import io.matchrecognize.Interpreted

/** Parameter markers as bounds of quantifiers. */
class QuantifierBoundsSuite extends Interpreted {
  private def clause(pattern: String): String =
    "SELECT f, n FROM range(1, 12) MATCH_RECOGNIZE (ORDER BY id MEASURES FIRST(id) AS f, " +
      s"COUNT(A.*) AS n PATTERN ($pattern) DEFINE A AS id % 7 > 0) ORDER BY f"

  private def window(pattern: String): String =
    "SELECT id, count(*) OVER w AS n, n OVER w AS m FROM range(1, 12) WINDOW w AS (ORDER BY id " +
      "MEASURES COUNT(A.*) AS n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING " +
      s"PATTERN ($pattern) DEFINE A AS id % 7 > 0) ORDER BY id"

  private val places = Seq[String => String](clause, window)
  private val values = Map[String, Any]("two" -> 2, "five" -> 5L)

  test("named") {
    for (
      place <- places;
      (form, literal) <- Seq(
        "A{1,:two}? B" -> "A{1,2}? B",
        "A{ :two , 3 }" -> "A{2,3}",
        "(A{:two} | B)+ (A* B{,:`two`}?){1,:five} A{:two}?" ->
          "(A{2} | B)+ (A* B{,2}?){1,5} A{2}?",
        "PERMUTE(A{:two}, B+) (A{:five,}){:two}?" -> "PERMUTE(A{2}, B+) (A{5,}){2}?"
      )
    )
      assert(spark.sql(place(form), values).collect().toSeq == rows(place(literal)), place(form))
  }

  test("positional, beside quantifiers with a question mark and other markers") {
    places.foreach { place =>
      def sql(pattern: String, first: String, modulus: String) =
        place(pattern)
          .replace("id % 7", s"id % $modulus")
          .replaceFirst("SELECT ", s"SELECT $first AS p, ")
      val marked = sql("A?? B?? A{?}? B? A{1,?} B{?,?}?", "?", "?")
      assert(
        spark.sql(marked, Array[Any]("x", 2, 5, 0, 3, 7)).collect().toSeq ==
          rows(sql("A?? B?? A{2}? B? A{1,5} B{0,3}?", "'x'", "7")),
        marked
      )
    }
  }

  test("EXECUTE IMMEDIATE") {
    val dynamic = clause("A{?,?} B").replace("'", "''")
    assert(rows(s"EXECUTE IMMEDIATE '$dynamic' USING 2, 5") == rows(clause("A{2,5} B")))
    val named = clause("A{:two,} B")
    assert(rows(s"EXECUTE IMMEDIATE '$named' USING 2 AS two") == rows(clause("A{2,} B")))
  }

  test("a view keeps the values") {
    places.foreach { place =>
      val text = place("A{:two,:five} B{,:two}")
      spark.sql(s"CREATE TEMPORARY VIEW bounded AS $text", values)
      try assert(rows("SELECT * FROM bounded") == rows(place("A{2,5} B{,2}")))
      finally spark.sql("DROP VIEW bounded")
    }
  }

  test("a value that is not an integer of at least 0") {
    for (value <- Seq[Any](-1, null, "x", 1.5); before <- Seq("", "CREATE TEMPORARY VIEW v AS ")) {
      val error = intercept[AnalysisException](
        spark.sql(before + clause("A{:n}"), Map("n" -> value))
      )
      assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_VALUE")
      assert(error.getMessage.contains("`:n`"))
    }
  }
}
