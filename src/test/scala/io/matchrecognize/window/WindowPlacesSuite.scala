package io.matchrecognize.window

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.Minor

/** Where windows with row patterns may be in a query, and what it may have besides them. */
class WindowPlacesSuite extends WindowQueries {

  test("a generator in the SELECT list comes before the windows, as before ordinary ones") {
    Seq(
      "explode(array(v, v + 1L)) AS e, count(*) OVER w AS n",
      "posexplode(array(v, k)), sum(v) OVER w AS n, k",
      "count(*) OVER w AS n, inline(array(struct(v, k + 1L)))",
      "count(*) OVER w AS n, abs(n) AS m, explode(sequence(1, 2))"
    ).foreach { select =>
      // The order of rows of one k is not determined, their numbers are.
      def numbers(pattern: String) = rows(
        s"SELECT $select FROM $eight WINDOW w AS (ORDER BY k DESC " +
          s"ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING $pattern)"
      ).map(_.getAs[Long]("n")).sorted
      val found = numbers("AFTER MATCH SKIP TO NEXT ROW PATTERN (A+)")
      assert(found == numbers(""), select)
      assert(found.length == (if (select.contains("inline")) 8 else 16), select)
    }
  }

  test("inline windows, several windows, ordinary ones, in expressions") {
    val query =
      s"""SELECT k, last_v OVER (${window(v)}) + 1 AS x, count(*) OVER w2 AS n, label OVER w2,
         |  row_number() OVER w2 AS r, lag(v) OVER (PARTITION BY g ORDER BY k) AS l,
         |  count(*) OVER (PARTITION BY g) AS every
         |FROM $eight WINDOW w2 AS (${window("PATTERN (A B) DEFINE B AS v > PREV(v)")})
         |ORDER BY k""".stripMargin
    assert(spark.sql(query).columns.toSeq == Seq("k", "x", "n", "label", "r", "l", "every"))
    assert(
      rows(query) == Seq(
        Row(1, 91, 0L, null, 1, null, 8L),
        Row(2, null, 0L, null, 2, 90, 8L),
        Row(3, null, 2L, "B", 3, 80, 8L),
        Row(4, null, 0L, null, 4, 70, 8L),
        Row(5, null, 0L, null, 5, 80, 8L),
        Row(6, 61, 0L, null, 6, 90, 8L),
        Row(7, null, 2L, "B", 7, 50, 8L),
        Row(8, null, 0L, null, 8, 40, 8L)
      )
    )
    assert(
      spark
        .sql(s"SELECT *, count(*) OVER w, 1 + last_v OVER w FROM $eight WINDOW w AS (${window(v)})")
        .columns
        .toSeq == Seq("g", "k", "v", "count(*) OVER w", "1 + last_v OVER w")
    )
  }

  test("subqueries, views, joins, unions, QUALIFY-like filters") {
    val query = s"SELECT g, k, count(*) OVER w AS n FROM $eight WINDOW w AS (${window(v)})"
    assert(rows(s"SELECT sum(n) FROM ($query)") == Seq(Row(8L)))
    spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW r020_view AS $query")
    assert(rows("SELECT k FROM r020_view WHERE n > 0 ORDER BY k") == Seq(Row(1), Row(6)))
    assert(
      rows("SELECT a.k, b.n FROM r020_view a JOIN r020_view b ON a.k = b.k WHERE a.n > 3") ==
        Seq(Row(1, 5L))
    )
    assert(
      rows(s"WITH q AS ($query) SELECT x.k FROM q x, q y WHERE x.k = y.k AND y.n = 3") ==
        Seq(Row(6))
    )
    val joined =
      s"""SELECT a.k, sum(b.v) OVER w FROM $eight a JOIN (VALUES (1, 5)) b(h, v) ON a.g = b.h
         |WINDOW w AS (PARTITION BY a.g ORDER BY a.k
         |  ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
         |  PATTERN (A{3}) DEFINE A AS k > (SELECT min(k) FROM r020_view))
         |ORDER BY k""".stripMargin
    assert(rows(joined).map(_.get(1)) == row(null, 15L, null, null, 15L, null, null, null))
  }

  test("windows with the same keys are sorted once, and partition filters are pushed down") {
    val query =
      s"""SELECT * FROM (SELECT g, k, count(*) OVER w AS n, count(*) OVER w2 AS m, sum(v) OVER w3 AS s
         |FROM (SELECT id % 3 AS g, id AS k, id * 7 % 10 AS v FROM range(30))
         |WINDOW w AS (${window(v)}), w2 AS (${window("PATTERN (A A)")}),
         |  w3 AS (PARTITION BY g ORDER BY k)) WHERE g = 1""".stripMargin
    val frame = spark.sql(query)
    assert(frame.collect().length == 10)
    val plan = nodes(executed(frame))
    assert(plan.count(_.nodeName.startsWith("Sort")) <= 1)
    assert(plan.count(_.nodeName.contains("Exchange")) <= 1)
    assert(matchNodes(frame).length == 2)
    val text = frame.queryExecution.explainString(
      org.apache.spark.sql.execution.ExplainMode.fromString("formatted")
    )
    assert(text.contains("RowPatternWindow") && text.contains("Pattern: (A B+ C+)"))
    assert(text.contains("Matcher: two passes"))
    assert(text.contains("Frame: ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING INITIAL"))
  }

  test("groups of a subquery") {
    val groups =
      """SELECT g, s, sum(s) OVER w AS x, top OVER w
        |FROM (SELECT g, sum(v) AS s FROM VALUES (1, 3), (1, 4), (2, 9), (3, 1), (4, 2) AS t(g, v)
        |  GROUP BY g HAVING sum(v) > 1)
        |WINDOW w AS (ORDER BY s MEASURES LAST(g) AS top
        |  ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING AFTER MATCH SKIP TO NEXT ROW PATTERN (A A))
        |ORDER BY g""".stripMargin
    assert(rows(groups) == Seq(Row(1, 7L, 16L, 2), Row(2, 9L, null, null), Row(4, 2L, 9L, 1)))
  }

  test("QUALIFY is refused, wherever the window is called") {
    val ofWindow = s"WINDOW w AS (${window(v)})"
    Seq(
      s"SELECT k FROM $eight $ofWindow QUALIFY count(*) OVER w > 1",
      s"SELECT k, count(*) OVER w AS n FROM $eight $ofWindow QUALIFY n > 1",
      s"SELECT k, rank() OVER w AS n FROM $eight $ofWindow QUALIFY n > 1",
      s"SELECT DISTINCT k FROM $eight $ofWindow QUALIFY max(k) OVER w > 1 ORDER BY k",
      s"SELECT k, max(k) OVER (ORDER BY k) FROM $eight $ofWindow QUALIFY rank() OVER w = 1",
      s"SELECT g, sum(v) FROM $eight GROUP BY g $ofWindow QUALIFY count(*) OVER w > 1"
    ).foreach { query =>
      val error = intercept[AnalysisException](spark.sql(query))
      if (Minor.has("4.2")) {
        assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_WINDOW.PLACE", query)
        assert(error.getMessage.contains("A query with QUALIFY cannot compute it."), query)
        assert(error.getMessage.contains("== SQL (line"), query)
      } else assert(error.isInstanceOf[ParseException], query)
    }
  }

  test("a query of WITH in the definition of a named window") {
    val query =
      s"""WITH c AS (SELECT 80 AS least) SELECT k, count(*) OVER w AS n FROM $eight
         |WINDOW w AS (ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
         |  PATTERN (A+) DEFINE A AS v >= (SELECT least FROM c)) ORDER BY k""".stripMargin
    assert(rows(query).map(_.getLong(1)) == Seq(2, 0, 0, 2, 0, 0, 0, 0))
  }

  test("expressions of a DataFrame, which are parsed one by one") {
    val frame = spark.sql(s"SELECT * FROM $eight")
    def call(keys: String, define: String) =
      s"""count(*) OVER (PARTITION BY $keys ORDER BY k
         |  ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A B+) DEFINE B AS $define)""".stripMargin
    val falls = call("g", "v < PREV(v)")
    val calls = Seq(falls, call("g", "v > PREV(v)"), call("k < 5", "v > PREV(v)"))
    def counts(expressions: String*) =
      frame.selectExpr("k" +: expressions: _*).orderBy("k").collect().toSeq.map(_.toSeq.tail)
    val apart = calls.map(counts(_).map(_.head))
    assert(apart.distinct.length == 3)
    assert(counts(calls: _*).transpose == apart)
    val equal = frame.selectExpr(s"$falls AS n", falls.replace("count(*)", "max(v)") + " AS high")
    assert(matchNodes(equal).length == 1)
    assert(equal.where("n > 0").collect().map(_.getInt(1)).toSeq == Seq(90, 90))
  }

  test("columns that * does not have are read in SELECT and in the window") {
    val path = java.nio.file.Files.createTempDirectory("window-metadata").resolve("rows").toString
    spark.sql(s"SELECT * FROM $eight").coalesce(1).write.parquet(path)
    val spec =
      """ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
        |PATTERN (A B+) DEFINE B AS v < PREV(v)""".stripMargin
    val file =
      s"""SELECT *, count(*) OVER w AS n, _metadata.file_size > 0 AS f FROM parquet.`$path`
         |WINDOW w AS ($spec AND _metadata.file_size > 0) ORDER BY k""".stripMargin
    val found = rows(file).map(_.toSeq)
    assert(found.take(2) == Seq(row(1, 1, 90, 3L, true), row(1, 2, 80, 0L, true)))
    val join =
      s"""SELECT a.k, y.k, count(*) OVER w AS n, max(y.k) OVER (ORDER BY y.k DESC) AS top
         |FROM $eight AS a LEFT JOIN (SELECT * FROM $eight WHERE v > 50) AS y USING (k)
         |WINDOW w AS (PARTITION BY y.k IS NULL ORDER BY k
         |  ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A B+) DEFINE B AS y.k IS NULL)
         |ORDER BY 1""".stripMargin
    assert(rows(join).map(_.get(1)) == row(1, 2, 3, 4, 5, null, null, 8))
    assert(rows(join).map(_.getLong(2)) == Seq(0, 0, 0, 0, 0, 2, 0, 0))
  }

  test("plain SQL with the words of a pattern stays Spark's") {
    spark.udf.register("pattern", (x: Int) => -x)
    assert(
      rows(
        s"SELECT k, count(*) OVER (PARTITION BY g ORDER BY pattern(k)) over FROM $eight ORDER BY 1"
      )
        .map(_.getLong(1)) == Seq(8, 7, 6, 5, 4, 3, 2, 1)
    )
    assert(rows("SELECT 1 over, 2 AS window, 3 pattern") == Seq(Row(1, 2, 3)))
  }
}
