package io.matchrecognize.streaming.operator

import io.matchrecognize.shims.Stateful.StatefulOperatorStateInfo

/**
 * What Spark's planning of a batch tells a stateful operator.
 *
 * @param isRealTime
 *   whether the batch is one of Real-Time Mode, which reads rows for minutes
 */
final case class StreamBatch(
    isRealTime: Boolean,
    stateInfo: Option[StatefulOperatorStateInfo] = None,
    timestampMs: Option[Long] = None,
    lateMs: Option[Long] = None,
    evictionMs: Option[Long] = None
) {

  /** The batch's watermark, in microseconds. */
  def readyMicros: Long = evictionMs.getOrElse(0L) * 1000L

  /**
   * The time up to which rows are late, in microseconds.
   *
   * @param atOnce
   *   whether rows are late up to the batch's watermark, so that what it decides is known before a
   *   row is read; else up to that of the batch before
   */
  def lateMicros(atOnce: Boolean): Long =
    if (atOnce) readyMicros else lateMs.getOrElse(0L) * 1000L
}
