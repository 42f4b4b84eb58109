package io.matchrecognize.execution.aggregate

import java.util.HashSet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  DeclarativeAggregate,
  ImperativeAggregate,
  TypedImperativeAggregate
}

import io.matchrecognize.execution.pointer.AggregateProgram
import io.matchrecognize.expressions.{ConditionPredicate, GroupingKey}
import io.matchrecognize.matcher.state.{StateReader, StateWriter}

/**
 * The state of one aggregate over the rows added so far. It is mutable; `copy` makes an independent
 * one, at the cost of the buffer's size.
 *
 * @param distinctKeys
 *   arguments seen, with DISTINCT only
 */
class AggregateState(val buffer: InternalRow, val distinctKeys: HashSet[UnsafeRow])

/**
 * Runs one aggregate function outside Spark's own operators: any declarative, imperative or typed
 * imperative one, with DISTINCT and FILTER. Arguments are read from a `PointerRow` whose pointer
 * `PointerBindings.Row` is set to the row.
 *
 * A buffer whose fields all have a fixed width is an UnsafeRow, copied and compared as bytes.
 */
final class PatternAggregator(program: AggregateProgram, pointerRow: InternalRow) {
  private val filter: BasePredicate = program.filter.map(ConditionPredicate(_)).orNull
  private val distinctKey: UnsafeProjection =
    if (program.isDistinct)
      UnsafeProjection.create(program.function.children.map {
        case order: SortOrder => GroupingKey.normalize(order.child)
        case argument => GroupingKey.normalize(argument)
      })
    else null
  // Lazy: matches whose rows are only counted never need it.
  private lazy val runner: AggregateRunner = program.function match {
    case declarative: DeclarativeAggregate =>
      new AggregateRunner.Declarative(declarative, pointerRow)
    case typed: TypedImperativeAggregate[_] => new AggregateRunner.Typed(typed, pointerRow)
    case imperative: ImperativeAggregate => new AggregateRunner.Imperative(imperative, pointerRow)
    case other => throw new IllegalStateException(s"no aggregate function: $other")
  }

  def newState(): AggregateState =
    new AggregateState(runner.newBuffer(), if (distinctKey == null) null else new HashSet)

  /** Adds the row that the pointer row points to. */
  def update(state: AggregateState): Unit =
    if (filter == null || filter.eval(pointerRow)) {
      if (distinctKey == null) runner.update(state.buffer)
      else {
        val key = distinctKey(pointerRow)
        if (!state.distinctKeys.contains(key)) {
          state.distinctKeys.add(key.copy())
          runner.update(state.buffer)
        }
      }
    }

  def copy(state: AggregateState): AggregateState =
    new AggregateState(
      copyBuffer(state),
      if (state.distinctKeys == null) null else new HashSet(state.distinctKeys)
    )

  /** The same of the buffer, for a state without DISTINCT. */
  def copyBuffer(state: AggregateState): InternalRow = runner.copy(state.buffer)

  def evaluate(state: AggregateState): Any = runner.evaluate(state.buffer)

  def write(state: AggregateState, out: StateWriter): Unit = {
    out.putBytes(runner.toBytes(state.buffer))
    if (distinctKey != null) {
      out.putInt(state.distinctKeys.size)
      state.distinctKeys.forEach(key => out.putBytes(key.getBytes))
    }
  }

  /** Reads what `write` wrote. */
  def read(in: StateReader): AggregateState = {
    val buffer = runner.fromBytes(in.getBytes())
    if (distinctKey == null) new AggregateState(buffer, null)
    else {
      val keys = new HashSet[UnsafeRow]
      (0 until in.getInt()).foreach { _ =>
        keys.add(AggregateRunner.unsafeRow(in.getBytes(), program.function.children.length))
      }
      new AggregateState(buffer, keys)
    }
  }

  /** Whether all later updates and results of the two are equal; false if that is unknown. */
  def same(a: AggregateState, b: AggregateState): Boolean =
    (a eq b) || (
      runner.comparable && a.buffer == b.buffer &&
        (a.distinctKeys == null || a.distinctKeys == b.distinctKeys)
    )

  /** Equal for states that `same` finds equal. */
  def hash(state: AggregateState): Int = if (runner.comparable) state.buffer.hashCode else 0
}
