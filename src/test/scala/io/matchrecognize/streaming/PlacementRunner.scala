package io.matchrecognize.streaming

import java.sql.Timestamp
import java.util.concurrent.TimeoutException

import scala.collection.mutable
import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Dataset, Encoders, Row, SparkSession}

import io.matchrecognize.shims.StreamTesting.MemoryStream

/** What a sink received from a query, or how the query ended. */
sealed trait StreamResult

object StreamResult {

  /** The rows of each micro-batch. */
  final case class Batches(rows: Seq[Seq[Map[String, Any]]]) extends StreamResult

  /** An error; `rows` is the number of rows before it. */
  final case class Failed(error: Throwable, rows: Int) extends StreamResult

  case object Hung extends StreamResult
}

/** Runs a placement plan over tables and over streams. */
final class PlacementRunner(spark: SparkSession, newDirectory: () => String) {
  import StreamResult._

  private val schema = Encoders.product[PlacedRow].schema
  // A batch of many operators takes a while on a busy machine.
  private val limit = 300.seconds

  /** The rows of the plan over tables with all rows. */
  def table(plan: PlacementPlan): Seq[Map[String, Any]] = {
    val frame = build(plan, stream => spark.createDataFrame(plan.rows(stream)).to(schema))
    frame.collect().toSeq.map(asMap)
  }

  /**
   * The rows of the plan over streams: each micro-batch of the plan's, and then the last rows, one
   * after the other until `isComplete`.
   */
  def stream(plan: PlacementPlan)(isComplete: Batches => Boolean): StreamResult = {
    val run = new Run(plan)
    try {
      plan.arrivals.zipWithIndex.foreach { case (arrivals, i) =>
        if (plan.settings.restartBefore.contains(i)) run.stop()
        run.add(arrivals)
      }
      PlacementPlan.Finals.iterator
        .map { row =>
          run.add(PlanArrivals(Seq(row), Seq(row)))
          Batches(run.received)
        }
        .find(isComplete)
        .getOrElse(Batches(run.received))
    } catch {
      case _: TimeoutException => Hung
      case NonFatal(error) => Failed(error, run.received.map(_.size).sum)
    } finally run.stop()
  }

  private final class Run(plan: PlacementPlan) {
    private val sources =
      plan.streams
        .map(name => name -> MemoryStream[PlacedRow](Encoders.product[PlacedRow], spark.sqlContext))
        .toMap
    private val checkpoint = newDirectory()
    private val output = mutable.TreeMap.empty[Long, Seq[Map[String, Any]]]
    private var query: Option[StreamingQuery] = None

    /** The compared rows of each micro-batch. */
    def received: Seq[Seq[Map[String, Any]]] = output.synchronized(output.values.toSeq)

    def add(arrivals: PlanArrivals): Unit = {
      sources.foreach { case (name, source) =>
        val rows = arrivals.of(name)
        // Another plan than one with a source that has no new rows.
        if (rows.nonEmpty || arrivals.size == 0) source.addData(rows)
      }
      val running = started()
      if (plan.settings.isAvailableNow) {
        if (!running.awaitTermination(limit.toMillis)) throw new TimeoutException
        query = None
      } else Await.result(Future(running.processAllAvailable())(ExecutionContext.global), limit)
    }

    def stop(): Unit = {
      query.foreach(_.stop())
      query = None
    }

    private def started(): StreamingQuery = query.getOrElse {
      val frame = build(plan, stream => sources(stream).toDF())
      val limited = plan.limit.fold(frame)(n => PlacementRunner.compared(frame).limit(n))
      val trigger =
        if (plan.settings.isAvailableNow) Trigger.AvailableNow() else Trigger.ProcessingTime(0)
      val running = limited.writeStream
        .outputMode(plan.settings.mode)
        .trigger(trigger)
        .option("checkpointLocation", checkpoint)
        .foreachBatch { (batch: Dataset[Row], id: Long) =>
          val rows = batch.collect().toSeq.map(asMap)
          output.synchronized(output.update(id, rows))
        }
        .start()
      query = Some(running)
      running
    }
  }

  private def build(plan: PlacementPlan, rows: String => DataFrame): DataFrame = {
    val views = PlacementPlan.views(plan.root)
    val names = views.map { case (node, text) => node -> text.takeWhile(_ != ' ') }.toMap
    val frames = mutable.HashMap.empty[PlanNode, DataFrame]
    views.foreach {
      case (source: SourceNode, _) =>
        frames(source) = source.prepare(rows(source.stream), s"${plan.settings.delay} seconds")
        frames(source).createOrReplaceTempView(names(source))
      case (node @ OperatorNode(operator, inputs), _) if !plan.isStatement =>
        frames(node) = operator.frame match {
          case Some(f) => f(inputs.map(frames))
          case None => spark.sql(operator.text(inputs.map(names)))
        }
        frames(node).createOrReplaceTempView(names(node))
      case _ =>
    }
    if (plan.isStatement) spark.sql(statement(plan.root, views.map(_._1), names))
    else frames(plan.root)
  }

  private def statement(
      root: PlanNode,
      nodes: Seq[PlanNode],
      names: Map[PlanNode, String]
  ): String = {
    val relations = nodes.collect { case node @ OperatorNode(operator, inputs) =>
      s"${names(node)} AS (${operator.text(inputs.map(names))})"
    }
    s"WITH ${relations.mkString(",\n")}\nSELECT * FROM ${names(root)}"
  }

  private def asMap(row: Row): Map[String, Any] =
    row.schema.fieldNames.zip(row.toSeq).toMap
}

object PlacementRunner {

  /** Without the rows that only move the watermark. */
  def compared(frame: DataFrame): DataFrame =
    frame.filter(frame("k") =!= PlacementPlan.FinalKey)

  /** The innermost condition of an error that is not the one around a failed query. */
  def condition(error: Throwable): Option[String] =
    Iterator
      .iterate(error)(_.getCause)
      .takeWhile(_ != null)
      .collect { case e: SparkThrowable if e.getCondition != null => e.getCondition }
      .filter(_ != "STREAM_FAILED")
      .toSeq
      .lastOption

  def shown(row: Map[String, Any]): String = Seq("k", "ts", "v")
    .map(row)
    .map {
      case t: Timestamp => s"${(t.getTime - Event.at(0).getTime) / 1000.0}"
      case other => String.valueOf(other)
    }
    .mkString("(", ",", ")")
}
