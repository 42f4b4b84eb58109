package io.matchrecognize.execution.truth

import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types.DoubleType

import io.matchrecognize.execution.aggregate.LateCompiledProjection
import io.matchrecognize.execution.condition.OrderGuard
import io.matchrecognize.execution.pointer.{ExpressionFailure, PointerBindings, PointerRow}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.WorkMeter

/**
 * Whether the guard of an aggregate's order holds for the rows in the store. That takes a pass over
 * all of them, which is made when the order is needed first.
 */
private[truth] final class GuardedOrder(guard: OrderGuard, row: PointerRow, store: Rows) {
  // Few searches ask.
  private lazy val ofRow = LateCompiledProjection(Seq(guard.value))
  private val result = new SpecificInternalRow(Seq(DoubleType))
  private val work = new WorkMeter(store.checkCancelled _)
  private var isKnown = false
  private var isSafe = false

  /** Begins a partition. */
  def reset(): Unit = {
    isKnown = false
    isSafe = false
  }

  /** False also if that is not known and not needed. */
  def holds(isNeeded: Boolean): Boolean = {
    if (isNeeded && !isKnown) {
      isKnown = true
      isSafe = test()
    }
    isSafe
  }

  // A total that is too large or NaN remains so.
  private def test(): Boolean = {
    val value = ofRow
    val rows = store.length
    var total = 0.0
    var next = 0L
    try
      while (next < rows && total < guard.below) {
        row.pointers(PointerBindings.Row) = next
        value(result, row)
        if (!result.isNullAt(0)) total += math.abs(result.getDouble(0))
        work.add(1)
        next += 1
      }
    catch {
      // Its row may be one that no path adds, but the rows after it are not known then.
      case e: Throwable if ExpressionFailure.isOfExpression(e) => total = Double.NaN
    }
    total < guard.below
  }
}
