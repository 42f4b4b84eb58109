package io.matchrecognize.execution.truth

import java.util.Arrays

import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.aggregate.PatternAggregator
import io.matchrecognize.execution.condition.ConditionsProgram
import io.matchrecognize.execution.pointer.{
  ExpressionFailure,
  FailurePlace,
  PointerBindings,
  PointerRow
}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.FoldOrder
import io.matchrecognize.matcher.state.{FoldCodec, StateReader, StateWriter}

/**
 * The aggregates of DEFINE along the paths of a search: what `MatchInput` asks about folds.
 *
 * @param row
 *   of their own, as they are updated while a condition is evaluated
 * @param names
 *   of the symbols
 */
private[truth] final class FoldEvaluator(
    conditions: ConditionsProgram,
    row: PointerRow,
    store: Rows,
    names: Array[UTF8String]
) extends FoldCodec {
  Arrays.fill(row.pointers, -1L)
  private val folds: Array[PatternAggregator] =
    conditions.folds.map(new PatternAggregator(_, row))
  private val guards: Array[GuardedOrder] =
    conditions.orderGuards.map(_.map(new GuardedOrder(_, row, store)).orNull)
  private lazy val comparisons: Array[FoldComparison] =
    conditions.folds.zip(conditions.registers.orders).map { case (fold, order) =>
      if (order == FoldOrder.None) null else new FoldComparison(fold.function.dataType, order)
    }
  private var symbol = -1

  /** Begins a partition whose rows are in the store. */
  def reset(): Unit = guards.foreach(guard => if (guard != null) guard.reset())

  /** The symbol of the row that is added to an aggregate, -1 at other times. */
  def addedSymbol: Int = symbol

  def initial(fold: Int): AnyRef = new FoldValue(folds(fold).newState(), null)

  def update(fold: Int, value: AnyRef, added: Long, addedSymbol: Int): AnyRef = {
    val old = value.asInstanceOf[FoldValue]
    if (old.failure != null) old
    else {
      row.pointers(PointerBindings.Row) = added
      symbol = addedSymbol
      try {
        val state = folds(fold).copy(old.state)
        folds(fold).update(state)
        new FoldValue(state, null)
      } catch {
        case e: Throwable if ExpressionFailure.isOfExpression(e) =>
          val place = FailurePlace.Aggregate(added, names(addedSymbol).toString)
          new FoldValue(null, new ExpressionFailure(place, e))
      } finally symbol = -1
    }
  }

  /** Raises the failure of an update. */
  def result(fold: Int, value: AnyRef): Any = value.asInstanceOf[FoldValue].result(folds(fold))

  def same(fold: Int, a: AnyRef, b: AnyRef): Boolean = {
    val (x, y) = (a.asInstanceOf[FoldValue], b.asInstanceOf[FoldValue])
    (x eq y) || (x.failure == null && y.failure == null && folds(fold).same(x.state, y.state))
  }

  def hash(fold: Int, value: AnyRef): Int = {
    val state = value.asInstanceOf[FoldValue].state
    if (state == null) 0 else folds(fold).hash(state)
  }

  def keepsOrder(fold: Int, isNeeded: Boolean): Boolean = {
    val guard = guards(fold)
    guard == null || guard.holds(isNeeded)
  }

  def compare(fold: Int, a: AnyRef, b: AnyRef): Int =
    if (same(fold, a, b)) 1
    else {
      val (x, y) = (a.asInstanceOf[FoldValue], b.asInstanceOf[FoldValue])
      if (x.failure == null && y.failure == null)
        comparisons(fold).compare(x.result(folds(fold)), y.result(folds(fold)))
      else 0
    }

  override def canWrite(fold: Int, value: AnyRef): Boolean =
    value.asInstanceOf[FoldValue].failure == null

  override def write(fold: Int, value: AnyRef, out: StateWriter): Unit =
    folds(fold).write(value.asInstanceOf[FoldValue].state, out)

  override def read(fold: Int, in: StateReader): AnyRef = new FoldValue(folds(fold).read(in), null)
}
