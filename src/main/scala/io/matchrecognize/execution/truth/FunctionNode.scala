package io.matchrecognize.execution.truth

import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow}
import org.apache.spark.sql.catalyst.util.TypeUtils

import io.matchrecognize.execution.condition.ConditionTree.Threshold
import io.matchrecognize.execution.condition.{MonotoneFunction, Ordinals}
import io.matchrecognize.execution.pointer.ExpressionFailure

/**
 * Compares a function that rises or falls with the value, so that what it satisfies for two values
 * it satisfies for all between them: it is asked for few values for each start row.
 *
 * Nothing is concluded from a value for which the function fails or is NULL, NaN or the least
 * integer (which ABS fails for). An infinite operand may make it NaN in between, so nothing is
 * known with one.
 *
 * Where it has a value for two values, it fails for none between them.
 */
private[truth] final class FunctionNode(
    values: ValueZones,
    threshold: Threshold,
    function: MonotoneFunction,
    startRow: StartRow
) extends ComparisonNode(values, threshold, startRow) {
  import ComparisonNode._

  private val dataType = threshold.value.expression.dataType
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
    bound = startRow.valueOf(threshold.limit)
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

  override def mayFailIn(level: Int, zone: Int): Boolean =
    !isPrepared || !isFinite || {
      val (least, most) = (values.least(level, zone), values.most(level, zone))
      (least <= most && !(isSound(least) && isSound(most))) ||
      (!values.isComplete(level, zone) && !isSoundWithNull)
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
