package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, UnsafeRow}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.{RuntimeErrors, UserText}
import io.matchrecognize.execution.compile.FailureTexts
import io.matchrecognize.expressions.AsText
import io.matchrecognize.plans.PatternClause

/**
 * The limits on a stream's state and what their errors show. 0 is no limit.
 *
 * @param order
 *   for each ORDER BY expression its text and its value as a string over the row of their values
 * @param endless
 *   the construct that keeps state of partitions forever, if there is one
 */
final case class StreamLimits(
    pendingRows: Long,
    heldRows: Long,
    keys: Long,
    dropNullTimes: Boolean,
    dropOutOfOrder: Boolean,
    timeColumn: String,
    order: Seq[(String, Expression)],
    texts: FailureTexts,
    endless: Option[String]
) {

  /** @param texts of the clause that needs the first of the rows */
  def checkHeldRows(held: Long, texts: => FailureTexts, keyRow: UnsafeRow): Unit =
    if (heldRows > 0 && held > heldRows)
      throw RuntimeErrors.partitionRows(held, heldRows, texts.pattern, texts.partitionOf(keyRow))

  def checkKeys(count: Long): Unit =
    if (keys > 0 && count > keys)
      endless.foreach(construct => throw RuntimeErrors.stateKeys(count, keys, construct))

  def nullTime: Throwable = RuntimeErrors.nullTime(timeColumn)

  /**
   * @param row
   *   the ORDER BY values of a row that arrived after the one with those of `last`
   */
  def outOfOrder(row: UnsafeRow, last: UnsafeRow, keyRow: UnsafeRow): Throwable =
    RuntimeErrors.outOfOrder(orderOf(row), orderOf(last), texts.partitionOf(keyRow))

  private def orderOf(values: UnsafeRow): String = order
    .map { case (name, e) => s"${UserText.quoted(name)} = ${UserText.cut(e.eval(values))}" }
    .mkString(", ")
}

object StreamLimits {

  def of(clause: PatternClause, texts: FailureTexts, endless: Option[String]): StreamLimits = {
    val conf = SQLConf.get
    StreamLimits(
      conf.getConf(MatchRecognizeConf.MaxPendingRows),
      conf.getConf(MatchRecognizeConf.MaxHeldRows),
      conf.getConf(MatchRecognizeConf.MaxStateKeys),
      conf.getConf(MatchRecognizeConf.NullEventTime) == "drop",
      conf.getConf(MatchRecognizeConf.OutOfOrder) == "drop",
      UserText.keyName(clause.orderSpec.head.child),
      clause.orderSpec.map(_.child).zipWithIndex.map { case (key, i) =>
        UserText.keyName(key) -> AsText(BoundReference(i, key.dataType, key.nullable))
      },
      texts,
      endless
    )
  }
}
