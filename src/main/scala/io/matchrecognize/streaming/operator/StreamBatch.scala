package io.matchrecognize.streaming.operator

import io.matchrecognize.shims.Stateful.StatefulOperatorStateInfo

/** What Spark's planning of a micro-batch tells a stateful operator. */
final case class StreamBatch(
    stateInfo: Option[StatefulOperatorStateInfo],
    timestampMs: Option[Long],
    lateMs: Option[Long],
    evictionMs: Option[Long]
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
