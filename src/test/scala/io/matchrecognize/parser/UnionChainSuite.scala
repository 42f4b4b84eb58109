package io.matchrecognize.parser

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.plans.logical.Union
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.QuerySuite

/** UNION ALL of many queries, which Spark's parser nests. */
class UnionChainSuite extends QuerySuite {
  private def clause(measure: String): String =
    s"SELECT m FROM range(2) MATCH_RECOGNIZE (ORDER BY id MEASURES $measure AS m PATTERN (A+))"

  private def query(sql: String): QueryExecution =
    spark.sql(sql).asInstanceOf[ClassicDataset[Row]].queryExecution

  private def unions(sql: String): Seq[Int] =
    query(sql).analyzed.collect { case union: Union => union.children.length }

  private def many(n: Int): String = Seq.fill(n)(clause("COUNT(*)")).mkString(" UNION ALL ")

  test("one union of queries with equal types, whatever they are") {
    assert(unions(s"${many(2)} UNION ALL SELECT 1L UNION ALL ${many(1)}") == Seq(4))
    assert(unions(many(2)) == Seq(2))
    // UNION is a union of three without its duplicates.
    assert(unions(s"${many(2)} UNION ${many(2)}") == Seq(2, 3))
    assert(unions(s"${many(1)} UNION ALL (${many(3)}) UNION ALL ${many(1)}") == Seq(3, 3))
    assert(rows(s"SELECT sum(m), count(*) FROM (${many(5)})") == Seq(Row(10L, 5L)))
    assert(unions(s"SELECT id FROM range(1) ORDER BY (SELECT max(m) FROM (${many(3)}))").isEmpty)
  }

  test("other types are those of the nested unions") {
    val queries = Seq(clause("COUNT(*)"), "SELECT CAST(3 AS DOUBLE)", "SELECT 'text'")
    withConf("spark.sql.ansi.enabled" -> "false") {
      // As one union, the number of the clause would become a text directly, without the point.
      assert(rows(queries.mkString(" UNION ALL ")).map(_.getString(0)) == Seq("2.0", "3.0", "text"))
      assert(unions(queries.mkString(" UNION ALL ")) == Seq(2, 2))
    }
    val more = intercept[AnalysisException](rows(s"${many(2)} UNION ALL SELECT 1, 2"))
    assert(more.getCondition == "NUM_COLUMNS_MISMATCH")
    val unknown = intercept[AnalysisException](rows(s"${many(2)} UNION ALL SELECT nosuch"))
    assert(unknown.getCondition.startsWith("UNRESOLVED_COLUMN"))
  }

  /** The columns, each of another type, or the error and what it points at. */
  private def answer(sql: String): Either[(String, String), String] =
    try Right(spark.sql(sql).schema.toDDL)
    catch {
      case e: AnalysisException =>
        Left(e.getCondition -> e.getQueryContext.map(_.fragment).mkString)
    }

  test("select lists are those of the single queries") {
    val input = "(SELECT id, named_struct('f', 1Y, 'M', 7S) AS s FROM range(3))"
    val found = s"$input MATCH_RECOGNIZE (ORDER BY id MEASURES id + 1.5D AS m, " +
      "named_struct('f', 'text') AS t ALL ROWS PER MATCH PATTERN (A)) AS found"
    val lists = Seq(
      "m",
      "M, `Id` AS m",
      "found.M",
      "m AS x, x + 1 AS y",
      "m AS id, id",
      "t.F",
      "t.f AS g, S.m, s",
      "upper(m) AS m",
      "*",
      "current_date = current_date()",
      "nosuch",
      "other.m",
      "m, (SELECT max(id) FROM range(m))",
      "t.nosuch"
    )
    val queries = lists.map(list => s"SELECT $list FROM $found") ++
      Seq(
        "SELECT id FROM range(2) AS a, range(2) AS b",
        "SELECT m FROM range(2)",
        s"SELECT m, id FROM $found, range(2)"
      )
    for (query <- queries; sensitive <- Seq(true, false))
      withConf("spark.sql.caseSensitive" -> sensitive.toString) {
        // With a clause, without which Spark's parser reads it.
        val rows =
          "SELECT * FROM range(1) MATCH_RECOGNIZE (MEASURES 1 AS i PATTERN (A)) WHERE i > 1"
        val three = Seq.fill(3)(s"($query)").mkString(" UNION ALL ")
        assert(answer(s"WITH none AS ($rows) $three") == answer(query), query)
      }
  }

  test("the first error is reported") {
    val found = "range(2) MATCH_RECOGNIZE (MEASURES A.id AS m PATTERN (A)) AS a, " +
      "range(2) MATCH_RECOGNIZE (MEASURES A.id AS m PATTERN (A)) AS b"
    val queries = Seq("upper(m)", "m", "a.m").map(list => s"SELECT $list FROM $found")
    val error = intercept[AnalysisException](spark.sql(queries.mkString(" UNION ALL ")))
    assert(error.getCondition == "AMBIGUOUS_REFERENCE")
    assert(error.getQueryContext.head.startIndex == queries.head.indexOf("m"))
  }

  test("three passes of Spark's rules") {
    spark.range(9).selectExpr("id AS k", "id * 0.5D AS v").createOrReplaceTempView("halves")
    def clause(n: Int) = s"SELECT $n AS n, k, m AS x FROM halves MATCH_RECOGNIZE (PARTITION BY k " +
      s"ORDER BY v MEASURES COUNT(*) AS m PATTERN (A B*) DEFINE A AS v > $n)"
    val rules = query((1 to 4).map(clause).mkString(" UNION ALL ")).tracker.rules
    val runs = rules.collect {
      case (name, summary) if name.endsWith("ResolveReferences") => summary.numInvocations
    }
    assert(runs.toSeq == Seq(3L))
  }

  test("a recursive query keeps the tree") {
    assume(!SPARK_VERSION.startsWith("4.0"), "without WITH RECURSIVE")
    val step = "SELECT k + 1 FROM r WHERE k < 4"
    val sql = s"WITH RECURSIVE r (k) AS (${many(2)} UNION ALL $step) SELECT * FROM r"
    assert(rows(sql).map(_.getLong(0)).sorted == Seq(2L, 2L, 3L, 3L, 4L, 4L))
  }

  test("placeholders below names that are known later") {
    val sql = s"SELECT count(*) FROM IDENTIFIER(:t), (${many(3)})"
    spark.range(2).createOrReplaceTempView("two_rows")
    assert(spark.sql(sql, Map("t" -> "two_rows")).collect().toSeq == Seq(Row(6L)))
  }
}
