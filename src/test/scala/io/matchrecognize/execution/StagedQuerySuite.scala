package io.matchrecognize.execution

import org.apache.spark.sql.execution.{InputAdapter, SparkPlan, WholeStageCodegenExec}
import org.apache.spark.sql.{DataFrame, Row}

import io.matchrecognize.QuerySuite
import io.matchrecognize.conf.MatchRecognizeConf

/** Runs clauses over sorted rows, in whole-stage code and alone. */
abstract class StagedQuerySuite extends QuerySuite {
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

  /** The operators that are in whole-stage code, by the stage they are in. */
  protected def staged(frame: DataFrame): Seq[Seq[MatchRecognizeExec]] = {
    def operators(plan: SparkPlan): Seq[MatchRecognizeExec] = plan match {
      case m: MatchRecognizeExec if m.supportCodegen => m +: operators(m.child)
      case _: InputAdapter => Nil
      case other => other.children.flatMap(operators)
    }
    nodes(executed(frame)).collect { case stage: WholeStageCodegenExec => operators(stage) }
  }

  protected def plain(rows: Seq[Row]): Seq[String] = rows.map {
    _.toSeq
      .map {
        case bytes: Array[Byte] => bytes.toSeq
        case value => value
      }
      .toString
  }.sorted

  /** Checks that a query runs in whole-stage code and returns what it returns without. */
  protected def check(sql: String, operators: Int = 1): DataFrame = withConf(sorted: _*) {
    val alone = withConf(MatchRecognizeConf.WholeStage.key -> "false") {
      val frame = spark.sql(sql)
      assert(staged(frame).flatten.isEmpty)
      frame.collect().toSeq
    }
    assert(alone.nonEmpty)
    val frame = spark.sql(sql)
    val found = frame.collect().toSeq
    assert(staged(frame).flatten.length == operators)
    assert(plain(found) == plain(alone))
    frame
  }
}
