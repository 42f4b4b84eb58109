package io.matchrecognize.streaming

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.{MatchRecognizeRuntimeException, UserText}
import io.matchrecognize.execution.ClauseSpec

/**
 * The bounds of a stream's state and what the errors show that tell of them. 0 is no limit.
 *
 * @param partition
 *   for each PARTITION BY expression its name and its value as a string over the row of keys
 * @param endless
 *   what of the clause keeps state of a partition for ever, if anything does
 */
final case class StreamLimits(
    pendingRows: Long,
    heldRows: Long,
    keys: Long,
    dropNullTimes: Boolean,
    pattern: String,
    timeColumn: String,
    partition: Seq[(String, Expression)],
    endless: Option[String]
) {
  def checkHeldRows(held: Long, keyRow: UnsafeRow): Unit =
    if (heldRows > 0 && held > heldRows)
      throw error(
        "LIMIT_EXCEEDED.PARTITION_ROWS",
        "pattern" -> UserText.quoted(pattern),
        "count" -> held.toString,
        "partition" -> partitionText(keyRow),
        "limit" -> heldRows.toString,
        "config" -> setting(MatchRecognizeConf.MaxHeldRows.key, heldRows)
      )

  def checkKeys(count: Long): Unit =
    if (keys > 0 && count > keys) endless.foreach { construct =>
      throw error(
        "LIMIT_EXCEEDED.STATE_KEYS",
        "construct" -> construct,
        "count" -> count.toString,
        "limit" -> keys.toString,
        "config" -> setting(MatchRecognizeConf.MaxStateKeys.key, keys)
      )
    }

  def nullTime: Throwable = error(
    "INVALID_EVENT_TIME.NULL_VALUE",
    "column" -> UserText.quoted(timeColumn),
    "config" -> s""""${MatchRecognizeConf.NullEventTime.key}" = "drop""""
  )

  private def partitionText(keyRow: UnsafeRow): String =
    if (partition.isEmpty) "(the only one)"
    else
      partition
        .map { case (name, value) => s"$name = ${UserText.cut(value.eval(keyRow))}" }
        .mkString(", ")

  private def setting(key: String, value: Long): String = s""""$key" = $value"""

  private def error(condition: String, parameters: (String, String)*): Throwable =
    new MatchRecognizeRuntimeException(s"MATCH_RECOGNIZE_$condition", parameters.toMap, null)
}

object StreamLimits {

  /** @param partition for each PARTITION BY expression its name and its value over the keys */
  def of(spec: ClauseSpec, partition: Seq[(String, Expression)]): StreamLimits = {
    val conf = SQLConf.get
    StreamLimits(
      conf.getConf(MatchRecognizeConf.MaxPendingRows),
      conf.getConf(MatchRecognizeConf.MaxHeldRows),
      conf.getConf(MatchRecognizeConf.MaxStateKeys),
      conf.getConf(MatchRecognizeConf.NullEventTime) == "drop",
      spec.clause.pattern.sql,
      spec.clause.orderSpec.head.child match {
        case a: Attribute => a.name
        case other => UserText.of(other)
      },
      partition,
      UnboundedStateCheck.endless(spec.clause).headOption
    )
  }
}
