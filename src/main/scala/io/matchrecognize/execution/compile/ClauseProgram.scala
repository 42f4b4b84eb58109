package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnsafeRow}

import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.condition.{ConditionTree, ConditionsProgram}
import io.matchrecognize.execution.pointer._
import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.matcher.twopass.TwoPassMatcher
import io.matchrecognize.matcher.{RowRegister, SymbolSet}
import io.matchrecognize.pattern.{AfterMatchSkip, Automaton}
import io.matchrecognize.plans.RowsPerMatch

/**
 * A clause compiled on the driver and run by the tasks: the pattern as an automaton, the conditions
 * and measures as ordinary expressions over [[PointerRow]]s. Symbols are numbered as in
 * `automaton`.
 *
 * @param anchored
 *   if no condition reads more of the match than rows at fixed distances from the first one, for
 *   each symbol its condition unless it is always TRUE or row-local
 */
final case class ClauseProgram(
    automaton: Automaton,
    schema: StoreSchema,
    conditions: ConditionsProgram,
    measures: MeasuresProgram,
    within: Option[WithinProgram],
    frame: FrameProgram,
    skip: AfterMatchSkip[SymbolSet],
    rowsPerMatch: RowsPerMatch,
    failureTexts: FailureTexts,
    anchored: Option[Array[Option[ConditionTree]]] = None
) {

  /** The symbols of the first rows of matches; None if a result may be without one. */
  def openers: Option[Seq[Int]] = {
    val first = automaton.targets(automaton.start)
    Option.unless(rowsPerMatch.showsUnmatchedRows || first.contains(Automaton.Accept)) {
      first.map(automaton.symbolOf).distinct
    }
  }

  /** Whether `TwoPassMatcher` searches. */
  val isTwoPass: Boolean =
    TwoPassMatcher.takes(
      conditions.bySymbol.flatten.map(_.rowLocal).toSeq,
      within.isDefined || frame.rows.isDefined
    ) && frame.reach.toLong * automaton.positions <= TwoPassMatcher.MaxFrameStates

  /** The engine's name in EXPLAIN. */
  def engine: String =
    if (isTwoPass) "two passes"
    else if (anchored.isDefined) "anchored threads"
    else "ordered threads"
}

/**
 * What the messages of run-time errors show.
 *
 * @param partition
 *   for each PARTITION BY expression its text and its value as a string over the row of keys
 * @param order
 *   the first ORDER BY key as a string over a `PointerRow` of `orderFields`, if the store keeps it
 * @param skipTarget
 *   `LAST A`, as in AFTER MATCH SKIP TO
 * @param name
 *   of the clause among several
 */
final case class FailureTexts(
    pattern: String,
    partition: Seq[(String, Expression)],
    order: Option[Expression],
    orderFields: Array[PointerField],
    skipTarget: String,
    skipVariable: String,
    name: Option[String] = None
) {
  def partitionOf(keys: => UnsafeRow): String = {
    val text =
      if (partition.isEmpty) "(the only one)"
      else
        partition
          .map { case (name, e) => s"$name = ${UserText.cut(e.eval(keys))}" }
          .mkString(", ")
    text + name.map(n => s" of $n").mkString
  }
}

/**
 * WITHIN.
 *
 * @param key
 *   the leading ORDER BY key over a [[PointerRow]] of one pointer
 * @param timeZone
 *   the session's
 */
final case class WithinProgram(
    key: Expression,
    fields: Array[PointerField],
    bound: Literal,
    timeZone: String
)

/**
 * MEASURES and the output row.
 *
 * @param output
 *   the operator's output columns for a row of a match, over a [[PointerRow]]
 * @param outputNames
 *   of the measures among `output`
 * @param unmatchedOutput
 *   the same for an unmatched row, if they are shown: measures are NULL
 * @param filter
 *   TRUE for the rows that are returned, over the same row as `output`
 */
final case class MeasuresProgram(
    output: Seq[Expression],
    outputNames: Seq[Option[String]],
    unmatchedOutput: Seq[Expression],
    filter: Option[Expression],
    unmatchedFilter: Option[Expression],
    fields: Array[PointerField],
    pointerCount: Int,
    pointers: Array[PointerProgram],
    registers: IndexedSeq[RowRegister],
    aggregates: Array[AggregateProgram]
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
