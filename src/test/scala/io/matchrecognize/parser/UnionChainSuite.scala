package io.matchrecognize.parser

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.plans.logical.Union
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.QuerySuite

/** UNION ALL of many queries, which Spark's parser nests. */
class UnionChainSuite extends QuerySuite {
  private def clause(measure: String): String =
    s"SELECT m FROM range(2) MATCH_RECOGNIZE (ORDER BY id MEASURES $measure AS m PATTERN (A+))"

  private def unions(sql: String): Seq[Int] = spark
    .sql(sql)
    .asInstanceOf[ClassicDataset[Row]]
    .queryExecution
    .analyzed
    .collect { case union: Union => union.children.length }

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
