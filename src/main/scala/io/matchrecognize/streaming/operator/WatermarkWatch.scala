package io.matchrecognize.streaming.operator

import java.time.Instant
import java.util.{Collections, UUID, WeakHashMap}

import scala.collection.mutable

import org.apache.spark.internal.Logging
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf

/**
 * Watches, on the driver, whether the watermark of a running operator moves. An operator whose
 * watermark does not move keeps what it reads and returns nothing. That is not an error: it may be
 * what the user wants, or no row may ever be returned. So it is counted and, once for each time
 * that it happens, logged, but not within the first minutes: where a source rounds its times to
 * whole minutes, the watermark of a healthy query does not move for many short micro-batches.
 *
 * The operator is planned anew for every micro-batch, so the counts are kept here, for each run of
 * a query and operator, as long as Spark holds the run's id. A restart counts from zero.
 */
object WatermarkWatch extends Logging {

  /** What waits for the watermark. */
  sealed trait Waiting {
    def count: Long
    def text: String
  }

  /** Rows that are not searched before. */
  final case class Rows(count: Long) extends Waiting {
    override def text: String =
      s"$count rows wait for it; until it moves, they are not searched and nothing is returned"
  }

  /** In the order of arrival. */
  final case class Keys(count: Long) extends Waiting {
    override def text: String =
      s"$count keys have state; until it moves, none is freed, and matches and timeouts that the " +
        "watermark decides are not returned"
  }

  /**
   * What is known about an operator after a micro-batch.
   *
   * @param timeMs
   *   when it began
   * @param received
   *   rows that arrived in it
   * @param waiting
   *   what waits for the watermark after it
   */
  final case class Observation(
      batchId: Long,
      timeMs: Long,
      watermarkMs: Long,
      received: Long,
      waiting: Waiting,
      readsReusedExchange: Boolean
  )

  private final class Counter {
    var batchId: Long = -1L
    var watermarkMs: Long = Long.MinValue
    // When the micro-batch began that the watermark moved in.
    var sinceMs: Long = 0L
    var stalledBatches: Long = 0L
    var isReported: Boolean = false
  }

  /** For how long the watermark stands still before that is told; only tests change it. */
  @volatile private[streaming] var leastMs: Long = 300000

  private val runs =
    Collections.synchronizedMap(new WeakHashMap[UUID, mutable.Map[Long, Counter]])

  /**
   * Notes a micro-batch; noting it again, as when Spark asks for the progress of the last one while
   * it waits, changes nothing.
   *
   * @return
   *   the micro-batches with rows since the watermark has moved, 0 if nothing waits for it
   */
  def note(runId: UUID, operatorId: Long, seen: Observation): Long = {
    val counters = runs.computeIfAbsent(runId, _ => mutable.Map.empty[Long, Counter])
    counters.synchronized {
      val counter = counters.getOrElseUpdate(operatorId, new Counter)
      if (seen.batchId > counter.batchId) count(counter, seen)
      val limit = SQLConf.get.getConf(MatchRecognizeConf.WarnAfterStalledBatches)
      val lastedMs = seen.timeMs - counter.sinceMs
      val isLong = limit > 0 && counter.stalledBatches >= limit && lastedMs >= leastMs
      if (isLong && !counter.isReported) {
        counter.isReported = true
        logWarning(warning(operatorId, counter.stalledBatches, lastedMs, seen))
      }
      counter.stalledBatches
    }
  }

  private def count(counter: Counter, seen: Observation): Unit = {
    counter.batchId = seen.batchId
    if (seen.watermarkMs != counter.watermarkMs || seen.waiting.count == 0) {
      counter.watermarkMs = seen.watermarkMs
      counter.sinceMs = seen.timeMs
      counter.stalledBatches = 0
      counter.isReported = false
    } else if (seen.received > 0) counter.stalledBatches += 1
  }

  private def warning(
      operatorId: Long,
      batches: Long,
      lastedMs: Long,
      seen: Observation
  ): String = {
    val policy = SQLConf.STREAMING_MULTIPLE_WATERMARK_POLICY
    val watermark =
      if (seen.watermarkMs == 0) "has no value yet"
      else s"is still ${Instant.ofEpochMilli(seen.watermarkMs)}"
    val reused =
      if (seen.readsReusedExchange)
        s"; the operator reads a reused exchange, and has no watermark therefore: set " +
          s"${SQLConf.EXCHANGE_REUSE_ENABLED.key} to false"
      else ""
    s"MATCH_RECOGNIZE (state operator $operatorId): rows arrived in $batches micro-batches " +
      s"within ${lastedMs / 1000} seconds, and the watermark $watermark. ${seen.waiting.text}. " +
      "Likely causes: an input of a union or join of streams, or the operator below another " +
      s"watermark, returns no rows, and ${policy.key} = ${SQLConf.get.getConf(policy)} decides " +
      "whose time counts; no row is later than those before it; a row from the future has pushed " +
      "the watermark ahead of all others, see " +
      s"${MatchRecognizeConf.MaxTimeAhead.key}$reused."
  }
}
