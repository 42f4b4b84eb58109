package io.matchrecognize.analysis

import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.tagobjects.Slow

import io.matchrecognize.{Interpreted, Minor, Sampled}

/** Parameters and session variables as bounds of quantifiers. */
class QuantifierBoundsSuite extends Interpreted {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(1, 12).createOrReplaceTempView("bound_input")
    spark.sql("DECLARE OR REPLACE VARIABLE bound_two INT DEFAULT 2")
    spark.sql("DECLARE OR REPLACE VARIABLE bound_five BIGINT DEFAULT 5")
    spark.sql("DECLARE OR REPLACE VARIABLE id INT DEFAULT 4")
  }

  override protected def afterAll(): Unit = {
    Seq("bound_two", "bound_five", "id").foreach(v => spark.sql(s"DROP TEMPORARY VARIABLE $v"))
    super.afterAll()
  }

  private def clause(pattern: String): String =
    "SELECT f, n FROM bound_input MATCH_RECOGNIZE (ORDER BY id MEASURES FIRST(id) AS f, " +
      s"COUNT(A.*) AS n PATTERN ($pattern) DEFINE A AS id % 7 > 0) ORDER BY f"

  private def window(pattern: String): String =
    "SELECT id, count(*) OVER w AS n, n OVER w AS m FROM bound_input WINDOW w AS (ORDER BY id " +
      "MEASURES COUNT(A.*) AS n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING " +
      s"PATTERN ($pattern) DEFINE A AS id % 7 > 0) ORDER BY id"

  private def inline(pattern: String): String =
    "SELECT id, count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 20 FOLLOWING " +
      s"PATTERN ($pattern) DEFINE A AS id % 7 > 0) AS n FROM bound_input ORDER BY id"

  private val places = Seq[String => String](clause, window, inline)

  private val forms = Seq(
    "A{:two} B" -> "A{2} B",
    "A{:two}? B" -> "A{2}? B",
    "A{:two,} B" -> "A{2,} B",
    "A{,:two} B" -> "A{,2} B",
    "A{:two,:five} B" -> "A{2,5} B",
    "A{1,:two}? B" -> "A{1,2}? B",
    "A{ :two , 3 }" -> "A{2,3}",
    "(A{:two} | B)+ (A* B{,:two}?){1,:five} A{:two}?" -> "(A{2} | B)+ (A* B{,2}?){1,5} A{2}?",
    "PERMUTE(A{:two}, B+) (A{:five,}){:two}?" -> "PERMUTE(A{2}, B+) (A{5,}){2}?"
  )

  /** Every form in the clause, some in windows. */
  private val placed = for {
    (place, i) <- places.zipWithIndex
    (form, literal) <- if (i == 0) forms else forms.drop(i).grouped(3).map(_.head).toSeq
  } yield (form, literal, place)

  private val values = Map[String, Any]("two" -> 2, "five" -> 5L)

  test("named parameters") {
    for ((form, literal, place) <- Sampled.oneIn(2, placed))
      assert(
        spark.sql(place(form), values).collect().toSeq == rows(place(literal)),
        place(form)
      )
    assert(rows(clause("A{2,5} B")) == Seq(Row(1L, 5L), Row(8L, 3L)))
  }

  test("positional parameters, beside quantifiers with a question mark and other markers") {
    places.foreach { place =>
      val marked = place("A?? B?? A{?}? B? A{1,?} B{?,?}?")
        .replace("id % 7", "id % ?")
        .replaceFirst("SELECT ", "SELECT ? AS p, ")
      val literal =
        place("A?? B?? A{2}? B? A{1,5} B{0,3}?").replaceFirst("SELECT ", "SELECT 'x' AS p, ")
      assert(
        spark.sql(marked, Array[Any]("x", 2, 5, 0, 3, 7)).collect().toSeq == rows(literal),
        marked
      )
    }
  }

  test("session variables") {
    for ((form, literal, place) <- Sampled.oneIn(2, placed)) {
      val named = form.replace(":two", "bound_two").replace(":five", "session.bound_five")
      assert(rows(place(named)) == rows(place(literal)), place(named))
    }
    assert(rows(clause("A{BOUND_TWO,system.`session`.Bound_Five} B")) == rows(clause("A{2,5} B")))
  }

  test("a column comes before a session variable, and is not constant") {
    val error = intercept[AnalysisException](rows(clause("A{id}")))
    assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_VALUE")
    assert(rows(clause("A{session.id}")) == rows(clause("A{4}")))
  }

  test("the plan has the numbers") {
    val plan = spark
      .sql(s"EXPLAIN FORMATTED ${clause("A{:two,bound_five} B{,bound_two}?")}", Map("two" -> 2))
      .head()
      .getString(0)
    assert(plan.contains("Pattern: (A{2,5} B{0,2}?)"), plan)
  }

  test("a column without a name shows the bound as it is written") {
    val call = "count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING " +
      "PATTERN (A{bound_two,3}? B))"
    val frame = spark.table("bound_input").select(expr(call))
    assert(frame.columns.toSeq == Seq("count(1) OVER (PATTERN (A{bound_two,3}? B))"))
    assert(frame.where("`count(1) OVER (PATTERN (A{bound_two,3}? B))` = 3").count() == 3)
  }

  test("EXECUTE IMMEDIATE and scripts") {
    val dynamic = clause("A{?,?} B").replace("'", "''")
    assert(rows(s"EXECUTE IMMEDIATE '$dynamic' USING 2, bound_five") == rows(clause("A{2,5} B")))
    val named = clause("A{:two,} B")
    assert(rows(s"EXECUTE IMMEDIATE '$named' USING 2 AS two") == rows(clause("A{2,} B")))
    val script =
      s"BEGIN DECLARE at_least INT DEFAULT 2; SET at_least = at_least + 1; ${clause("A{at_least,} B")}; END"
    assert(rows(script) == rows(clause("A{3,} B")))
  }

  if (!Minor.has("4.1")) test("Spark has no parameters in views") {
    Seq(clause _, window _).foreach { place =>
      val sql = s"CREATE TEMPORARY VIEW bounded AS ${place("A{:two}")}"
      val e = intercept[AnalysisException](spark.sql(sql, values))
      assert(e.getCondition == "UNSUPPORTED_FEATURE.PARAMETER_MARKER_IN_UNEXPECTED_STATEMENT")
    }
  }
  else
    test("a view keeps the values of parameters") {
      Seq(clause _, window _).foreach { place =>
        val text = place("A{:two,:five} B{,:two}")
        spark.sql(s"CREATE TEMPORARY VIEW bounded AS $text", values)
        try assert(rows("SELECT * FROM bounded") == rows(place("A{2,5} B{,2}")))
        finally spark.sql("DROP VIEW bounded")
      }
      Seq[Any](-1, null, "x").foreach { value =>
        val sql = s"CREATE TEMPORARY VIEW bounded AS ${clause("A{:n}")}"
        val error = intercept[AnalysisException](spark.sql(sql, Map("n" -> value)))
        assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_VALUE")
      }
    }

  test(
    "a temporary view reads session variables when it is read; a persistent one has none",
    Slow
  ) {
    val bodies = Seq(
      clause("A{bound_two} B"),
      window("A{bound_two} B"),
      clause("A{2} B").replace("PATTERN (A{2} B)", "PATTERN (A+) WITHIN bound_two"),
      clause("A{2} B").replace("COUNT(A.*)", "PREV(id, bound_two)"),
      inline("A+").replace("20 FOLLOWING", "bound_two FOLLOWING")
    )
    bodies.foreach { body =>
      spark.sql(s"CREATE TEMPORARY VIEW bounded AS $body")
      try {
        assert(rows("SELECT * FROM bounded") == rows(body.replace("bound_two", "2")), body)
        spark.sql("SET VAR bound_two = 3")
        assert(rows("SELECT * FROM bounded") == rows(body.replace("bound_two", "3")), body)
      } finally {
        spark.sql("SET VAR bound_two = 2")
        spark.sql("DROP VIEW bounded")
      }
      val persistent = body.replace("bound_input", "range(1, 12)")
      val error = intercept[AnalysisException](spark.sql(s"CREATE VIEW kept AS $persistent"))
      assert(error.getCondition == "INVALID_TEMP_OBJ_REFERENCE", body)
    }
  }

  test("parameters of SQL functions") {
    val body = clause("A{least,most} B").replace(" ORDER BY f", "")
    spark.sql(
      s"CREATE TEMPORARY FUNCTION bounded_runs(least INT, most INT DEFAULT 6) RETURNS TABLE(f BIGINT, n BIGINT) RETURN $body"
    )
    spark.sql(
      s"CREATE TEMPORARY FUNCTION longest_run(least INT, most INT) RETURNS BIGINT RETURN SELECT max(n) FROM ($body)"
    )
    try {
      assert(rows("SELECT * FROM bounded_runs(2, 5) ORDER BY f") == rows(clause("A{2,5} B")))
      assert(rows("SELECT * FROM bounded_runs(4) ORDER BY f") == rows(clause("A{4,6} B")))
      assert(rows("SELECT longest_run(2, 4)") == Seq(Row(4L)))
      assert(spark.sql("SELECT longest_run(1, :n)", Map("n" -> 3)).head() == Row(3L))
      Seq("SELECT * FROM bounded_runs(NULL)", "SELECT longest_run(1, NULL)").foreach { sql =>
        val error = intercept[AnalysisException](rows(sql))
        assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_VALUE", sql)
      }
    } finally
      Seq("bounded_runs", "longest_run").foreach(f => spark.sql(s"DROP TEMPORARY FUNCTION $f"))
  }

  test("parameters of SQL functions where else a constant is needed") {
    val bodies = Seq(
      clause("A+ B").replace(" DEFINE", " WITHIN p DEFINE"),
      clause("A{2} B").replace("COUNT(A.*)", "PREV(id, p) + LAST(A.id, p)"),
      inline("A+").replace("20 FOLLOWING", "p FOLLOWING")
    ).map(_.replaceFirst(" ORDER BY (f|id)$", ""))
    bodies.foreach { body =>
      val column = if (body.contains(" AS f")) "f" else "id"
      val columns = s"$column BIGINT, n BIGINT"
      spark.sql(
        s"CREATE TEMPORARY FUNCTION with_constant(p INT) RETURNS TABLE($columns) RETURN $body"
      )
      try
        Seq("1", "3").foreach { value =>
          assert(
            rows(s"SELECT * FROM with_constant($value) ORDER BY $column") ==
              rows(body.replaceAll("\\bp\\b", value) + s" ORDER BY $column"),
            body
          )
        }
      finally spark.sql("DROP TEMPORARY FUNCTION with_constant")
    }
  }

  test("the size of a pattern is that of its values") {
    val sql = clause("(A{:n}){:n}")
    val error = intercept[AnalysisException](spark.sql(sql, Map("n" -> 1000)))
    assert(error.getCondition == "MATCH_RECOGNIZE_PATTERN_TOO_LARGE.POSITIONS")
    assert(spark.sql(sql, Map("n" -> 2)).collect().toSeq == rows(clause("A{4}")))
  }
}
