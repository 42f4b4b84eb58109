package io.matchrecognize.streaming

import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * What the operator reports of a batch; the gauges are of the state after it.
 *
 * @param lateRows
 *   dropped, because the watermark has passed their time
 */
final case class StreamMetrics(
    outputRows: SQLMetric,
    receivedRows: SQLMetric,
    lateRows: SQLMetric,
    nullTimeRows: SQLMetric,
    handedOnRows: SQLMetric,
    matches: SQLMetric,
    timeouts: SQLMetric,
    pendingRows: SQLMetric,
    heldRows: SQLMetric,
    openAttempts: SQLMetric,
    keys: SQLMetric,
    bytes: SQLMetric,
    updatedEntries: SQLMetric,
    removedEntries: SQLMetric,
    updateTime: SQLMetric
)

/** Names and texts of the operator's own metrics. */
object StreamMetrics {
  final val ReceivedRows = "rowsReceived"
  final val NullTimeRows = "rowsDroppedNullTime"
  final val FarFutureRows = "rowsDroppedFarFuture"
  final val HandedOnRows = "rowsHandedOnEarly"
  final val Matches = "matches"
  final val Timeouts = "timedOutMatches"
  final val PendingRows = "pendingRows"
  final val HeldRows = "rowsInState"
  final val OpenAttempts = "openAttempts"
  final val Keys = "keysWithState"
  final val Bytes = "stateBytes"
  final val StalledBatches = "stalledBatches"

  def of(metric: String => SQLMetric): StreamMetrics = StreamMetrics(
    metric("numOutputRows"),
    metric(ReceivedRows),
    metric("numRowsDroppedByWatermark"),
    metric(NullTimeRows),
    metric(HandedOnRows),
    metric(Matches),
    metric(Timeouts),
    metric(PendingRows),
    metric(HeldRows),
    metric(OpenAttempts),
    metric(Keys),
    metric(Bytes),
    metric("numUpdatedStateRows"),
    metric("numRemovedStateRows"),
    metric("allUpdatesTimeMs")
  )

  val texts: Seq[(String, String)] = Seq(
    ReceivedRows -> "rows received",
    NullTimeRows -> "rows dropped: event time is NULL",
    FarFutureRows -> "rows dropped: event time too far in the future",
    HandedOnRows -> "rows handed on early by the limit on pending rows",
    Matches -> "number of matches",
    Timeouts -> "number of timed-out matches",
    PendingRows -> "rows that the watermark has not reached",
    HeldRows -> "rows held by open matches",
    OpenAttempts -> "open attempts",
    Keys -> "row pattern partitions with state",
    Bytes -> "bytes of state",
    StalledBatches -> "micro-batches with rows since the watermark moved"
  )
}
