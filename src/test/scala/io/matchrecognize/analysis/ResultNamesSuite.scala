package io.matchrecognize.analysis

import org.apache.spark.sql.AnalysisException

import io.matchrecognize.Interpreted

/**
 * Names above a clause without an alias: its columns, and nothing of its input. Every statement is
 * compared with the same one with an alias after the clause.
 */
class ResultNamesSuite extends Interpreted {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("SELECT id % 3 AS k, id AS ts, id * 7 % 10 AS v, 'x' AS s FROM range(30)")
      .createOrReplaceTempView("result_input")
  }

  private val one = "MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES count(*) AS n, " +
    "FIRST(ts) AS f ONE ROW PER MATCH PATTERN (A B+) DEFINE B AS v > PREV(v))"
  private val all = one.replace("ONE ROW", "ALL ROWS")

  private def answer(sql: String): Either[String, Seq[String]] =
    try Right(rows(sql).map(_.toString).sorted)
    catch { case e: AnalysisException => Left(e.getCondition) }

  test("an outer column is not a hidden column of the clause", Slow) {
    val statements = for {
      clause <- Seq(one, all)
      condition <- Seq(
        "v > result_input.v AND n > 1",
        "result_input.k = 1 AND n > 2",
        "n >= o.v",
        "n > 1 AND ts < 9",
        "f < o.ts"
      )
      query <- Seq(
        s"SELECT ts, (SELECT count(*) FROM result_input $clause ALIAS WHERE $condition) AS c FROM result_input o",
        s"SELECT ts, (SELECT count(*) FROM result_input $clause ALIAS WHERE $condition) AS c FROM result_input",
        s"SELECT ts FROM result_input AS o WHERE EXISTS (SELECT 1 FROM result_input $clause ALIAS WHERE $condition)",
        s"SELECT ts, c FROM result_input o, LATERAL (SELECT count(*) AS c FROM result_input $clause ALIAS WHERE $condition)",
        s"SELECT ts FROM result_input AS o WHERE ts IN (SELECT f FROM result_input $clause ALIAS WHERE $condition)"
      )
    } yield query
    var answered = 0
    statements.foreach { statement =>
      val expected = answer(statement.replace("ALIAS", "AS mr"))
      val found = answer(statement.replace("ALIAS", ""))
      if (expected.isRight) answered += 1
      assert(found == expected, statement)
    }
    assert(answered > 10)
  }

  test("values are those of the outer query") {
    val query = "SELECT ts, (SELECT count(*) FROM result_input MATCH_RECOGNIZE (PARTITION BY k " +
      "ORDER BY ts MEASURES count(*) AS n ALL ROWS PER MATCH PATTERN (A B+) DEFINE B AS v > PREV(v)) " +
      "WHERE v > result_input.v AND n > 1) AS c FROM result_input ORDER BY ts"
    val counts = rows(query).map(_.getLong(1))
    assert(counts.toSet.size > 2)
  }

  test("a column of the input is unknown above the clause") {
    val names = Seq("v", "result_input.v", "`_measure_0`")
    val queries = for {
      name <- names
      query <- Seq(
        s"SELECT n FROM result_input $one WHERE $name > 3",
        s"SELECT n FROM result_input $one ORDER BY $name",
        s"SELECT n FROM result_input $one DISTRIBUTE BY $name",
        s"SELECT n FROM result_input $one SORT BY $name",
        s"SELECT n FROM result_input $one CLUSTER BY $name",
        s"SELECT $name FROM result_input $one",
        s"SELECT max(n) FROM result_input $one GROUP BY f HAVING max($name) > 1",
        s"FROM result_input |> $one |> WHERE $name > 3",
        s"FROM result_input |> $one |> ORDER BY $name",
        s"SELECT n2 FROM result_input $one MATCH_RECOGNIZE (ORDER BY f MEASURES count(*) AS n2 PATTERN (A)) WHERE $name > 3",
        s"SELECT * FROM result_input $one MATCH_RECOGNIZE (ORDER BY $name MEASURES count(*) AS n2 PATTERN (A))",
        s"SELECT * FROM result_input $one MATCH_RECOGNIZE (PARTITION BY $name ORDER BY n MEASURES count(*) AS n2 PATTERN (A))"
      )
    } yield query
    queries.foreach { query =>
      assert(answer(query) == Left("UNRESOLVED_COLUMN.WITH_SUGGESTION"), query)
    }
    val frame = spark.sql(s"SELECT * FROM result_input $one")
    val filtered = intercept[AnalysisException](frame.filter("v > 3"))
    assert(filtered.getCondition == "UNRESOLVED_COLUMN.WITH_SUGGESTION")
    assert(intercept[AnalysisException](frame.orderBy("v")).getCondition == filtered.getCondition)
    val shown = intercept[AnalysisException](
      rows(s"SELECT n FROM result_input $one WHERE v > 3")
    ).getMessage
    assert(shown.contains("Did you mean one of the following? [`f`, `k`, `n`]"), shown)
  }

  test("a session variable named like a column of the input") {
    spark.sql("DECLARE OR REPLACE VARIABLE v INT DEFAULT 2")
    try
      assert(
        answer(s"SELECT * FROM result_input $one WHERE n > v") ==
          answer(s"SELECT * FROM result_input $one WHERE n > 2")
      )
    finally spark.sql("DROP TEMPORARY VARIABLE v")
  }

  test("columns of the clause are used as before") {
    val total = rows(s"SELECT * FROM result_input $all").length
    assert(total > 5)
    Seq(
      s"SELECT k FROM result_input $all WHERE v >= 0 ORDER BY s, n",
      s"SELECT x.k FROM (SELECT * FROM result_input $all) x WHERE x.v >= 0",
      s"SELECT * FROM result_input $all MATCH_RECOGNIZE (ORDER BY ts ALL ROWS PER MATCH PATTERN (A))",
      s"SELECT mr.k, mr.ts, v, s FROM result_input $all AS mr",
      s"SELECT * FROM result_input AS r $all"
    ).foreach(query => assert(rows(query).length == total, query))
    val frame = spark.sql(s"SELECT * FROM result_input $all")
    assert(frame.columns.toSeq == Seq("k", "ts", "n", "f", "v", "s"))
    assert(frame.filter(frame("v") >= 0).select(frame("n"), frame("s")).count() == total)
    assert(frame.as("x").join(frame.as("y"), "ts").where("x.v = y.v").count() == total)
    assert(frame.selectExpr("n + 1").columns.toSeq == Seq("(n + 1)"))
  }

  test("the result of a trace does not show the columns of the traced input") {
    val trace = s"match_recognize_trace('SELECT * FROM result_input $one')"
    assert(rows(s"SELECT event FROM $trace WHERE step > 0").nonEmpty)
    Seq(s"SELECT event FROM $trace WHERE v > 3", s"SELECT event FROM $trace ORDER BY v").foreach {
      query => assert(answer(query) == Left("UNRESOLVED_COLUMN.WITH_SUGGESTION"), query)
    }
  }
}
