package io.matchrecognize.execution.pointer

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import io.matchrecognize.matcher.SymbolSet

/**
 * An aggregate over the rows of `symbols`; inputs are bound to `PointerBindings.Row`.
 *
 * @param written
 *   see `PatternAggregate`
 */
final case class AggregateProgram(
    function: AggregateFunction,
    isDistinct: Boolean,
    filter: Option[Expression],
    symbols: SymbolSet,
    isFinal: Boolean,
    written: String = ""
) {

  /** Whether it has the same value on every path, however it was written. */
  def isSameFold(other: AggregateProgram): Boolean = this == other.copy(written = written)

  /** Whether it reads nothing of a row but columns, which are the same on every path. */
  def readsColumnsOnly(fields: Array[PointerField]): Boolean =
    (function +: filter.toSeq).flatMap(PointerField.readBy(_, fields)).forall {
      case _: PointerField.Fixed | _: PointerField.Variable | _: PointerField.Key => true
      case _ => false
    }
}
