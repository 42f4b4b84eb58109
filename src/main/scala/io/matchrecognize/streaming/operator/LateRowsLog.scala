package io.matchrecognize.streaming.operator

import java.util.{Collections, UUID, WeakHashMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.streaming.StreamingQueryListener.{
  QueryProgressEvent,
  QueryTerminatedEvent
}
import org.apache.spark.sql.streaming.StreamingQueryProgress

import io.matchrecognize.errors.UserText
import io.matchrecognize.streaming.task.StreamMetrics

/**
 * Logs, on the driver, the rows that the clauses of a query have dropped because they were late:
 * matches may be missing then, or there are some that these rows would have prevented. The first
 * micro-batch with such rows is logged at once, what follows each few minutes, the rest when the
 * query ends.
 *
 * A listener of the context, because only it hears of the end of a query. It reads the progress of
 * each micro-batch, which has the numbers too.
 */
final class LateRowsLog(now: () => Long) extends SparkListener with Logging {
  import LateRowsLog._

  // One event is handled after the other.
  private val runs = mutable.HashMap.empty[UUID, Counter]

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case made: QueryProgressEvent => note(made.progress)
    case ended: QueryTerminatedEvent => runs.remove(ended.runId).foreach(log)
    case _ =>
  }

  private def note(progress: StreamingQueryProgress): Unit = {
    val late = progress.stateOperators.filter { operator =>
      operator.operatorName == StreamMetrics.OperatorName &&
      operator.numRowsDroppedByWatermark > 0
    }
    if (late.nonEmpty) {
      val counter =
        runs.getOrElseUpdate(progress.runId, new Counter(nameOf(progress), now() - LeastMs))
      counter.rows += late.map(_.numRowsDroppedByWatermark).sum
      counter.oldestMs = (counter.oldestMs +:
        late.toSeq.map(_.customMetrics.getOrDefault(StreamMetrics.OldestLateMs, 0L).longValue)).max
      counter.watermark = progress.eventTime.asScala.getOrElse("watermark", "")
    }
    runs.get(progress.runId).filter(now() - _.loggedMs >= LeastMs).foreach(log)
  }

  private def log(counter: Counter): Unit = if (counter.rows > 0) {
    counter.total += counter.rows
    logWarning(
      s"MATCH_RECOGNIZE in ${counter.query} has dropped late rows: ${counter.rows}, and " +
        s"${counter.total} since it started. The watermark is ${counter.watermark}, and the oldest of " +
        s"them was ${counter.oldestMs / 1000.0} seconds late. Matches may be missing, or wrong where " +
        "a pattern expects no row. A longer delay of the watermark keeps such rows."
    )
    counter.rows = 0
    counter.oldestMs = 0
    counter.loggedMs = now()
  }
}

object LateRowsLog {
  private final val LeastMs = 300000L

  private val watched = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkContext, java.lang.Boolean])
  )

  /** The late rows of a run since they were logged last. */
  private final class Counter(val query: String, var loggedMs: Long) {
    var rows: Long = 0L
    var total: Long = 0L
    var oldestMs: Long = 0L
    var watermark: String = ""
  }

  /** Watches the queries of a context, if they are not watched yet. */
  def watch(context: SparkContext): Unit =
    if (watched.add(context))
      context.addSparkListener(new LateRowsLog(() => System.nanoTime / 1000000))

  private def nameOf(progress: StreamingQueryProgress): String =
    Option(progress.name).fold(s"query ${progress.id}")(name =>
      s"query ${UserText.logLine(UserText.quoted(name))}"
    )
}
