package io.matchrecognize.streaming.task

import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * The operator's metrics of a batch; gauges are of the state after it.
 *
 * @param patterns
 *   the names of its clauses that have a metric of their own
 */
final class StreamMetrics(metric: String => SQLMetric, patterns: Seq[String] = Nil)
    extends Serializable {
  import StreamMetrics._

  val outputRows: SQLMetric = metric("numOutputRows")
  val receivedRows: SQLMetric = metric(ReceivedRows)

  /** Dropped, because the watermark has passed their time. */
  val lateRows: SQLMetric = metric("numRowsDroppedByWatermark")

  /** By how much the oldest of them precedes the watermark. */
  val oldestLateMs: SQLMetric = metric(OldestLateMs)

  val nullTimeRows: SQLMetric = metric(NullTimeRows)
  val outOfOrderRows: SQLMetric = metric(OutOfOrderRows)
  val handedOnRows: SQLMetric = metric(HandedOnRows)
  val matches: SQLMetric = metric(Matches)
  private val matchesOf = patterns.map(name => metric(ofPattern(name))).toArray
  val timeouts: SQLMetric = metric(Timeouts)
  val pendingRows: SQLMetric = metric(PendingRows)
  val heldRows: SQLMetric = metric(HeldRows)
  val openAttempts: SQLMetric = metric(OpenAttempts)
  val keys: SQLMetric = metric(Keys)
  val bytes: SQLMetric = metric(Bytes)
  val updatedEntries: SQLMetric = metric("numUpdatedStateRows")
  val removedEntries: SQLMetric = metric("numRemovedStateRows")
  // By key: of reading and sorting the rows. Row by row: of the search, without the wait for rows.
  val updateTime: SQLMetric = metric("allUpdatesTimeMs")

  /** Counts a match of a clause. */
  def addMatch(number: Int): Unit = {
    matches += 1
    if (number < matchesOf.length) matchesOf(number) += 1
  }
}

/** Names and texts of the operator's own metrics. */
object StreamMetrics {

  /** Of the operator, in the progress of a query. */
  final val OperatorName = "matchRecognize"

  final val ReceivedRows = "rowsReceived"
  final val OldestLateMs = "oldestLateRowMs"
  final val NullTimeRows = "rowsDroppedNullTime"
  final val OutOfOrderRows = "rowsDroppedOutOfOrder"
  final val HandedOnRows = "rowsHandedOnEarly"
  final val Matches = "matches"
  final val Timeouts = "timedOutMatches"
  final val PendingRows = "pendingRows"
  final val HeldRows = "rowsInState"
  final val OpenAttempts = "openAttempts"
  final val Keys = "keysWithState"
  final val Bytes = "stateBytes"
  final val StalledBatches = "stalledBatches"

  private def ofPattern(name: String): String = s"$Matches of $name"

  /**
   * Those that are added over the tasks.
   *
   * @param patterns
   *   as for the metrics
   */
  def texts(patterns: Seq[String]): Seq[(String, String)] = Seq(
    ReceivedRows -> "rows received",
    NullTimeRows -> "rows dropped: event time is NULL",
    OutOfOrderRows -> "rows dropped: out of the order of arrival",
    HandedOnRows -> "rows handed on early by the limit on pending rows",
    Matches -> "number of matches",
    Timeouts -> "number of timed-out matches",
    PendingRows -> "rows that the watermark has not reached",
    HeldRows -> "rows held by open matches",
    OpenAttempts -> "open attempts",
    Keys -> "row pattern partitions with state",
    Bytes -> "bytes of state",
    StalledBatches -> "micro-batches with rows since the watermark moved"
  ) ++ patterns.map(name => ofPattern(name) -> s"number of matches of $name")
}
