package io.matchrecognize.conf

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.internal.SQLConf

/**
 * The plugin's confs. All are session confs, read where they apply: `enabled` when a statement is
 * parsed, the limits when a query is planned.
 */
object MatchRecognizeConf {
  val Enabled = SQLConf
    .buildConf("spark.matchRecognize.enabled")
    .doc(
      "Whether MATCH_RECOGNIZE is recognised. If false, every statement reaches Spark untouched."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

  val MaxStepsPerMatch = SQLConf
    .buildConf("spark.matchRecognize.maxStepsPerMatch")
    .doc(
      "Largest number of condition tests that the search from one start row may spend. A spent " +
        "budget is an error, never a missing match. 0 means no limit."
    )
    .version("0.1.0")
    .longConf
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(1000000000L)

  val MaxPathBytes = SQLConf
    .buildConf("spark.matchRecognize.maxPathBytes")
    .doc("Largest number of bytes that the open paths of the search from one start row may take.")
    .version("0.1.0")
    .bytesConf(org.apache.spark.network.util.ByteUnit.BYTE)
    .checkValue(_ > 0, "must be positive")
    .createWithDefault(1L << 30)

  val MaxPatternPositions = SQLConf
    .buildConf("spark.matchRecognize.maxPatternPositions")
    .doc(
      "Largest number of positions of a PATTERN, its quantifier bounds and PERMUTE written out."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ > 0, "must be positive")
    .createWithDefault(200000)

  val MaxPermuteElements = SQLConf
    .buildConf("spark.matchRecognize.maxPermuteElements")
    .doc("Largest number of elements of one PERMUTE.")
    .version("0.1.0")
    .intConf
    .checkValue(_ > 0, "must be positive")
    .createWithDefault(10)

  val SpillThresholdRows = SQLConf
    .buildConf("spark.matchRecognize.buffer.spillThresholdRows")
    .doc(
      "Number of rows of one partition that are held in memory before the buffer spills on its own; " +
        "short of memory it spills earlier."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ > 0, "must be positive")
    .createWithDefault(Int.MaxValue)

  val DefaultWatermarkDelay = SQLConf
    .buildConf("spark.matchRecognize.stream.defaultWatermarkDelay")
    .doc(
      "Delay of the watermark that a stream without one gets on its first ORDER BY column, an " +
        "interval such as 10 minutes. Not set: such a stream is refused."
    )
    .version("0.1.0")
    .stringConf
    .checkValue(isDelay, "must be an interval that is not negative")
    .createOptional

  val NullEventTime = SQLConf
    .buildConf("spark.matchRecognize.stream.nullEventTime")
    .doc(
      "What a row of a stream without event time does: error ends the query, drop drops the row " +
        "and counts it."
    )
    .version("0.1.0")
    .stringConf
    .checkValues(actions)
    .createWithDefault("error")

  val MaxTimeAhead = SQLConf
    .buildConf("spark.matchRecognize.stream.maxTimeAhead")
    .doc(
      "How far ahead of the micro-batch's start the event time of a row may be, an interval such " +
        "as 1 hour. A row beyond it would push the watermark for all rows. Not set: no limit."
    )
    .version("0.1.0")
    .stringConf
    .checkValue(isDelay, "must be an interval that is not negative")
    .createOptional

  val RowsTooFarAhead = SQLConf
    .buildConf("spark.matchRecognize.stream.rowsTooFarAhead")
    .doc(
      "What a row beyond spark.matchRecognize.stream.maxTimeAhead does: error ends the query, " +
        "drop drops the row and counts it."
    )
    .version("0.1.0")
    .stringConf
    .checkValues(actions)
    .createWithDefault("error")

  val MaxPendingRows = SQLConf
    .buildConf("spark.matchRecognize.stream.maxPendingRows")
    .doc(
      "Number of rows in one partition of the state store that may wait for the watermark. " +
        "Beyond it the oldest ones are handed on early and counted; rows that then come with an " +
        "earlier time are late. 0 means no limit."
    )
    .version("0.1.0")
    .longConf
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(0L)

  val MaxHeldRows = SQLConf
    .buildConf("spark.matchRecognize.stream.maxRowsPerPartition")
    .doc(
      "Largest number of rows that a stream may hold for the open matches of one row pattern " +
        "partition. More end the query; its checkpoint stays as it is. 0 means no limit."
    )
    .version("0.1.0")
    .longConf
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(10000000L)

  val MaxStateKeys = SQLConf
    .buildConf("spark.matchRecognize.stream.maxStateKeys")
    .doc(
      "Largest number of row pattern partitions with state in one partition of the state store, " +
        "for a clause that keeps some of it for ever (MATCH_NUMBER, PREV, ^). More end the " +
        "query; its checkpoint stays as it is. 0 means no limit."
    )
    .version("0.1.0")
    .longConf
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(10000000L)

  val WarnAfterStalledBatches = SQLConf
    .buildConf("spark.matchRecognize.stream.warnAfterStalledBatches")
    .doc(
      "Number of micro-batches with rows after which the log has a warning if rows wait for the " +
        "watermark and it has not moved: then nothing is returned. 0 means no warning."
    )
    .version("0.1.0")
    .longConf
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(10L)

  private def actions: Set[String] = Set("error", "drop")

  private def isDelay(text: String): Boolean =
    try !IntervalUtils.isNegative(IntervalUtils.fromIntervalString(text))
    catch { case _: IllegalArgumentException | _: SparkThrowable => false }
}
