package io.matchrecognize.execution.truth

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types.DataType

import io.matchrecognize.execution.aggregate.{AggregateState, PatternAggregator}
import io.matchrecognize.matcher.FoldOrder

/** An aggregate's state after some rows; the failure of an update is raised when it is read. */
private[truth] final class FoldValue(val state: AggregateState, val failure: Throwable) {
  private var value: Any = _
  private var evaluated = false

  def result(aggregator: PatternAggregator): Any = {
    if (failure != null) throw failure
    if (!evaluated) {
      // A function of the user returns a row or text that its next result overwrites.
      value = InternalRow.copyValue(aggregator.evaluate(state))
      evaluated = true
    }
    value
  }
}

/** Compares results of an aggregate; see `AggregateOrders`. */
private[truth] final class FoldComparison(dataType: DataType, order: FoldOrder) {
  private val ordering = TypeUtils.getInterpretedOrdering(dataType)
  private val sign = if (order == FoldOrder.SmallerIsBetter) -1 else 1

  /** See `MatchInput.compareFolds`. */
  def compare(a: Any, b: Any): Int =
    if (!isOrdered(a) || !isOrdered(b)) 0
    else if (ordering.compare(a, b) * sign >= 0) 1
    else -1

  private def isOrdered(value: Any): Boolean = value match {
    case null => false
    case number: Double => !number.isNaN && !number.isInfinite
    case number: Float => !number.isNaN && !number.isInfinite
    case _ => true
  }
}
