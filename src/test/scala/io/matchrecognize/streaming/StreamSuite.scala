package io.matchrecognize.streaming

import java.nio.file.{Files, Path, Paths}
import java.sql.Timestamp
import java.time.Instant
import java.util.concurrent.ConcurrentLinkedQueue

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.{Level, LogManager}
import org.apache.spark.sql.streaming.{
  StateOperatorProgress,
  StreamingQuery,
  StreamingQueryException
}
import org.apache.spark.sql.{Dataset, Encoders, Row}

import io.matchrecognize.Interpreted
import io.matchrecognize.optimizer.MergeClauses
import io.matchrecognize.shims.StreamTesting._

/** A row of the test stream; `ts` in seconds after midnight. */
final case class Event(g: String, ts: Option[Timestamp], v: Int)

object Event {
  def at(second: Double): Timestamp =
    Timestamp.from(Instant.ofEpochSecond(1704067200L).plusNanos((second * 1e9).toLong))

  def apply(g: String, second: Double, v: Int): Event = Event(g, Some(at(second)), v)

  /** `a1@10 b2@11.5 ...`: group, value and second. */
  def of(text: String): Seq[Event] = text.split("\\s+").toSeq.map { word =>
    val at = word.indexOf('@')
    Event(word.take(1), word.drop(at + 1).toDouble, word.slice(1, at).toInt)
  }
}

/** Runs streaming queries over rows in memory. */
abstract class StreamSuite extends Interpreted {
  protected val hdfs: String =
    "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
  protected val rocksDb: String =
    "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
  protected final val ProviderKey = "spark.sql.streaming.stateStore.providerClass"

  /** Each clause of a union has an operator. */
  protected final val apart: (String, String) =
    "spark.sql.optimizer.excludedRules" -> MergeClauses.ruleName

  protected def newDirectory(): String = Files.createTempDirectory("match-recognize").toString

  protected def newSource(): MemoryStream[Event] =
    MemoryStream[Event](Encoders.product[Event], spark.sqlContext)

  /** The source as the view `name`, with a watermark unless `delay` is empty. */
  protected def view(source: MemoryStream[Event], delay: String, name: String = "s"): Unit = {
    val rows = source.toDF()
    val timed = if (delay.isEmpty) rows else rows.withWatermark("ts", delay)
    timed.createOrReplaceTempView(name)
  }

  /** A row as text, times in seconds after midnight. */
  protected def shown(row: Row): String = row.toSeq
    .map {
      case t: Timestamp =>
        val second = (t.getTime - Event.at(0).getTime) / 1000.0
        if (second == second.floor) second.toLong.toString else second.toString
      case other => String.valueOf(other)
    }
    .mkString(",")

  /** A query that runs, and the rows that it has returned so far. */
  protected final class Run(
      sql: String,
      val sources: Seq[MemoryStream[Event]],
      checkpoint: String,
      mode: String
  ) {
    private val output = mutable.ArrayBuffer.empty[String]
    val query: StreamingQuery = spark
      .sql(sql)
      .writeStream
      .outputMode(mode)
      .option("checkpointLocation", checkpoint)
      .foreachBatch { (batch: Dataset[Row], _: Long) =>
        val rows = batch.collect().map(shown)
        output.synchronized(output ++= rows): Unit
      }
      .start()

    def add(events: String): Unit = add(sources.head, Event.of(events): _*)

    def add(source: MemoryStream[Event], events: Event*): Unit = {
      source.addData(events)
      query.processAllAvailable()
    }

    /** The rows since the last call, sorted. */
    def taken(): Seq[String] = output.synchronized {
      val rows = output.toSeq.sorted
      output.clear()
      rows
    }

    def operators: Seq[StateOperatorProgress] = query.lastProgress.stateOperators.toSeq

    def metric(name: String): Long = operators.head.customMetrics.asScala(name)

    /** The sum of a metric over all batches. */
    def total(name: String): Long =
      query.recentProgress
        .flatMap(_.stateOperators.headOption)
        .map(_.customMetrics.get(name).longValue)
        .sum

    def lateRows: Long =
      query.recentProgress.flatMap(_.stateOperators.headOption).map(_.numRowsDroppedByWatermark).sum

    def plan: StateStoreWriter = plans.head

    def plans: Seq[StateStoreWriter] = query
      .asInstanceOf[StreamingQueryWrapper]
      .streamingQuery
      .lastExecution
      .executedPlan
      .collect { case writer: StateStoreWriter => writer }
  }

  protected def run[T](
      sql: String,
      sources: Seq[MemoryStream[Event]],
      checkpoint: String = newDirectory(),
      mode: String = "append"
  )(body: Run => T): T = {
    val started = new Run(sql, sources, checkpoint, mode)
    try body(started)
    finally started.query.stop()
  }

  /** Starts a query over a new source `s`. */
  protected def stream[T](
      sql: String,
      delay: String = "5 seconds",
      mode: String = "append"
  )(body: Run => T): T = {
    val source = newSource()
    view(source, delay)
    run(sql, Seq(source), mode = mode)(body)
  }

  /**
   * Deletes the last commit, as if the process had ended after the sink and the state were written:
   * the micro-batch runs again. Returns whether there was one.
   */
  protected def loseCommit(checkpoint: String): Boolean = {
    def number(file: Path): Option[Long] = file.getFileName.toString.toLongOption
    val directory = Paths.get(checkpoint, "commits")
    val files =
      if (Files.exists(directory)) Using.resource(Files.list(directory))(_.iterator.asScala.toList)
      else Nil
    val last = files.filter(number(_).nonEmpty).maxByOption(number)
    last.foreach { file =>
      Files.delete(file)
      Files.deleteIfExists(directory.resolve(s".${file.getFileName}.crc"))
    }
    last.isDefined
  }

  /** The warnings of a class that `body` leads to; it is given those so far. */
  protected def warnings(of: Class[_])(body: (() => Seq[String]) => Unit): Seq[String] = {
    val found = new ConcurrentLinkedQueue[String]
    val appender = new AbstractAppender("warnings", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit =
        if (event.getLevel == Level.WARN) found.add(event.getMessage.getFormattedMessage): Unit
    }
    val name = of.getName.stripSuffix("$")
    Configurator.setLevel(name, Level.WARN)
    val logger = LogManager.getLogger(name).asInstanceOf[Logger]
    appender.start()
    logger.addAppender(appender)
    try body(() => found.asScala.toSeq)
    finally {
      logger.removeAppender(appender)
      Configurator.setLevel(name, Level.OFF)
    }
    found.asScala.toSeq
  }

  protected def failure(body: => Any): Throwable = {
    val e = intercept[StreamingQueryException](body)
    Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).toSeq.last
  }
}
