package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.{RuntimeErrors, UserText}
import io.matchrecognize.execution.compile.{ClauseSpec, FailureTexts}

/**
 * The limits on a stream's state and what their errors show. 0 is no limit.
 *
 * @param endless
 *   the construct that keeps state of every partition forever, if there is one
 */
final case class StreamLimits(
    pendingRows: Long,
    heldRows: Long,
    keys: Long,
    dropNullTimes: Boolean,
    timeColumn: String,
    texts: FailureTexts,
    endless: Option[String]
) {
  def checkHeldRows(held: Long, keyRow: UnsafeRow): Unit =
    if (heldRows > 0 && held > heldRows)
      throw RuntimeErrors.partitionRows(held, heldRows, texts.pattern, texts.partitionOf(keyRow))

  def checkKeys(count: Long): Unit =
    if (keys > 0 && count > keys)
      endless.foreach(construct => throw RuntimeErrors.stateKeys(count, keys, construct))

  def nullTime: Throwable = RuntimeErrors.nullTime(timeColumn)
}

object StreamLimits {

  def of(spec: ClauseSpec, texts: FailureTexts, endless: Option[String]): StreamLimits = {
    val conf = SQLConf.get
    StreamLimits(
      conf.getConf(MatchRecognizeConf.MaxPendingRows),
      conf.getConf(MatchRecognizeConf.MaxHeldRows),
      conf.getConf(MatchRecognizeConf.MaxStateKeys),
      conf.getConf(MatchRecognizeConf.NullEventTime) == "drop",
      UserText.keyName(spec.clause.orderSpec.head.child),
      texts,
      endless
    )
  }
}
