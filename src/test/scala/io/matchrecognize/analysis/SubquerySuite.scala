package io.matchrecognize.analysis

import org.apache.spark.sql.catalyst.expressions.ArrayContains
import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.Interpreted
import io.matchrecognize.expressions.InCollectedSet

/** Subqueries in MEASURES and DEFINE: values, NULL, mistakes. */
class SubquerySuite extends Interpreted {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("SELECT * FROM VALUES (1, 10), (2, 8), (3, NULL), (NULL, 9) AS v(t, p)")
      .createOrReplaceTempView("sub_input")
  }

  private val ordered = "sub_input ORDER BY t NULLS LAST"

  /** `expression` for each row of the input: as a measure, and as the condition of a variable. */
  private def measured(expression: String): Seq[Any] = {
    val all = measures(Seq(expression)).map(_.get(0))
    assert(conditions(expression) == all.map(_ == true), expression)
    all
  }

  private def measures(expressions: Seq[String]): Seq[Row] = rows(
    "SELECT * FROM sub_input MATCH_RECOGNIZE (ORDER BY t NULLS LAST MEASURES " +
      s"${expressions.zipWithIndex.map { case (e, n) => s"$e AS m$n" }.mkString(", ")} PATTERN (A))"
  )

  private def conditions(expression: String): Seq[Boolean] = rows(
    "SELECT * FROM sub_input MATCH_RECOGNIZE (ORDER BY t NULLS LAST " +
      s"MEASURES CLASSIFIER() AS m PATTERN (A | B) DEFINE A AS $expression)"
  ).map(_.get(0) == "A")

  test("IN over several columns, with the NULL rules of rows") {
    val values = "SELECT * FROM VALUES (1, 10), (2, 7), (9, NULL), (NULL, 8) AS v(a, b)"
    assert(measured(s"(t, p) IN ($values)") == Seq[Any](true, null, null, null))
    assert(measured(s"(t, p) NOT IN ($values)") == Seq[Any](false, null, null, null))
    assert(measured("(t, p) IN (SELECT 2L, 8)") == Seq[Any](false, true, false, false))
    assert(measured("(t, p) IN (SELECT 3, 9)") == Seq[Any](false, false, null, null))
    assert(measured("(t, p) IN (SELECT 1, 1 WHERE FALSE)") == Seq[Any](false, false, false, false))
    assert(measured("(t, p, 'x') IN (SELECT 1, 10, 'x')") == Seq[Any](true, false, false, false))
  }

  test("a row of the same values tested by Spark's own OR of ANDs") {
    val pairs = for { a <- Seq("1", "2", "3", "NULL"); b <- Seq("8", "10", "NULL") } yield (a, b)
    val lists = pairs.sliding(2).toSeq
    val plain = lists.map(_.map { case (a, b) =>
      s"(t = INT($a) AND p = INT($b))"
    }.mkString(" OR "))
    val found = lists.map { list =>
      val values = list.map { case (a, b) => s"(INT($a), INT($b))" }.mkString(", ")
      s"(t, p) IN (SELECT * FROM VALUES $values)"
    }
    assert(measures(found) == rows(s"SELECT ${plain.mkString(", ")} FROM $ordered"))
  }

  test("IN tests a long list in a time that does not grow with it") {
    val query = "SELECT * FROM sub_input MATCH_RECOGNIZE (ORDER BY t MEASURES COUNT(*) AS n " +
      "PATTERN (A+) DEFINE A AS t IN (SELECT id FROM range(3)) AND (t, p) IN (SELECT 1, 10))"
    val expressions = spark.sql(query).queryExecution.optimizedPlan.flatMap(_.expressions)
    assert(expressions.flatMap(_.collect { case set: InCollectedSet => set }).size == 2)
    assert(!expressions.exists(_.exists(_.isInstanceOf[ArrayContains])))
    assert(rows(query).map(_.get(0)) == Seq(1L))
  }

  test("IN over every kind of key is what `=` says", Slow) {
    val columns = Seq(
      "CAST(t AS BYTE)",
      "CAST(t AS DECIMAL(38, 10))",
      "DATE'2026-01-01' + t",
      "CAST(CAST(t AS STRING) AS BINARY)",
      "IF(t = 1, DOUBLE('-0.0'), DOUBLE('0.0'))",
      "IF(t = 1, FLOAT('NaN'), FLOAT(t))",
      "CAST(t AS STRING) COLLATE UTF8_LCASE",
      "array(t, p)",
      "named_struct('a', t, 'b', array(p))"
    )
    val values = columns.map(c => s"SELECT $c AS c, $c AS d FROM sub_input WHERE t <= 2")
    val plain = columns.zip(values).map { case (c, v) => s"$c IN (SELECT c FROM ($v))" }
    val pairs = columns.zip(values).map { case (c, v) => s"($c, $c) IN ($v)" }
    val expected = rows(s"SELECT ${plain.mkString(", ")} FROM $ordered")
    def truths(rows: Seq[Row]) = rows.map(_.toSeq.map(_ == true))
    Seq("NO_CODEGEN", "CODEGEN_ONLY").foreach { mode =>
      withConf("spark.sql.codegen.factoryMode" -> mode) {
        assert(truths(measures(plain ++ pairs)) == truths(expected).map(row => row ++ row), mode)
        plain.zip(pairs).zipWithIndex.foreach { case ((one, pair), n) =>
          assert(conditions(s"$one AND $pair") == expected.map(_.get(n) == true), s"$mode $one")
        }
      }
    }
  }

  test("IN over collated strings, NaN and structs") {
    spark
      .sql(
        "SELECT * FROM VALUES (1, 'a' COLLATE UTF8_LCASE, DOUBLE('NaN'), named_struct('x', 1)) " +
          "AS v(k, s, d, r)"
      )
      .createOrReplaceTempView("sub_types")
    def one(expression: String): Any = rows(
      s"SELECT * FROM sub_types MATCH_RECOGNIZE (ORDER BY k MEASURES $expression AS m PATTERN (A))"
    ).head.get(0)
    assert(one("s IN (SELECT collate('A', 'UTF8_LCASE'))") == true)
    assert(one("(s, d) IN (SELECT collate('A', 'UTF8_LCASE'), DOUBLE('NaN'))") == true)
    assert(one("r IN (SELECT named_struct('x', 1))") == true)
  }

  test("sides that do not fit are named, also beside other mistakes") {
    def condition(expression: String): String = intercept[AnalysisException](
      spark.sql(
        s"SELECT * FROM sub_input MATCH_RECOGNIZE (ORDER BY t MEASURES $expression AS m PATTERN (A))"
      )
    ).getCondition
    val mismatch = "DATATYPE_MISMATCH.IN_SUBQUERY"
    assert(condition("(t, p) IN (SELECT 9)") == s"${mismatch}_LENGTH_MISMATCH")
    assert(condition("(t, p) IN (SELECT 9, array(1))") == s"${mismatch}_DATA_TYPE_MISMATCH")
    assert(condition("t IN (SELECT array(1))") == s"${mismatch}_DATA_TYPE_MISMATCH")
    assert(
      condition("t IN (SELECT 1) AND p + array(1) = 3") == "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"
    )
    assert(
      condition("EXISTS (SELECT 1) AND p + array(1) = 3") ==
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"
    )
  }

  test("a relation with a clause may be called like a variable") {
    val relation = "SELECT * FROM sub_input MATCH_RECOGNIZE (PARTITION BY t ORDER BY p " +
      "MEASURES LAST(A.p, 1) AS n, COUNT(*) AS c ALL ROWS PER MATCH PATTERN (A B?) " +
      "DEFINE A AS COALESCE(A.p <= FIRST(A.p) + 1, TRUE), B AS t >= 0)"
    val found = rows(
      s"WITH a AS ($relation) SELECT m, o FROM sub_input MATCH_RECOGNIZE (ORDER BY t NULLS LAST " +
        "MEASURES t + COALESCE((SELECT MAX(a.t) FROM a), 0) AS m, COUNT(*) AS o " +
        "PATTERN (A B?) DEFINE A AS t >= 0 AND EXISTS (SELECT 1 FROM a WHERE a.c = 1))"
    )
    assert(found == Seq(Row(5, 2L), Row(null, 2L)))
  }
}
