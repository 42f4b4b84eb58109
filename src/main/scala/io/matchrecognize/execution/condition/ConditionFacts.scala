package io.matchrecognize.execution.condition

import java.util.IdentityHashMap

import org.apache.spark.sql.catalyst.expressions.{And, BoundReference, Expression}

import io.matchrecognize.execution.pointer.{PointerBase, PointerField, PointerProgram}
import io.matchrecognize.expressions.{ConditionShape, Fallible}

/**
 * An expression over a [[PointerRow]], which is a condition or a part of one, with what searches
 * need to know about it.
 *
 * @param pointers
 *   those that it reads
 * @param readsTested
 *   whether it reads the tested row or neighbours of it
 * @param readsFirst
 *   whether it reads rows at fixed distances from the first row of the match, or neighbours of them
 * @param readsPath
 *   whether it reads anything else of the match
 * @param mayFail
 *   whether its evaluation may fail, as that of an aggregate does if a row cannot be added to it
 */
final case class RowExpression(
    expression: Expression,
    pointers: Array[PointerProgram],
    readsTested: Boolean,
    readsFirst: Boolean,
    readsPath: Boolean,
    mayFail: Boolean
) {

  /** Whether its value depends only on the tested row and its neighbours. */
  def rowLocal: Boolean = !readsFirst && !readsPath

  /** Whether the first row of the match fixes its value. */
  def isFixed: Boolean = !readsTested && !readsPath

  def shape: ConditionShape = ConditionShape.of(expression)

  def fields: Seq[Int] = expression.collect { case r: BoundReference => r.ordinal }.distinct
}

/** A conjunct of a condition, as it is written and over a [[PointerRow]]. */
final case class Conjunct(written: Expression, part: RowExpression)

/**
 * The condition of a variable and what is known about it and its parts: all that looks into a
 * condition asks here. What a part reads follows from its fields: a label that is not known before
 * the query runs is one.
 *
 * @param written
 *   the condition of the clause
 * @param bound
 *   the same over a [[PointerRow]], with AND in the same places
 * @param allPointers
 *   those of all conditions
 * @param anchor
 *   a pointer of the condition as it is to be read
 * @param fewestBefore
 *   how many rows of the match there are before the tested one at least
 */
final class ConditionFacts(
    written: Expression,
    bound: Expression,
    fields: Array[PointerField],
    allPointers: Array[PointerProgram],
    anchor: PointerProgram => PointerProgram,
    fewestBefore: => Int
) {
  private val known = new IdentityHashMap[Expression, RowExpression]
  private val pointers = readBy(bound, allPointers).map(anchor)

  /** Of a part, or of an expression made of parts. */
  def apply(e: Expression): RowExpression = known.computeIfAbsent(e, find(_))

  private def find(e: Expression): RowExpression = {
    val own = readBy(e, pointers)
    val (tested, others) = own.map(_.base).partition(_ == PointerBase.Current)
    val (first, path) = others.partition {
      case PointerBase.AfterFirst(offset, _) => offset <= fewestBefore
      case _ => false
    }
    val read = PointerField.readBy(e, fields)
    val readsAggregate = read.exists(_.isInstanceOf[PointerField.Aggregate])
    val readsMatch = readsAggregate || read.exists {
      case _: PointerField.Label | PointerField.Number => true
      case _ => false
    }
    RowExpression(
      e,
      own,
      tested.nonEmpty,
      first.nonEmpty,
      path.nonEmpty || readsMatch,
      readsAggregate || Fallible(e)
    )
  }

  private def readBy(e: Expression, of: Array[PointerProgram]): Array[PointerProgram] = {
    val slots = PointerField.readBy(e, fields).map(_.pointer).toSet
    of.filter(p => slots.contains(p.slot))
  }

  /**
   * Whether the rows before the tested one fix its value.
   *
   * @param leavesOut
   *   whether the tested row is not among those of an aggregate
   */
  def precedes(e: Expression, leavesOut: Int => Boolean): Boolean =
    apply(e).pointers.forall(p => p.physical < 0 || (p.physical == 0 && !p.isTested)) &&
      PointerField.readBy(e, fields).forall {
        case PointerField.Aggregate(index, _) => leavesOut(index)
        case _ => true
      }

  def condition: RowExpression = apply(bound)

  /**
   * Whether its truth stays as it is while the registers and aggregates do that it reads: it reads
   * nothing else but what an attempt fixes.
   */
  def isSettled(part: RowExpression): Boolean =
    part.pointers.map(_.base).forall {
      case PointerBase.Register(_, _) => true
      case PointerBase.AfterFirst(offset, _) => offset <= fewestBefore
      case PointerBase.BeforeLast(_, _) => false
    } && !PointerField.readBy(part.expression, fields).exists(_.isInstanceOf[PointerField.Label])

  lazy val conjuncts: Seq[Conjunct] =
    ConditionShape.conjuncts(written).zip(ConditionShape.conjuncts(bound)).map {
      case (conjunct, part) => Conjunct(conjunct, apply(part))
    }

  /** The row-local conjuncts of a condition that is not row-local. */
  def necessary: Option[RowExpression] =
    if (condition.rowLocal) None
    else conjuncts.map(_.part).filter(_.rowLocal).reduceOption(and(_, _))

  def and(a: RowExpression, b: RowExpression): RowExpression =
    apply(And(a.expression, b.expression))

  /** Whether an expression is a fixed-width column of the store on the row of a pointer's base. */
  def isColumn(e: Expression, column: Int, base: PointerBase): Boolean = e match {
    case BoundReference(ordinal, dataType, _) =>
      pointers.exists { p =>
        p.base == base && p.physical == 0 &&
        fields(ordinal) == PointerField.Fixed(p.slot, column, dataType)
      }
    case _ => false
  }
}
