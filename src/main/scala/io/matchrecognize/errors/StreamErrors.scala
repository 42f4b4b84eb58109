package io.matchrecognize.errors

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.UserText.quotedKey

/** What a clause on a stream does not allow. */
private[errors] trait StreamErrors extends SparkConditionErrors {

  private def inStream(
      condition: String,
      origin: Origin,
      parameters: (String, String)*
  ): Throwable = new MatchRecognizeException(
    s"MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.$condition",
    parameters.toMap,
    origin
  )

  def endAnchorInStream(origin: Origin): Throwable = inStream("END_ANCHOR", origin)

  def streamKeyType(key: Expression, place: Origin): Throwable =
    inStream("KEY_TYPE", place, "key" -> quotedKey(key), "type" -> typeName(key.dataType))

  def streamLeadingKey(column: String, found: String, origin: Origin): Throwable =
    inStream("LEADING_KEY", origin, "column" -> column, "found" -> found)

  def noWatermark(key: Expression, place: Origin, config: String): Throwable =
    inStream("NO_WATERMARK", place, "key" -> quotedKey(key), "config" -> config)

  /** @param operator what does not keep the order of arrival */
  def arrivalOrder(config: String, operator: String, origin: Origin): Throwable =
    inStream("ARRIVAL_ORDER", origin, "config" -> config, "operator" -> operator)

  /** @param below the operator that carries the watermark that `key` has lost */
  def lostWatermark(key: Expression, place: Origin, below: String): Throwable =
    inStream("LOST_WATERMARK", place, "key" -> quotedKey(key), "below" -> below)

  /** @param below the operator that carries the first watermark */
  def secondWatermark(column: Expression, below: String, origin: Origin): Throwable =
    inStream("SECOND_WATERMARK", origin, "column" -> quotedKey(column), "below" -> below)

  def outputMode(mode: String, operator: String, origin: Origin): Throwable =
    inStream("OUTPUT_MODE", origin, "mode" -> mode, "operator" -> operator)

  def completeMode(origin: Origin): Throwable = inStream("COMPLETE_MODE", origin)

  /** @param reader the operator above the union */
  def mixedWatermarks(time: Expression, reader: String, origin: Origin): Throwable =
    inStream("MIXED_WATERMARKS", origin, "column" -> quotedKey(time), "operator" -> reader)

  def mixedJoin(origin: Origin): Throwable = inStream("MIXED_JOIN", origin)

  def outerJoin(origin: Origin): Throwable = inStream("OUTER_JOIN", origin)

  def oneStatefulOperator(
      upper: String,
      lower: String,
      config: String,
      origin: Origin
  ): Throwable = {
    val operators = Seq("upper" -> upper, "lower" -> lower, "config" -> config)
    inStream("ONE_STATEFUL_OPERATOR", origin, operators: _*)
  }
}
