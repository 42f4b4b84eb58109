package io.matchrecognize.streaming

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.sources.LowLatencyMemoryStream
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, ForeachWriter, Row}

import io.matchrecognize.conf.MatchRecognizeConf

/** Runs queries in Real-Time Mode over rows in memory, one partition of which has all rows. */
abstract class RealTimeSuite extends StreamSuite {
  protected final val AllowlistCheck = "spark.sql.streaming.realTimeMode.allowlistCheck"
  private final val ShortestBatch = "spark.sql.streaming.realTimeMode.minBatchDuration"

  /** What a batch of a test is long enough for not to end in it. */
  protected final val Endless = "5 minutes"

  protected def inRealTime[T](confs: (String, String)*)(body: => T): T =
    withConf(
      (Map(
        AllowlistCheck -> "false",
        ShortestBatch -> "500ms",
        "spark.sql.shuffle.partitions" -> "1",
        MatchRecognizeConf.InputOrder.key -> "arrival"
      ) ++ confs).toSeq: _*
    )(body)

  protected final class Source[T: Encoder](delay: String, time: String, name: String) {
    private val rows = LowLatencyMemoryStream[T](spark.asInstanceOf[SparkSession], 1)
    rows.toDF().withWatermark(time, delay).createOrReplaceTempView(name)

    /** The rows without a watermark. */
    def unmarked: DataFrame = rows.toDF()

    def add(more: Seq[T]): Unit = rows.addData(0, more): Unit
  }

  protected def events(delay: String): Source[Event] =
    new Source[Event](delay, "ts", "s")(Encoders.product[Event])

  /** A query that runs, and what it has returned since its start. */
  protected final class Running(sql: String, checkpoint: String, batch: String) {
    private val id = RealTimeSuite.ids.incrementAndGet()
    private val seen = new ConcurrentLinkedQueue[(Long, Row)]
    RealTimeSuite.outputs.put(id, seen)

    val query: StreamingQuery = spark
      .sql(sql)
      .writeStream
      .foreach(new RealTimeSuite.Collector(id))
      .outputMode(OutputMode.Update())
      .option("checkpointLocation", checkpoint)
      .trigger(Trigger.RealTime(batch))
      .start()

    def rows: Vector[Row] = seen.asScala.map(_._2).toVector

    def shownRows: Seq[String] = rows.map(shown)

    /** With the numbers of their batches. */
    def numbered: Vector[(Long, Row)] = seen.asScala.toVector

    /** The first batch that has not ended, 0 before one has. */
    def ended: Long = Option(query.lastProgress).fold(0L)(_.batchId + 1)

    /** The batches that have ended since the start. */
    def finished: Int = query.recentProgress.map(_.batchId).distinct.length

    /** Waits until something holds; raises what has ended the query. */
    def await(what: String)(holds: => Boolean): Unit = {
      val end = System.nanoTime + 90L * 1000 * 1000 * 1000
      while (query.isActive && !holds && System.nanoTime < end) Thread.sleep(20)
      query.exception.foreach(throw _)
      assert(holds, s"$what; there are $shownRows")
    }

    def awaitRows(expected: String*): Unit = await(expected.toString)(shownRows == expected)
  }

  protected def running[T](
      sql: String,
      checkpoint: String = newDirectory(),
      batch: String = Endless
  )(body: Running => T): T = {
    val started = new Running(sql, checkpoint, batch)
    try body(started)
    finally started.query.stop()
  }
}

object RealTimeSuite {
  private val ids = new AtomicInteger
  private val outputs = new ConcurrentHashMap[Int, ConcurrentLinkedQueue[(Long, Row)]]

  private final class Collector(id: Int) extends ForeachWriter[Row] {
    private var batch = 0L

    override def open(partition: Long, epoch: Long): Boolean = {
      batch = epoch
      true
    }
    override def process(row: Row): Unit = outputs.get(id).add(batch -> row): Unit
    override def close(error: Throwable): Unit = ()
  }
}
