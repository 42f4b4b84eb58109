package io.matchrecognize.execution.plan

import org.apache.spark.sql.{DataFrame, Row}

import io.matchrecognize.QuerySuite
import io.matchrecognize.conf.MatchRecognizeConf

/** Runs clauses over rows that arrive in order, and over rows that the operator sorts. */
abstract class SortedQuerySuite extends QuerySuite {
  protected val sorted: Seq[(String, String)] = Seq(
    MatchRecognizeConf.Sort.key -> "spark",
    "spark.sql.adaptive.enabled" -> "false",
    // code that does not compile fails
    "spark.sql.codegen.fallback" -> "false",
    "spark.sql.codegen.factoryMode" -> "CODEGEN_ONLY",
    "spark.sql.shuffle.partitions" -> "2"
  )

  protected val ticks: String =
    """SELECT concat('s', id % 7) AS symbol, id % 3 = 0 AS odd, id AS ts,
      |  IF(id % 13 = 0, NULL, CAST(hash(id) % 1000 AS DOUBLE)) AS price,
      |  IF(id % 5 = 0, NULL, repeat('x', CAST(id % 50 AS INT))) AS note
      |FROM range(20000)""".stripMargin

  protected val shape: String =
    """PARTITION BY symbol ORDER BY ts
      |  MEASURES MATCH_NUMBER() AS n, STRT.price AS a, LAST(DOWN.note) AS b, COUNT(*) AS size
      |  AFTER MATCH SKIP TO LAST UP PATTERN (STRT DOWN+ UP+)
      |  DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price)""".stripMargin

  protected def withView(name: String, sql: String)(body: => Unit): Unit = {
    spark.sql(sql).createOrReplaceTempView(name)
    try body
    finally spark.catalog.dropTempView(name)
  }

  protected def plain(rows: Seq[Row]): Seq[String] = rows.map {
    _.toSeq
      .map {
        case bytes: Array[Byte] => bytes.toSeq
        case value => value
      }
      .toString
  }.sorted

  /** Checks that a query over rows that arrive in order returns what the operator's sort gives. */
  protected def check(sql: String, operators: Int = 1): DataFrame = withConf(sorted: _*) {
    val alone = withConf(MatchRecognizeConf.Sort.key -> "own")(rows(sql))
    assert(alone.nonEmpty)
    val frame = spark.sql(sql)
    val found = frame.collect().toSeq
    assert(matchNodes(frame).count(!_.simpleString(100).contains("own sort")) == operators)
    assert(plain(found) == plain(alone))
    frame
  }
}
