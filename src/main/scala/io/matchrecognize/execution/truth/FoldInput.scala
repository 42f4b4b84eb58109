package io.matchrecognize.execution.truth

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.aggregate.{AggregateState, PatternAggregator}
import io.matchrecognize.execution.compile.ClauseProgram
import io.matchrecognize.execution.pointer._
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.MatchInput
import io.matchrecognize.matcher.state.{FoldCodec, StateReader, StateWriter}

/** The aggregates of DEFINE along the paths of a search. */
private[truth] abstract class FoldInput(program: ClauseProgram, store: Rows)
    extends MatchInput
    with FoldCodec
    with PointerSource {
  protected final val define = program.conditions
  protected final val names: Array[UTF8String] =
    program.automaton.symbols.map(UTF8String.fromString).toArray
  // A row of their own, as they are updated while a condition is evaluated.
  private val row = newPointerRow()
  Arrays.fill(row.pointers, -1L)
  private val folds: Array[PatternAggregator] = define.folds.map(new PatternAggregator(_, row))

  /** The symbol of the row that is added to an aggregate, -1 at other times. */
  protected final var addedSymbol: Int = -1

  protected final def newPointerRow(): PointerRow =
    new PointerRow(define.fields, define.pointerCount, store, this)

  override def initialFold(fold: Int): AnyRef = new FoldValue(folds(fold).newState(), null)

  override def updateFold(fold: Int, value: AnyRef, added: Long, symbol: Int): AnyRef = {
    val old = value.asInstanceOf[FoldValue]
    if (old.failure != null) old
    else {
      row.pointers(PointerBindings.Row) = added
      addedSymbol = symbol
      try {
        val state = folds(fold).copy(old.state)
        folds(fold).update(state)
        new FoldValue(state, null)
      } catch {
        case e: Throwable if ExpressionFailure.isOfExpression(e) =>
          val place = FailurePlace.Aggregate(added, names(symbol).toString)
          new FoldValue(null, new ExpressionFailure(place, e))
      } finally addedSymbol = -1
    }
  }

  /** Raises the failure of an update. */
  protected final def result(fold: Int, value: AnyRef): Any =
    value.asInstanceOf[FoldValue].result(folds(fold))

  override def sameFold(fold: Int, a: AnyRef, b: AnyRef): Boolean = {
    val (x, y) = (a.asInstanceOf[FoldValue], b.asInstanceOf[FoldValue])
    (x eq y) || (x.failure == null && y.failure == null && folds(fold).same(x.state, y.state))
  }

  override def foldHash(fold: Int, value: AnyRef): Int = {
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
