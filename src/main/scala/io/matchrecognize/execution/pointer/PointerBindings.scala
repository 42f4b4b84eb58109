package io.matchrecognize.execution.pointer

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import io.matchrecognize.expressions.{NavigationTarget, PatternAggregate}
import io.matchrecognize.matcher.RowRegister

/**
 * What the expressions bound to one [[PointerLayout]] share: pointers, row registers and
 * aggregates, each allocated once for equal uses.
 */
final class PointerBindings(val layout: PointerLayout, val symbolSets: SymbolSets) {
  private val slots = mutable.LinkedHashMap.empty[(PointerBase, Int), Int]
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
    slots.getOrElseUpdate((base, target.physicalOffset), pointerCount)
  }

  /** All but [[PointerBindings.Row]], which the evaluator sets. */
  def pointers: Array[PointerProgram] = slots.map { case ((base, physical), slot) =>
    PointerProgram(slot, base, physical)
  }.toArray

  def pointerCount: Int = slots.size + 1

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
