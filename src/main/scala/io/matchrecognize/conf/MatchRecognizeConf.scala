package io.matchrecognize.conf

import java.util.concurrent.TimeUnit

import org.apache.spark.network.util.ByteUnit
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.{SparkEnv, SparkThrowable}

/**
 * The plugin's confs. All are session confs, read where they apply: `enabled` when a statement is
 * parsed, the limits when a query is planned.
 */
object MatchRecognizeConf {
  private final val MostMillis = 100L * 365 * 24 * 3600 * 1000
  private[matchrecognize] final val Watermark = "watermark"
  private[matchrecognize] final val Arrival = "arrival"

  val Enabled = conf("spark.matchRecognize.enabled")(
    "Whether MATCH_RECOGNIZE is recognised. If false, Spark reads every statement by itself; a " +
      "stored view keeps the value that its creator had."
  ).booleanConf.createWithDefault(true)

  val MaxStepsPerMatch = limit("spark.matchRecognize.maxStepsPerMatch", 1000000000L)(
    "Largest number of condition tests that the search from one start row may spend. " +
      "0 means no limit."
  )

  val MaxSearchTime = conf("spark.matchRecognize.maxSearchTime")(
    "Longest time that one clause may search the rows of one PARTITION BY key, on a stream each " +
      "time that rows of the key arrive, such as 10m: without the time to read the rows and to use " +
      "the results. 0 means no limit."
  ).timeConf(TimeUnit.MILLISECONDS)
    .checkValue(t => t >= 0 && t <= MostMillis, "must be from 0 to 100 years")
    .createWithDefault(0L)

  val MaxPathBytes = conf("spark.matchRecognize.maxPathBytes")(
    "Largest number of bytes that the open paths of the search from one start row may take."
  ).bytesConf(ByteUnit.BYTE).checkValue(_ > 0, "must be positive").createWithDefault(1L << 30)

  val MaxPatternPositions = size("spark.matchRecognize.maxPatternPositions", 200000)(
    "Largest number of positions of a PATTERN, its quantifier bounds and PERMUTE written out."
  )

  val Sort = conf("spark.matchRecognize.sort")(
    "Who sorts the rows that are not sorted yet. own: the operator, partition by partition; " +
      "spark: a Sort below the operator; auto: whichever is faster, at present always own. The " +
      "results are the same, but for the order of ties in ORDER BY."
  ).stringConf.checkValues(Set("auto", "spark", "own")).createWithDefault("auto")

  val Shuffle = conf("spark.matchRecognize.shuffle")(
    "How rows are shuffled for the clause. blocks: packed into blocks of up to 4,096 rows, " +
      "column by column; spark: row by row; auto: whichever is faster, which is row by row with " +
      "PARTITION BY and more than four columns of strings or other values of variable length. " +
      "The results are the same."
  ).stringConf.checkValues(Set("auto", "spark", "blocks")).createWithDefault("auto")

  val SpillThresholdRows = size("spark.matchRecognize.buffer.spillThresholdRows", Int.MaxValue)(
    "Number of rows that are held in memory, of one partition to search and of all to sort, " +
      "before the operator spills on its own; short of memory it spills earlier."
  )

  val InputOrder = conf("spark.matchRecognize.stream.inputOrder")(
    "When the rows of a stream are searched. watermark: once the watermark has reached them, in " +
      "ORDER BY order, in whatever order they arrived; arrival: as they arrive, which requires " +
      "that rows of one PARTITION BY key arrive in ORDER BY order, as from a Kafka topic with that " +
      "key. The results are the same. A checkpoint keeps the order of its first start."
  ).stringConf
    .checkValues(Set(MatchRecognizeConf.Watermark, MatchRecognizeConf.Arrival))
    .createWithDefault(MatchRecognizeConf.Watermark)

  val OutOfOrder = conf("spark.matchRecognize.stream.outOfOrder")(
    "With spark.matchRecognize.stream.inputOrder = arrival: what a row does that arrives after a " +
      "row of its PARTITION BY key that it precedes in ORDER BY. fail ends the query, drop drops " +
      "the row and counts it."
  ).stringConf.checkValues(Set("fail", "drop")).createWithDefault("fail")

  val DefaultWatermarkDelay = conf("spark.matchRecognize.stream.defaultWatermarkDelay")(
    "Delay of the watermark that a stream without one gets on its first ORDER BY column, an " +
      "interval such as 10 minutes. Not set: such a stream is refused."
  ).stringConf.checkValue(isDelay, "must be an interval that is not negative").createOptional

  val NullEventTime = conf("spark.matchRecognize.stream.nullEventTime")(
    "What a row of a stream without event time does: error ends the query, drop drops the row " +
      "and counts it."
  ).stringConf.checkValues(Set("error", "drop")).createWithDefault("error")

  val MaxPendingRows = limit("spark.matchRecognize.stream.maxPendingRows", 0L)(
    "Number of rows in one partition of the state store that may wait for the watermark. " +
      "Beyond it the oldest ones are handed on early and counted; rows that then come with an " +
      "earlier time are late. 0 means no limit."
  )

  val MaxHeldRows = limit("spark.matchRecognize.stream.maxRowsPerPartition", 10000000L)(
    "Largest number of rows that a stream may hold for the open matches of one row pattern " +
      "partition. More end the query; its checkpoint stays as it is. 0 means no limit."
  )

  val MaxStateKeys = limit("spark.matchRecognize.stream.maxStateKeys", 10000000L)(
    "Largest number of row pattern partitions with state in one partition of the state store, " +
      "for a clause that keeps some of it forever (MATCH_NUMBER, PREV, ^). More end the " +
      "query; its checkpoint stays as it is. 0 means no limit."
  )

  private val limits = Seq(
    MaxStepsPerMatch,
    MaxSearchTime,
    MaxPathBytes,
    MaxPatternPositions,
    MaxPendingRows,
    MaxHeldRows,
    MaxStateKeys
  )

  /**
   * A limit that a session has raised above the one that Spark was started with, and this one as it
   * was written: it belongs to who runs the cluster. None on an executor.
   */
  private[matchrecognize] def raised(conf: SQLConf): Option[(String, String)] =
    limits.iterator
      .flatMap { entry =>
        val limit = conf.getConf(entry).toString.toLong
        atStart(entry.key, _.getConf(entry)).collect {
          case (text, most) if most > 0 && (limit == 0 || limit > most) => entry.key -> text
        }
      }
      .nextOption()

  /** What Spark was started with, as it was written and as a number. */
  private def atStart(key: String, limit: SQLConf => Any): Option[(String, Long)] =
    Option(SparkEnv.get).flatMap(_.conf.getOption(key)).map { text =>
      val conf = new SQLConf
      conf.setConfString(key, text)
      text -> limit(conf).toString.toLong
    }

  /**
   * The limit on positions in an analysis, which is at most what Spark was started with. It may be
   * that of a view, which has the settings of the session that made it. All other limits are those
   * of the session that runs a query.
   */
  def patternPositions(conf: SQLConf): Int =
    atStart(MaxPatternPositions.key, _.getConf(MaxPatternPositions))
      .foldLeft(conf.getConf(MaxPatternPositions)) { case (positions, (_, most)) =>
        positions.min(most.toInt)
      }

  /** A number of which 0 means no limit. */
  private def limit(key: String, default: Long)(doc: String) =
    conf(key)(doc).longConf.checkValue(_ >= 0, "must not be negative").createWithDefault(default)

  private def size(key: String, default: Int)(doc: String) =
    conf(key)(doc).intConf.checkValue(_ > 0, "must be positive").createWithDefault(default)

  private def conf(key: String)(doc: String) = SQLConf.buildConf(key).doc(doc).version("1.0.0")

  private def isDelay(text: String): Boolean =
    try !IntervalUtils.isNegative(IntervalUtils.fromIntervalString(text))
    catch { case _: IllegalArgumentException | _: SparkThrowable => false }
}
