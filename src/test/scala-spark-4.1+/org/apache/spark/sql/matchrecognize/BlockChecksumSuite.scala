package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.{MapOutputTrackerMaster, SparkEnv}

import io.matchrecognize.QuerySuite
import io.matchrecognize.conf.MatchRecognizeConf

/** What a map task reports about the rows that it has written in blocks. */
class BlockChecksumSuite extends QuerySuite {
  private val checksum = "spark.sql.shuffle.orderIndependentChecksum.enabled"
  private val fullRetry = "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch"

  /** The checksums of the two map tasks below a clause. */
  private def checksums(rows: String, confs: (String, String)*): Seq[Long] = {
    val all = confs ++ Seq(
      MatchRecognizeConf.Shuffle.key -> "blocks",
      "spark.sql.adaptive.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "3"
    )
    withConf(all: _*) {
      spark.sql(rows).createOrReplaceTempView("written")
      val frame = spark.sql("""SELECT * FROM written MATCH_RECOGNIZE (PARTITION BY k ORDER BY id
        MEASURES COUNT(*) AS n, LAST(text) AS t, LAST(d) AS d PATTERN (A+))""")
      assert(frame.collect().nonEmpty)
      val plan = frame.asInstanceOf[ClassicDataset[Row]].queryExecution.executedPlan
      val shuffle = nodes(plan).collectFirst { case e: BlockExchange => e.shuffleId }.get
      val tracker = SparkEnv.get.mapOutputTracker.asInstanceOf[MapOutputTrackerMaster]
      val statuses = tracker.shuffleStatuses(shuffle).mapStatuses
      assert(statuses.length == 2)
      statuses.map(_.checksumValue).toSeq
    }
  }

  private def rows(order: String, more: String = "id % 50") =
    s"""SELECT id % 7 AS k, id, IF(id % 11 = 0, NULL, repeat('x', CAST($more AS INT))) AS text,
       |  IF(id % 5 = 0, NULL, CAST(id AS DECIMAL(30, 2)) / 3) AS d
       |FROM (SELECT * FROM range(0, 9000, 1, 2) SORT BY $order)""".stripMargin

  test("is the same for the same rows in another order, and another for other rows") {
    val once = checksums(rows("id"))
    assert(once.forall(_ != 0L))
    assert(checksums(rows("id")) == once)
    assert(checksums(rows("id DESC")) == once)
    assert(checksums(rows("hash(id)")) == once)
    assert(checksums(rows("id", "id % 50 + IF(id = 8000, 1, 0)")) != once)
    assert(checksums(rows("id", "IF(id = 3, NULL, id % 50)")) != once)
  }

  test("is not computed where Spark does not ask for it") {
    assert(checksums(rows("id"), checksum -> "false", fullRetry -> "false") == Seq(0L, 0L))
    assert(checksums(rows("id"), checksum -> "false", fullRetry -> "true") == checksums(rows("id")))
  }

  test("the exchange keeps Spark's metrics, and stays itself in a changed plan") {
    withConf(MatchRecognizeConf.Shuffle.key -> "blocks", "spark.sql.adaptive.enabled" -> "true") {
      spark.sql(rows("id")).createOrReplaceTempView("written")
      val frame = spark.sql("""SELECT * FROM written MATCH_RECOGNIZE (PARTITION BY k ORDER BY id
        MEASURES COUNT(*) AS n PATTERN (A+))""")
      assert(frame.collect().length == 7)
      val exchange = nodes(executed(frame)).collectFirst { case e: BlockExchange => e }.get
      Seq("dataSize", "numPartitions", "shuffleRecordsWritten", "recordsRead").foreach { name =>
        assert(exchange.metrics(name).value > 0, name)
      }
      assert(exchange.canonicalized == exchange.withNewChildren(exchange.children).canonicalized)
    }
  }
}
