package io.matchrecognize.execution.stage

import scala.util.Random

import org.apache.spark.sql.execution.ProjectExec
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{DataFrame, SaveMode}

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.StagedQuerySuite

/** The operator over the column batches of tables that are clustered and sorted. */
class BatchLoopSuite extends StagedQuerySuite {
  private val ordered = "spark.sql.legacy.bucketedTableScan.outputOrdering" -> "true"

  /** Makes the table `batches`, sorted by the keys in each of its buckets. */
  private def withTable(sql: String, keys: Seq[String], order: String, format: String = "parquet")(
      body: => Unit
  ): Unit = {
    val all = keys :+ order
    val buckets = if (keys.isEmpty) 1 else 2
    val by = if (keys.isEmpty) Seq(order) else keys
    val rows = spark.sql(sql).repartition(buckets, by.map(col): _*)
    rows
      .sortWithinPartitions(all.head, all.tail: _*)
      .write
      .mode(SaveMode.Overwrite)
      .format(format)
      .bucketBy(buckets, by.head, by.tail: _*)
      .sortBy(all.head, all.tail: _*)
      .saveAsTable("batches")
    try withConf(ordered)(body)
    finally spark.sql("DROP TABLE batches"): Unit
  }

  private def checkBatches(sql: String): DataFrame = {
    val frame = check(sql)
    val child = matchNodes(frame).head.child
    assert(BatchSource.of(child).nonEmpty, child)
    frame
  }

  private def clause(by: String, order: String, rest: String) =
    s"SELECT * FROM batches MATCH_RECOGNIZE ($by ORDER BY $order $rest)"

  private val pair = "MEASURES A.id AS a, LAST(B.id) AS b PATTERN (A B+) DEFINE B AS id > PREV(id)"

  test("partitions over several batches, and several in one") {
    Seq("parquet", "orc").foreach { format =>
      withTable(ticks, Seq("symbol"), "ts", format) {
        Seq("4096", "1000", "7").foreach { size =>
          withConf(
            "spark.sql.parquet.columnarReaderBatchSize" -> size,
            "spark.sql.orc.columnarReaderBatchSize" -> size
          ) {
            val sql = s"SELECT * FROM batches MATCH_RECOGNIZE ($shape)"
            val frame = checkBatches(sql)
            val read = matchNodes(frame).head.child.metrics
            assert(read("numOutputRows").value == 20000)
            assert(read("numInputBatches").value >= 20000 / size.toInt)
          }
        }
        val all = shape.replace("AFTER", "ALL ROWS PER MATCH WITH UNMATCHED ROWS AFTER")
        checkBatches(s"SELECT * FROM batches MATCH_RECOGNIZE ($all)")
      }
    }
  }

  test("without PARTITION BY; chunks that spill") {
    withTable(ticks, Nil, "ts") {
      val all = shape.replace("PARTITION BY symbol", "")
      Seq("1000000", "2", "1000").foreach { threshold =>
        withConf(MatchRecognizeConf.SpillThresholdRows.key -> threshold) {
          val frame = checkBatches(s"SELECT * FROM batches MATCH_RECOGNIZE ($all)")
          val spilled = matchNodes(frame).head.metrics("spillSize").value
          assert((spilled > 0) == (threshold.toInt < 20000))
        }
      }
    }
  }

  test("columns and keys of every type, with and without NULL and dictionaries") {
    val types = Seq(
      "id % 2 = 0",
      "CAST(id % 5 AS TINYINT)",
      "CAST(id % 5 - 2 AS SMALLINT)",
      "CAST(id % 5 - 2 AS INT)",
      "id % 5 - 2",
      "DATE '2026-01-01' + CAST(id % 5 AS INT)",
      "timestamp_seconds(id % 5)",
      "CAST(timestamp_seconds(id % 5) AS TIMESTAMP_NTZ)",
      "make_ym_interval(0, CAST(id % 5 AS INT))",
      "make_dt_interval(CAST(id % 5 AS INT))",
      "concat('key ', id % 5)"
    )
    val others = Seq(
      "CAST(id % 5 - 2.5 AS FLOAT)",
      "IF(id % 5 = 0, NULL, CAST(id % 5 - 2.5 AS DOUBLE))",
      "CAST(id % 5 - 2 AS DECIMAL(9, 3))",
      "IF(id % 5 = 0, NULL, CAST(id % 5 - 2 AS DECIMAL(18, 3)))",
      "CAST(id % 5 - 2 AS DECIMAL(30, 3))",
      "CAST(CAST(id % 5 AS STRING) AS BINARY)",
      "array(id % 5, NULL)"
    )
    val columns = types.zipWithIndex.flatMap { case (value, i) =>
      Seq(s"$value AS p$i", s"IF(id % 3 = 1, NULL, $value) AS q$i")
    } ++ others.zipWithIndex.map { case (value, i) => s"$value AS o$i" }
    val sql = s"SELECT id, ${columns.mkString(", ")} FROM range(300)"
    Seq("true", "false").foreach { dictionary =>
      spark.sparkContext.hadoopConfiguration.set("parquet.enable.dictionary", dictionary)
      types.indices.filter(_ % 3 == 1 || dictionary == "true").foreach { i =>
        // intervals are no keys of buckets
        val keys = if (i == 8 || i == 9) Seq("q10") else Seq(s"q$i", s"p$i")
        withTable(sql, keys, "id") {
          val measures =
            s"MEASURES A.p$i AS ap, LAST(B.q$i) AS bq, LAST(B.o${i % others.length}) AS bo"
          val rest = pair.replaceFirst("MEASURES .* PATTERN", s"$measures PATTERN")
          val by = s"PARTITION BY ${keys.mkString(", ")}"
          checkBatches(clause(by, "id", rest))
          // All columns beside keys of any type.
          if (i % 4 == 1)
            checkBatches(clause(by, "id", rest.replace("PATTERN", "ALL ROWS PER MATCH PATTERN")))
        }
      }
    }
    spark.sparkContext.hadoopConfiguration.unset("parquet.enable.dictionary")
  }

  test("random sizes of partitions and batches") {
    val random = new Random(7)
    (1 to 8).foreach { _ =>
      val largest = Seq(2, 5, 70, 3000)(random.nextInt(4))
      val sql = "SELECT id, " +
        s"id DIV (1 + abs(hash(id DIV 100)) % $largest) AS g, hash(id) % 9 AS v FROM range(4000)"
      withTable(sql, Seq("g"), "id") {
        val size = (1 + random.nextInt(500)).toString
        withConf("spark.sql.parquet.columnarReaderBatchSize" -> size) {
          val rest = "MEASURES FIRST(A.id) AS a, COUNT(*) AS n, LAST(B.v) AS b " +
            "PATTERN (A+ B?) DEFINE A AS v > 2, B AS v < PREV(v)"
          checkBatches(clause("PARTITION BY g", "id", rest))
        }
      }
    }
  }

  test("projections of batches: conditions tested below, expressions, other orders of columns") {
    withTable(ticks, Seq("symbol"), "ts") {
      val tested = """MEASURES A.ts AS a, C.ts AS c PATTERN (A B+ C)
          |DEFINE A AS note IS NULL, B AS length(note) > 5, C AS note <= 'xxxxxxxxxxxxxx'""".stripMargin
      val projected = checkBatches(clause("PARTITION BY symbol", "ts", tested))
      assert(nodes(executed(projected)).exists(_.isInstanceOf[ProjectExec]))
      val source =
        """SELECT price * 2 AS twice, upper(note) AS text, ts, odd AND price > 3 AS high,
          |  IF(odd, NULL, ts) AS part, symbol FROM batches""".stripMargin
      val rest =
        """PARTITION BY symbol ORDER BY ts MEASURES LAST(A.twice) AS t, LAST(B.text) AS bt,
          |  B.part AS p ALL ROWS PER MATCH PATTERN (A+ B) DEFINE A AS twice > 40, B AS high""".stripMargin
      checkBatches(s"SELECT * FROM ($source) MATCH_RECOGNIZE ($rest)")
      // what has to be prepared, and what may fail, is computed row by row
      Seq(
        "price > 3" -> "price > (SELECT avg(price) FROM batches)",
        "upper(note)" -> "CAST(1 / (ts + 1) AS STRING)"
      ).foreach { case (simple, other) =>
        val frame =
          check(s"SELECT * FROM (${source.replace(simple, other)}) MATCH_RECOGNIZE ($rest)")
        assert(BatchSource.of(matchNodes(frame).head.child).isEmpty)
      }
    }
  }

  test("a LIMIT ends the search, and errors are the same") {
    withTable(ticks, Seq("symbol"), "ts") {
      withConf(sorted: _*) {
        val limited = spark.sql(
          s"SELECT max(n) FROM (SELECT * FROM batches MATCH_RECOGNIZE ($shape) LIMIT 3)"
        )
        assert(limited.collect().head.getLong(0) == 3)
        assert(matchNodes(limited).head.metrics("numMatches").value <= 8)
        val failing = shape.replace("price < PREV(price)", "100 / (ts % 5000 - 4321) < 1000")
        val messages = Seq("true", "false").map { isOn =>
          withConf(MatchRecognizeConf.WholeStage.key -> isOn) {
            val error = intercept[Exception](
              rows(s"SELECT * FROM batches MATCH_RECOGNIZE ($failing)")
            )
            Iterator
              .iterate[Throwable](error)(_.getCause)
              .takeWhile(_ != null)
              .toSeq
              .last
              .getMessage
          }
        }
        assert(messages.forall(_.contains("while testing row")))
      }
    }
  }
}
