package io.matchrecognize.execution.truth

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.aggregate.{AggregateState, PatternAggregator}
import io.matchrecognize.execution.condition.ConditionsProgram
import io.matchrecognize.execution.pointer.{
  ExpressionFailure,
  FailurePlace,
  PointerBindings,
  PointerRow
}
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
    names: Array[UTF8String]
) extends FoldCodec {
  Arrays.fill(row.pointers, -1L)
  private val folds: Array[PatternAggregator] =
    conditions.folds.map(new PatternAggregator(_, row))
  private var symbol = -1

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

  override def canWrite(fold: Int, value: AnyRef): Boolean =
    value.asInstanceOf[FoldValue].failure == null

  override def write(fold: Int, value: AnyRef, out: StateWriter): Unit =
    folds(fold).write(value.asInstanceOf[FoldValue].state, out)

  override def read(fold: Int, in: StateReader): AnyRef = new FoldValue(folds(fold).read(in), null)
}

/** An aggregate's state after some rows; the failure of an update is raised when it is read. */
private final class FoldValue(val state: AggregateState, val failure: Throwable) {
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
