package io.matchrecognize.execution.condition

import java.util.IdentityHashMap

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, PredicateHelper}

import io.matchrecognize.execution.pointer.{PointerBase, PointerField, PointerProgram}
import io.matchrecognize.expressions.Fallible

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
 */
final case class RowExpression(
    expression: Expression,
    pointers: Array[PointerProgram],
    readsTested: Boolean,
    readsFirst: Boolean,
    readsPath: Boolean
) {

  /** See [[io.matchrecognize.expressions.Fallible]]. */
  val mayFail: Boolean = Fallible(expression)

  /** Whether its value depends only on the tested row and its neighbours. */
  def rowLocal: Boolean = !readsFirst && !readsPath

  /** Whether the first row of the match fixes its value. */
  def isFixed: Boolean = !readsTested && !readsPath
}

/**
 * Finds what is known about the condition of a variable and about its parts. All of it follows from
 * the fields that an expression reads: a label that is not known before the query runs is one.
 *
 * @param pointers
 *   those that the variable's condition reads
 * @param fewestBefore
 *   how many rows of the match there are before the tested one at least
 */
final class RowExpressions(
    fields: Array[PointerField],
    pointers: Array[PointerProgram],
    fewestBefore: => Int
) extends PredicateHelper {
  private val known = new IdentityHashMap[Expression, RowExpression]

  def apply(e: Expression): RowExpression = known.computeIfAbsent(e, find(_))

  private def find(e: Expression): RowExpression = {
    val read = PointerField.readBy(e, fields)
    val own = pointers.filter(p => read.exists(_.pointer == p.slot))
    val (tested, others) = own.map(_.base).partition(_ == PointerBase.Current)
    val (first, path) = others.partition {
      case PointerBase.AfterFirst(offset, _) => offset <= fewestBefore
      case _ => false
    }
    val readsMatch = read.exists {
      case _: PointerField.Label | _: PointerField.Aggregate | PointerField.Number => true
      case _ => false
    }
    RowExpression(e, own, tested.nonEmpty, first.nonEmpty, path.nonEmpty || readsMatch)
  }

  def conjuncts(e: Expression): Seq[RowExpression] = splitConjunctivePredicates(e).map(apply)

  /** Whether an expression is a fixed-width column of the store on the row of a pointer's base. */
  def isColumn(e: Expression, column: Int, base: PointerBase): Boolean = e match {
    case BoundReference(ordinal, _, _) =>
      fields(ordinal) match {
        case PointerField.Fixed(slot, `column`, _) =>
          pointers.contains(PointerProgram(slot, base, physical = 0))
        case _ => false
      }
    case _ => false
  }
}
