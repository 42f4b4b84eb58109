package io.matchrecognize.execution.anchored

import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow}
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types.DataType

import io.matchrecognize.execution.compile.{Comparison, MonotoneFunction, RowExpression}
import io.matchrecognize.execution.evaluate.ExpressionFailure

/** The start row that a search is at. */
private[anchored] trait StartRow {
  def start: Long

  /** The value of an expression on it and on rows at fixed distances from it; it may fail. */
  def valueOf(e: RowExpression): Any
}

/**
 * Compares a value of the tested row, or a function of it, with what the first row fixes.
 *
 * @param nullIsFalse
 *   if not, nothing is known where the comparison is NULL
 */
private[anchored] abstract class ComparisonNode(
    values: ValueBlocks,
    startRow: StartRow,
    nullIsFalse: Boolean
) extends Node {
  import ComparisonNode._

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

  override def state(level: Int, block: Int): Int = {
    prepare()
    if (!isKnown) Blocks.Some
    else {
      val (least, most) = (values.least(level, block), values.most(level, block))
      if (least > most) { if (nullIsFalse) Blocks.No else Blocks.Some }
      else
        truth(least, most) match {
          case NotTrue if nullIsFalse || values.isComplete(level, block) => Blocks.No
          case True if values.isComplete(level, block) => Blocks.All
          case _ => Blocks.Some
        }
    }
  }

  override def possible(block: Int, among: Long): Long = {
    prepare()
    if (isKnown) matching(block, among, orUnknown = true) else among
  }

  override def certain(block: Int, among: Long): Long = {
    prepare()
    if (isKnown) matching(block, among, orUnknown = false) else 0L
  }

  private def matching(block: Int, among: Long, orUnknown: Boolean): Long = {
    val first = block.toLong << Blocks.Bits
    val count = values.length - first
    var rest = if (count < Blocks.Size) among & ((1L << count) - 1) else among
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

private[anchored] object ComparisonNode {
  final val NotTrue = 0
  final val True = 1
  final val Unknown = 2
}

/** Compares a value. */
private[anchored] final class ThresholdNode(
    values: ValueBlocks,
    comparison: Comparison,
    limit: RowExpression,
    startRow: StartRow,
    nullIsFalse: Boolean
) extends ComparisonNode(values, startRow, nullIsFalse) {
  import ComparisonNode._

  // Only the limit can.
  override def mayFailIn(level: Int, block: Int): Boolean = !isPrepared

  // The values that satisfy the comparison; none if `low` is larger.
  private var low = 1L
  private var high = 0L

  override protected def bind(): Boolean = {
    low = 1
    high = 0
    val value = startRow.valueOf(limit)
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

/**
 * Compares a function that rises or falls with the value, so that what it satisfies for two values
 * it satisfies for all between them: it is asked for few values for each start row.
 *
 * Nothing is concluded from a value for which the function fails or is NULL, NaN or the least
 * integer (which ABS fails for). An infinite operand may make it NaN in between, so nothing is
 * known with one.
 *
 * Where it has a value for two values, it fails for none between them.
 *
 * @param dataType
 *   that of the value
 */
private[anchored] final class FunctionNode(
    values: ValueBlocks,
    dataType: DataType,
    function: MonotoneFunction,
    comparison: Comparison,
    limit: RowExpression,
    startRow: StartRow,
    nullIsFalse: Boolean
) extends ComparisonNode(values, startRow, nullIsFalse) {
  import ComparisonNode._

  private val order = TypeUtils.getInterpretedOrdering(function.expression.dataType)
  private val row = new GenericInternalRow(1 + function.operands.length)
  private var bound: Any = _
  private var hasNull = false
  private var isFinite = false
  // From where to where values are known to satisfy the comparison, and known not to.
  private val satisfied = new Range
  private val unsatisfied = new Range
  // From where to where it is known not to fail, and whether it is known not to fail for NULL.
  private val sound = new Range
  private var isSoundForNull = false

  // A NULL inside the function would hide that another value makes it fail.
  private lazy val isNullOfNullOnly = !function.expression.transform { case r: BoundReference =>
    r.copy(nullable = false)
  }.nullable

  override protected def bind(): Boolean = {
    satisfied.clear()
    unsatisfied.clear()
    sound.clear()
    isSoundForNull = false
    bound = startRow.valueOf(limit)
    var i = 0
    hasNull = bound == null
    isFinite = !FunctionNode.isNaN(bound)
    while (i < function.operands.length && isFinite) {
      val operand = startRow.valueOf(function.operands(i))
      row.update(1 + i, operand)
      hasNull |= operand == null
      isFinite = FunctionNode.isFinite(operand)
      i += 1
    }
    isFinite && (nullIsFalse || !hasNull)
  }

  override protected def truth(value: Long): Int =
    if (satisfied.contains(value)) True
    else if (unsatisfied.contains(value)) NotTrue
    else {
      val known = evaluate(value)
      if (known == True) satisfied.add(value) else if (known == NotTrue) unsatisfied.add(value)
      known
    }

  override protected def truth(least: Long, most: Long): Int = {
    val known = truth(least)
    if (known != Unknown && truth(most) == known) known else Unknown
  }

  override def mayFailIn(level: Int, block: Int): Boolean =
    !isPrepared || !isFinite || {
      val (least, most) = (values.least(level, block), values.most(level, block))
      (least <= most && !(isSound(least) && isSound(most))) ||
      (!values.isComplete(level, block) && !isSoundWithNull)
    }

  private def isSound(value: Long): Boolean = sound.contains(value) || {
    row.update(0, Ordinals.value(value, dataType))
    val isSound = succeeds { result =>
      FunctionNode.isOrdered(result) || (result == null && isNullOfNullOnly)
    }
    if (isSound) sound.add(value)
    isSound
  }

  private def isSoundWithNull: Boolean = isSoundForNull || {
    row.update(0, null)
    isSoundForNull = succeeds(_ => true)
    isSoundForNull
  }

  private def succeeds(holds: Any => Boolean): Boolean =
    try holds(function.expression.eval(row))
    catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => false }

  private def evaluate(value: Long): Int = {
    row.update(0, Ordinals.value(value, dataType))
    try {
      val result = function.expression.eval(row)
      if (hasNull) NotTrue
      else if (!FunctionNode.isOrdered(result)) Unknown
      else {
        val c = order.compare(result, bound)
        val holds =
          if (c < 0) comparison.below else if (c > 0) comparison.above else comparison.equal
        if (holds) True else NotTrue
      }
    } catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => Unknown }
  }

  private final class Range {
    private var first = 1L
    private var last = 0L

    def clear(): Unit = {
      first = 1
      last = 0
    }

    def contains(value: Long): Boolean = value >= first && value <= last

    def add(value: Long): Unit =
      if (first > last) {
        first = value
        last = value
      } else {
        first = first.min(value)
        last = last.max(value)
      }
  }
}

private object FunctionNode {
  private def isNaN(value: Any): Boolean = value match {
    case number: Double => number.isNaN
    case number: Float => number.isNaN
    case _ => false
  }

  private def isFinite(value: Any): Boolean = value match {
    case number: Double => !number.isNaN && !number.isInfinite
    case number: Float => !number.isNaN && !number.isInfinite
    case _ => true
  }

  private def isOrdered(value: Any): Boolean = value match {
    case null => false
    case number: Long => number != Long.MinValue
    case number: Int => number != Int.MinValue
    case number: Short => number != Short.MinValue
    case number: Byte => number != Byte.MinValue
    case other => !isNaN(other)
  }
}
