package io.matchrecognize.streaming.operator

import java.time.Instant
import java.util.UUID

import org.apache.spark.internal.Logging
import org.apache.spark.sql.internal.SQLConf

/**
 * Watches, on the driver, whether the watermark of a running operator moves. With a stalled
 * watermark the operator buffers its input and returns nothing. That is not an error: it may be
 * what the user wants, or no row may ever be returned. So it is counted and, once for each stall,
 * logged, but not within the first minutes: where a source rounds its times to whole minutes, the
 * watermark of a healthy query does not move for many short micro-batches.
 *
 * A restart counts from zero.
 */
object WatermarkWatch extends Logging {
  private final val LeastBatches = 10L
  private final val LeastMs = 300000L

  /**
   * What is known about an operator after a micro-batch.
   *
   * @param timeMs
   *   when it began
   * @param received
   *   rows that arrived in it
   * @param waiting
   *   what waits for the watermark after it: rows, in the order of arrival keys with state
   */
  final case class Observation(
      batchId: Long,
      timeMs: Long,
      watermarkMs: Long,
      received: Long,
      waiting: Long,
      inOrderOfArrival: Boolean
  )

  private final class Counter {
    var batchId: Long = -1L
    var watermarkMs: Long = Long.MinValue
    // When the micro-batch began that the watermark moved in.
    var sinceMs: Long = 0L
    var stalledBatches: Long = 0L
    var isReported: Boolean = false
  }

  private val counters = new PerRun[Counter]

  /**
   * Notes a micro-batch; noting it again, as when Spark asks for the progress of the last one while
   * it waits, changes nothing.
   *
   * @return
   *   the micro-batches with rows since the watermark has moved, 0 if nothing waits for it
   */
  def note(runId: UUID, operatorId: Long, seen: Observation): Long = {
    val counter = counters.getOrElseUpdate(runId, operatorId, new Counter)
    counter.synchronized {
      if (seen.batchId > counter.batchId) count(counter, seen)
      val lastedMs = seen.timeMs - counter.sinceMs
      val isLong = counter.stalledBatches >= LeastBatches && lastedMs >= LeastMs
      if (isLong && !counter.isReported) {
        counter.isReported = true
        logWarning(warning(operatorId, counter.stalledBatches, lastedMs, seen))
      }
      counter.stalledBatches
    }
  }

  private def count(counter: Counter, seen: Observation): Unit = {
    counter.batchId = seen.batchId
    if (seen.watermarkMs != counter.watermarkMs || seen.waiting == 0) {
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
    val waiting =
      if (seen.inOrderOfArrival)
        s"${seen.waiting} keys have state; until it moves, none is freed, and matches and timeouts " +
          "that the watermark decides are not returned"
      else
        s"${seen.waiting} rows wait for it; until it moves, they are not searched and nothing is " +
          "returned"
    s"MATCH_RECOGNIZE (state operator $operatorId): rows arrived in $batches micro-batches " +
      s"within ${lastedMs / 1000} seconds, and the watermark $watermark. $waiting. " +
      "Likely causes: an input of a union or join of streams, or the operator below another " +
      s"watermark, returns no rows, and ${policy.key} = ${SQLConf.get.getConf(policy)} decides " +
      "whose time counts; no row is later than those before it; a row from the future has pushed " +
      "the watermark ahead of all others."
  }
}
