package io.matchrecognize.window

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.{Interpreted, Minor}

/** QUALIFY, which Spark has from 4.2 on, with row patterns in windows and ordinary windows. */
class QualifySuite extends Interpreted {
  private val spec =
    """PARTITION BY p ORDER BY k MEASURES LAST(v) AS m
      |  ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING AFTER MATCH SKIP TO NEXT ROW
      |  PATTERN (A B+) DEFINE B AS v > PREV(v)""".stripMargin
  private val window = s"WINDOW w AS ($spec)"

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql("""CREATE OR REPLACE TEMPORARY VIEW t AS SELECT * FROM VALUES
      |  (1, 1, 90), (1, 2, 80), (1, 3, 70), (1, 4, 80), (1, 5, 90), (2, 1, 50), (2, 2, 40), (2, 3, 60)
      |  AS t(p, k, v)""".stripMargin)
  }

  // The matches: (1, 3) of three rows up to 90, (1, 4) of two up to 90, (2, 2) of two up to 60.
  private def qualified(name: String)(queries: (String, Seq[Seq[Any]])*): Unit = ifRead(
    name,
    queries.map(_._1)
  ) {
    queries.foreach { case (sql, expected) =>
      val found = rows(sql).map(_.toSeq)
      val isOrdered = sql.contains("ORDER BY 1") || sql.contains("ORDER BY v")
      def sorted(all: Seq[Seq[Any]]) = if (isOrdered) all else all.sortBy(_.toString)
      withClue(s"$sql\n")(assert(sorted(found) == sorted(expected)))
    }
  }

  /** A test, or where Spark does not have QUALIFY one that the queries are refused. */
  private def ifRead(name: String, queries: => Seq[String])(body: => Any): Unit =
    if (Minor.has("4.2")) test(name)(body)
    else
      test(s"refused, as by Spark: $name") {
        queries.foreach(sql => withClue(sql)(intercept[ParseException](parser.parsePlan(sql))))
      }

  private def row(values: Any*): Seq[Any] = values
  private val three = Seq(row(2), row(3), row(4))

  qualified("an ordinary window, or a function without a frame, in the SELECT list")(
    s"SELECT k, max(k) OVER (ORDER BY k) AS n FROM t $window QUALIFY count(*) OVER w > 1" ->
      Seq(row(2, 2), row(3, 3), row(4, 4)),
    s"SELECT k, row_number() OVER w AS n FROM t $window QUALIFY count(*) OVER w > 1" ->
      Seq(row(2, 2), row(3, 3), row(4, 4)),
    s"SELECT k, row_number() OVER w AS n FROM t QUALIFY count(*) OVER ($spec) > 1 $window" ->
      Seq(row(2, 2), row(3, 3), row(4, 4)),
    s"SELECT k, lag(v) OVER (PARTITION BY p ORDER BY k) AS l FROM t QUALIFY m OVER ($spec) = 90" ->
      Seq(row(3, 80), row(4, 70)),
    s"SELECT *, max(k) OVER (PARTITION BY p) AS top FROM t $window QUALIFY m OVER w = 90 AND top > 4" ->
      Seq(row(1, 3, 70, 5), row(1, 4, 80, 5))
  )

  qualified("an ordinary window in the condition")(
    s"SELECT k FROM t $window QUALIFY count(*) OVER w > 1 AND rank() OVER (ORDER BY p, k) < 4" ->
      Seq(row(3)),
    s"SELECT k FROM t QUALIFY count(*) OVER ($spec) > 1 OR rank() OVER (ORDER BY p, k) = 1" ->
      (row(1) +: three),
    s"SELECT k, count(*) OVER w AS n FROM t $window QUALIFY n > 1 AND lag(v) OVER (PARTITION BY p ORDER BY k) = 50" ->
      Seq(row(2, 2))
  )

  qualified("columns of the SELECT list, which those of the input precede")(
    s"SELECT k, count(*) OVER w AS n, m OVER w FROM t $window QUALIFY n > 1 AND m = 60" ->
      Seq(row(2, 2, 60)),
    s"SELECT v + 1 AS x FROM t $window QUALIFY max(x) OVER w > 90" -> Seq(row(71), row(81)),
    s"SELECT v + 1 AS x FROM t $window QUALIFY max(x) OVER w > 0 AND min(x) OVER (PARTITION BY p) = 41" ->
      Seq(row(41)),
    s"SELECT v AS k FROM t $window QUALIFY count(*) OVER w > 1 AND k > 3" -> Seq(row(80)),
    s"SELECT v + 100 AS k FROM t $window QUALIFY max(k) OVER w = 5" -> Seq(row(170), row(180)),
    // Named like a variable.
    s"SELECT v AS B, max(k) OVER (ORDER BY k) AS n FROM t $window QUALIFY count(*) OVER w > 2" ->
      Seq(row(70, 3))
  )

  qualified("columns of the SELECT list that read a column of their own name")(
    s"SELECT k, v + 1 AS v FROM t $window QUALIFY count(*) OVER w > 1" ->
      Seq(row(2, 41), row(3, 71), row(4, 81)),
    s"SELECT k, max(v) OVER (PARTITION BY v) AS v FROM t $window QUALIFY count(*) OVER w > 1" ->
      Seq(row(2, 40), row(3, 70), row(4, 80)),
    s"SELECT v AS k, k AS v FROM t $window QUALIFY max(k + v) OVER w = 95" ->
      Seq(row(70, 3), row(80, 4))
  )

  qualified("DISTINCT, WHERE, ORDER BY, LIMIT, a join")(
    s"SELECT DISTINCT p FROM t $window QUALIFY m OVER w > 1" -> Seq(row(1), row(2)),
    s"SELECT DISTINCT p, max(v) OVER (PARTITION BY p) AS top FROM t $window QUALIFY m OVER w > 1" ->
      Seq(row(1, 90), row(2, 60)),
    s"SELECT k FROM t WHERE v > 70 $window QUALIFY count(*) OVER w > 1" -> Seq(row(4)),
    s"SELECT k, rank() OVER w AS r FROM t $window QUALIFY m OVER w > 1 ORDER BY v DESC LIMIT 2" ->
      Seq(row(4, 4), row(3, 3)),
    s"SELECT x.k FROM t AS x JOIN t AS y USING (p, k) WINDOW w AS (${spec.replace("v", "y.v")})" +
      " QUALIFY count(*) OVER w > 1 AND x.v > 70 AND rank() OVER (ORDER BY x.v) > 0" -> Seq(row(4))
  )

  qualified("subqueries in the condition")(
    s"SELECT k, rank() OVER w AS r FROM t $window QUALIFY m OVER w > 1 AND k IN (SELECT 3)" ->
      Seq(row(3, 3)),
    s"SELECT k FROM t $window QUALIFY m OVER w > 1 AND EXISTS (SELECT * FROM t u WHERE u.v = t.v + 20 AND u.k > 4)" ->
      Seq(row(3))
  )

  qualified("GROUP BY and HAVING")(
    s"SELECT p, sum(v) AS s FROM t GROUP BY p $groups QUALIFY count(*) OVER w > 1" -> Seq(
      row(1, 410L)
    ),
    s"SELECT p, sum(v) AS s, rank() OVER (ORDER BY p) AS r FROM t GROUP BY p HAVING sum(v) > 3 $groups" +
      " QUALIFY max(s) OVER w > 1 AND s > 1 AND r = 1" -> Seq(row(1, 410L, 1)),
    s"SELECT p, count(*) OVER w AS n FROM t GROUP BY p HAVING sum(v) > 3 $groups QUALIFY n = 2" ->
      Seq(row(1, 2L)),
    s"SELECT p, sum(v) AS s FROM t GROUP BY ALL $groups QUALIFY count(*) OVER w > 1" ->
      Seq(row(1, 410L)),
    s"SELECT p, sum(v) AS s FROM t GROUP BY 1 $groups QUALIFY count(*) OVER w > 1" ->
      Seq(row(1, 410L))
  )

  private def groups: String =
    """WINDOW w AS (ORDER BY p ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
      |  AFTER MATCH SKIP TO NEXT ROW PATTERN (A B*) DEFINE B AS p > 1)""".stripMargin

  private val query =
    s"SELECT k, max(k) OVER (ORDER BY k) AS n FROM t $window QUALIFY count(*) OVER w > 1"

  ifRead("views, queries of WITH used twice, unions, subqueries, functions", Seq(query)) {
    val expected = Seq(Row(2, 2), Row(3, 3), Row(4, 4))
    spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW qualified AS $query")
    assert(rows("SELECT * FROM qualified WHERE k > 1 ORDER BY k") == expected)
    val twice = s"WITH q AS ($query) SELECT a.k, b.n FROM q a JOIN q b ON a.k = b.k"
    assert(rows(s"$twice ORDER BY 1") == expected)
    spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW qualified_twice AS $twice")
    assert(rows("SELECT * FROM qualified_twice ORDER BY 1") == expected)
    assert(rows(s"SELECT count(*) FROM ($query UNION ALL $query)") == Seq(Row(6)))
    assert(rows(s"SELECT (SELECT max(k) FROM ($query))") == Seq(Row(4)))
    spark.sql(
      s"CREATE OR REPLACE TEMPORARY FUNCTION qualified_rows() RETURNS TABLE (a INT, b INT) RETURN $query"
    )
    assert(rows("SELECT * FROM qualified_rows() ORDER BY 1") == expected)
  }

  private val ambiguous = s"SELECT k AS x, v AS x FROM t $window QUALIFY sum(x) OVER w > 1"

  ifRead("a name of two columns of the SELECT list is ambiguous", Seq(ambiguous)) {
    val error = intercept[AnalysisException](rows(ambiguous))
    assert(error.getCondition == "AMBIGUOUS_LATERAL_COLUMN_ALIAS")
  }

  private val plain = "SELECT k FROM t QUALIFY rank() OVER (ORDER BY p, k) = 2"

  ifRead("QUALIFY of plain SQL is Spark's", Seq(plain)) {
    assert(rows(plain) == Seq(Row(2)))
    intercept[Exception](rows("SELECT k FROM t QUALIFY v > 1"))
  }
}
