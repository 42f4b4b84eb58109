package io.matchrecognize.execution.pointer

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import io.matchrecognize.expressions.{LiteralTexts, NavigationTarget, PatternAggregate}
import io.matchrecognize.matcher.{RowRegister, SymbolSet}
import io.matchrecognize.plans.Subset

/**
 * What the conditions, or the measures, of a clause share beside a [[PointerLayout]]: row registers
 * and aggregates, each allocated once for equal uses.
 */
final class PointerBindings(val layout: PointerLayout, val symbolSets: SymbolSets) {
  private val rowRegisters = mutable.LinkedHashMap.empty[RowRegister, Int]
  private val aggregates = mutable.ArrayBuffer.empty[AggregateProgram]

  /** Slot of the pointer that finds the row of a navigation. */
  def pointer(target: NavigationTarget): Int = {
    val base = target.variable match {
      case None if target.fromFirst => PointerBase.AfterFirst(target.offset, target.isFinal)
      case None => PointerBase.BeforeLast(target.offset, target.isFinal)
      case variable =>
        val wanted = RowRegister(symbolSets.of(variable), target.fromFirst, target.offset)
        val number = rowRegisters.getOrElseUpdate(wanted, rowRegisters.size)
        PointerBase.Register(number, target.isFinal)
    }
    layout.slot(base, target.physicalOffset)
  }

  def registers: IndexedSeq[RowRegister] = rowRegisters.keys.toIndexedSeq

  /**
   * Number of an aggregate. Spark's canonical form is not asked which are equal: it adds
   * floating-point numbers in any order.
   */
  def aggregate(wanted: PatternAggregate): Int = {
    val added = program(wanted)
    aggregates.indexWhere(_.isSameFold(added)) match {
      case -1 =>
        aggregates += added
        aggregates.length - 1
      case number => number
    }
  }

  def aggregatePrograms: Array[AggregateProgram] = aggregates.toArray

  private def program(aggregate: PatternAggregate): AggregateProgram = {
    def bound(e: Expression): Expression = layout.row(e, PointerBindings.Row, None)
    val function = aggregate.aggregateFunction
    AggregateProgram(
      function.withNewChildren(function.children.map(bound)).asInstanceOf[AggregateFunction],
      aggregate.isDistinct,
      aggregate.filter.map(bound),
      symbolSets.of(aggregate.variable),
      aggregate.isFinal,
      aggregate.written
    )
  }
}

object PointerBindings {

  /** Slot of the row that an aggregate adds, or whose columns are returned. */
  final val Row = 0
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
  def isSameFold(other: AggregateProgram): Boolean =
    this == other.copy(written = written) && literals == other.literals

  private def literals = LiteralTexts(function +: filter.toSeq: _*)

  /** Whether it reads nothing of a row but columns, which are the same on every path. */
  def readsColumnsOnly(fields: Array[PointerField]): Boolean =
    (function +: filter.toSeq).flatMap(PointerField.readBy(_, fields)).forall {
      case _: PointerField.Fixed | _: PointerField.Variable | _: PointerField.Key => true
      case _ => false
    }
}

/** The symbols of primary and union variables; symbols are numbered as in the automaton. */
final class SymbolSets(symbols: IndexedSeq[String], subsets: Seq[Subset]) {
  private val every = SymbolSet(symbols.indices.toSet)
  private val named: Map[String, SymbolSet] =
    symbols.zipWithIndex.map { case (name, i) => name -> SymbolSet(Set(i)) }.toMap ++
      subsets.map(s => s.name -> SymbolSet(s.members.map(symbols.indexOf(_)).toSet))

  /** The symbols of a primary or union variable, all of them without one. */
  def of(variable: Option[String]): SymbolSet = variable.map(named).getOrElse(every)

  /** Whether the condition of a symbol reads the tested row, or a neighbour of it. */
  def isTestedRow(target: NavigationTarget, symbol: Int): Boolean =
    Subset.isTestedRow(target.copy(physicalOffset = 0), symbols(symbol), subsets)
}
