package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.matcher.twopass.TwoPassMatcher
import io.matchrecognize.matcher.{RegisterPlan, RowRegister, SymbolSet}
import io.matchrecognize.pattern.Automaton

/**
 * A clause compiled on the driver and run by the tasks: the pattern as an automaton, the conditions
 * and measures as ordinary expressions over [[PointerRow]]s. Symbols are numbered as in
 * `automaton`.
 *
 * @param anchored
 *   if `AnchoredMatcher` searches, for each symbol its condition unless it is always TRUE or
 *   row-local; without it and `isTwoPass`, `PikeMatcher` searches
 */
final case class ClauseProgram(
    automaton: Automaton,
    schema: StoreSchema,
    conditions: ConditionsProgram,
    measures: MeasuresProgram,
    window: Option[WindowProgram],
    frame: FrameProgram,
    anchored: Option[Array[Option[ConditionTree]]] = None
) {

  /** Whether `TwoPassMatcher` searches. */
  val isTwoPass: Boolean =
    TwoPassMatcher.takes(
      conditions.bySymbol.flatten.map(_.rowLocal).toSeq,
      window.isDefined || frame.rows.isDefined
    ) && frame.reach.toLong * automaton.positions <= TwoPassMatcher.MaxFrameStates

  /** The engine's name in EXPLAIN. */
  def engine: String =
    if (isTwoPass) "two passes"
    else if (anchored.isDefined) "anchored threads"
    else "ordered threads"
}

/**
 * WITHIN.
 *
 * @param key
 *   the leading ORDER BY key over a [[PointerRow]] of one pointer
 * @param timeZone
 *   the session's
 */
final case class WindowProgram(
    key: Expression,
    fields: Array[PointerField],
    bound: Literal,
    timeZone: String
)

/**
 * DEFINE.
 *
 * @param bySymbol
 *   None for a variable whose condition is always TRUE
 * @param necessary
 *   row-local conjuncts of the conditions that are not row-local
 * @param orderGuards
 *   for each fold what has to hold in a partition for its order in `registers` to be used
 * @param deadlines
 *   what the conditions imply about the last row of a match
 * @param foldsAsFormerly
 *   whether versions before 0.2.1, which asked Spark's canonical form which aggregates are equal,
 *   numbered the folds in the same way; their state says no more about a fold than its number
 */
final case class ConditionsProgram(
    fields: Array[PointerField],
    pointerCount: Int,
    bySymbol: Array[Option[RowExpression]],
    necessary: Array[Option[RowExpression]],
    registers: RegisterPlan,
    folds: Array[AggregateProgram],
    orderGuards: Array[Option[OrderGuard]],
    deadlines: Option[DeadlineProgram],
    foldsAsFormerly: Boolean
)

/** How a pointer finds its row: a base row, then `physical` rows further within the partition. */
final case class PointerProgram(slot: Int, base: PointerBase, physical: Int)

/**
 * A row of the match so far, whose last row is the one under test or for which measures are
 * evaluated; with `isFinal`, of the whole match.
 */
sealed trait PointerBase

object PointerBase {

  /** `offset` rows before the last row, not before the match. */
  final case class BeforeLast(offset: Int, isFinal: Boolean) extends PointerBase

  /** `offset` rows after the first row, not after the last one. */
  final case class AfterFirst(offset: Int, isFinal: Boolean) extends PointerBase

  /** The row that a register holds at the last row. */
  final case class Register(number: Int, isFinal: Boolean) extends PointerBase

  val Current: PointerBase = BeforeLast(0, isFinal = false)
}

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

/**
 * MEASURES and the output row.
 *
 * @param output
 *   the operator's output columns for a row of a match, over a [[PointerRow]]
 * @param outputNames
 *   of the measures among `output`
 * @param unmatchedOutput
 *   the same for an unmatched row: measures are NULL
 */
final case class MeasuresProgram(
    fields: Array[PointerField],
    pointerCount: Int,
    pointers: Array[PointerProgram],
    registers: IndexedSeq[RowRegister],
    aggregates: Array[AggregateProgram],
    output: Seq[Expression],
    outputNames: Seq[Option[String]],
    unmatchedOutput: Seq[Expression]
) {

  /** The measure that reads an aggregate, if only one does. */
  def readerOf(aggregate: Int): Option[String] = {
    val names = output.zip(outputNames).collect {
      case (measure, Some(name)) if reads(measure, aggregate) => name
    }
    if (names.length == 1) names.headOption else None
  }

  private def reads(measure: Expression, aggregate: Int): Boolean =
    PointerField.readBy(measure, fields).exists {
      case PointerField.Aggregate(index, _) => index == aggregate
      case _ => false
    }

  /** Whether anything must be known about the whole match before its first row is returned. */
  val hasFinal: Boolean =
    aggregates.exists(_.isFinal) || pointers.map(_.base).exists {
      case PointerBase.Register(_, isFinal) => isFinal
      case _ => false
    }
}
