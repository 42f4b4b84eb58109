package io.matchrecognize.execution.truth

import io.matchrecognize.execution.condition.ConditionTree.Threshold
import io.matchrecognize.execution.condition.{Ordinals, RowExpression}
import io.matchrecognize.execution.pointer.ExpressionFailure

/** The start row that a search is at. */
private[truth] trait StartRow {
  def start: Long

  /** The value of an expression on it and on rows at fixed distances from it; it may fail. */
  def valueOf(e: RowExpression): Any
}

/**
 * Compares a value of the tested row, or a function of it, with what the first row fixes. If NULL
 * is not FALSE, nothing is known where the comparison is NULL.
 */
private[truth] abstract class ComparisonNode(
    values: ValueZones,
    threshold: Threshold,
    startRow: StartRow
) extends Node {
  import ComparisonNode._

  protected final val comparison = threshold.comparison
  protected final val nullIsFalse = threshold.nullIsFalse
  private var boundStart = -1L

  /** Prepares for a start row; false if nothing will be known about its comparisons. */
  protected def bind(): Boolean

  /** What is known about the rows that have a value. */
  protected def truth(value: Long): Int

  /** What is known about values from `least` to `most`. */
  protected def truth(least: Long, most: Long): Int

  private var isKnown = false
  private var hasFailed = false

  /** Whether what the first row fixes has been evaluated without a failure. */
  protected final def isPrepared: Boolean = {
    prepare()
    !hasFailed
  }

  override def reset(rows: Long): Unit = boundStart = -1

  private def prepare(): Unit = if (boundStart != startRow.start) {
    boundStart = startRow.start
    hasFailed = false
    isKnown =
      try bind()
      catch {
        case e: Throwable if ExpressionFailure.isOfExpression(e) =>
          hasFailed = true
          false
      }
  }

  override def state(level: Int, zone: Int): Int = {
    prepare()
    if (!isKnown) Zones.Some
    else {
      val (least, most) = (values.least(level, zone), values.most(level, zone))
      if (least > most) { if (nullIsFalse) Zones.No else Zones.Some }
      else
        truth(least, most) match {
          case NotTrue if nullIsFalse || values.isComplete(level, zone) => Zones.No
          case True if values.isComplete(level, zone) => Zones.All
          case _ => Zones.Some
        }
    }
  }

  override def possible(zone: Int, among: Long): Long = {
    prepare()
    if (isKnown) matching(zone, among, orUnknown = true) else among
  }

  override def certain(zone: Int, among: Long): Long = {
    prepare()
    if (isKnown) matching(zone, among, orUnknown = false) else 0L
  }

  private def matching(zone: Int, among: Long, orUnknown: Boolean): Long = {
    val first = zone.toLong << Zones.Bits
    val count = values.length - first
    var rest = if (count < Zones.Size) among & ((1L << count) - 1) else among
    var bits = 0L
    while (rest != 0) {
      val row = first + java.lang.Long.numberOfTrailingZeros(rest)
      if (!values.isNullAt(row)) {
        val known = truth(values.valueAt(row))
        if (known == True || (orUnknown && known == Unknown)) bits |= rest & -rest
      } else if (orUnknown && !nullIsFalse) bits |= rest & -rest
      rest &= rest - 1
    }
    bits
  }
}

private[truth] object ComparisonNode {
  final val NotTrue = 0
  final val True = 1
  final val Unknown = 2
}

/** Compares a value. */
private[truth] final class ThresholdNode(
    values: ValueZones,
    threshold: Threshold,
    startRow: StartRow
) extends ComparisonNode(values, threshold, startRow) {
  import ComparisonNode._

  // Only the limit can.
  override def mayFailIn(level: Int, zone: Int): Boolean = !isPrepared

  // The values that satisfy the comparison; none if `low` is larger.
  private var low = 1L
  private var high = 0L

  override protected def bind(): Boolean = {
    low = 1
    high = 0
    val value = startRow.valueOf(threshold.limit)
    if (value != null) narrow(Ordinals.of(value))
    value != null || nullIsFalse
  }

  private def narrow(value: Long): Unit = {
    // No value is beyond the last one.
    val isEmpty = !comparison.equal &&
      (if (comparison.below) value == Long.MinValue else value == Long.MaxValue)
    if (!isEmpty) {
      low = if (comparison.below) Long.MinValue else if (comparison.equal) value else value + 1
      high = if (comparison.above) Long.MaxValue else if (comparison.equal) value else value - 1
    }
  }

  override protected def truth(value: Long): Int =
    if (value >= low && value <= high) True else NotTrue

  override protected def truth(least: Long, most: Long): Int =
    if (low > high || most < low || least > high) NotTrue
    else if (least >= low && most <= high) True
    else Unknown
}
