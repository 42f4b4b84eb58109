package io.matchrecognize.execution

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import io.matchrecognize.expressions.PatternAggregate
import io.matchrecognize.matcher.RowRegister

/**
 * What the expressions bound to one [[PointerLayout]] share: pointers, row registers and
 * aggregates, each given out once for equal uses.
 */
final class PointerBindings(val layout: PointerLayout, val symbolSets: SymbolSets) {
  private val slots = mutable.LinkedHashMap.empty[(Int, Int, Int), Int]
  private val rowRegisters = mutable.LinkedHashMap.empty[RowRegister, Int]
  private val aggregates = mutable.ArrayBuffer.empty[(PatternAggregate, AggregateProgram)]

  /** Slot of the pointer that finds its row in this way. */
  def pointer(base: Int, argument: Int, physical: Int): Int =
    slots.getOrElseUpdate((base, argument, physical), slots.size)

  def pointers: Array[PointerProgram] = slots.map { case ((base, argument, physical), slot) =>
    PointerProgram(slot, base, argument, physical)
  }.toArray

  def register(variable: Option[String], fromFirst: Boolean, offset: Int): Int =
    rowRegisters.getOrElseUpdate(
      RowRegister(symbolSets.of(variable), fromFirst, offset),
      rowRegisters.size
    )

  def registers: IndexedSeq[RowRegister] = rowRegisters.keys.toIndexedSeq

  /** Number of an aggregate, whose arguments are read at `foldPointer`. */
  def aggregate(wanted: PatternAggregate, foldPointer: Int): Int =
    aggregates.indexWhere(_._1.semanticEquals(wanted)) match {
      case -1 =>
        aggregates += wanted -> program(wanted, foldPointer)
        aggregates.length - 1
      case known => known
    }

  def aggregatePrograms: Array[AggregateProgram] = aggregates.map(_._2).toArray

  private def program(aggregate: PatternAggregate, foldPointer: Int): AggregateProgram = {
    def bound(e: Expression): Expression = layout.row(e, foldPointer, None)
    val function = aggregate.aggregateFunction
    AggregateProgram(
      function.withNewChildren(function.children.map(bound)).asInstanceOf[AggregateFunction],
      aggregate.isDistinct,
      aggregate.filter.map(bound),
      symbolSets.of(aggregate.variable),
      aggregate.isFinal
    )
  }
}
