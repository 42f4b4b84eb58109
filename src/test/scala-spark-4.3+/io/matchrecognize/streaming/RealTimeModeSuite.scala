package io.matchrecognize.streaming

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.sources.LowLatencyMemoryStream
import org.apache.spark.sql.streaming.{OutputMode, StreamingQueryException, Trigger}
import org.apache.spark.sql.{Encoder, Encoders, ForeachWriter, Row}

/**
 * What a clause does with `trigger(realTime=...)`, which has stateful operators since Spark 4.3.
 */
class RealTimeModeSuite extends StreamSuite {
  private val clause = """SELECT * FROM r MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
    MEASURES FIRST(v) AS a, LAST(v) AS b PATTERN (A B) DEFINE B AS v > A.v)"""
  private final val AllowlistCheck = "spark.sql.streaming.realTimeMode.allowlistCheck"

  /** Runs the clause over some rows, and gives what it has returned. */
  private def run(rows: Event*): Seq[String] = {
    implicit val encoder: Encoder[Event] = Encoders.product[Event]
    val source = LowLatencyMemoryStream[Event](spark.asInstanceOf[SparkSession], 1)
    source.toDF().withWatermark("ts", "0 seconds").createOrReplaceTempView("r")
    RealTimeModeSuite.seen.clear()
    val query = spark
      .sql(clause)
      .writeStream
      .foreach(new RealTimeModeSuite.Collector)
      .outputMode(OutputMode.Update())
      .option("checkpointLocation", newDirectory())
      .trigger(Trigger.RealTime("5 seconds"))
      .start()
    try {
      source.addData(0, rows)
      val end = System.nanoTime + 60L * 1000 * 1000 * 1000
      while (query.isActive && RealTimeModeSuite.seen.isEmpty && System.nanoTime < end)
        Thread.sleep(100)
      query.exception.foreach(throw _)
      RealTimeModeSuite.seen.asScala.map(shown).toSeq
    } finally query.stop()
  }

  test("without the setting a query is refused before its first batch, with what it needs") {
    withConf(
      "spark.sql.shuffle.partitions" -> "2",
      "spark.matchRecognize.stream.inputOrder" -> "arrival"
    ) {
      val e = intercept[StreamingQueryException](run(Event("a", 1, 1)))
      val message = failure(throw e).getMessage
      assert(message.startsWith("[MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.REAL_TIME_MODE]"))
      assert(message.contains(s""""$AllowlistCheck" = false"""))
      assert(message.contains("\"spark.matchRecognize.stream.inputOrder\" = \"arrival\""))
      assert(message.contains("2 for \"spark.sql.shuffle.partitions\""))
    }
  }

  test("with the setting it runs, and returns matches at the end of a batch") {
    withConf(
      AllowlistCheck -> "false",
      "spark.sql.shuffle.partitions" -> "1",
      "spark.matchRecognize.stream.inputOrder" -> "arrival"
    ) {
      assert(run(Event("a", 1, 1), Event("a", 2, 2)) == Seq("a,1,2"))
    }
  }
}

object RealTimeModeSuite {
  private val seen = new java.util.concurrent.ConcurrentLinkedQueue[Row]

  private final class Collector extends ForeachWriter[Row] {
    override def open(partition: Long, epoch: Long): Boolean = true
    override def process(row: Row): Unit = seen.add(row): Unit
    override def close(error: Throwable): Unit = ()
  }
}
