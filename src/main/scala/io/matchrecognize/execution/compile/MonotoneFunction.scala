package io.matchrecognize.execution.compile

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}

import io.matchrecognize.expressions.{Course, OrderedFunctions}

/**
 * A function that only rises or only falls with one value of the tested row, while the first row
 * fixes all else that it reads: `price - A.price`, `price / A.price`.
 *
 * @param expression
 *   over a row of the value and the operands
 * @param operands
 *   what the first row fixes, constants too
 */
final case class MonotoneFunction(expression: Expression, operands: IndexedSeq[RowExpression])

/**
 * Takes expressions apart into a value and a [[MonotoneFunction]] of it: all operators on the way
 * are [[OrderedFunctions]] of the value. The function may fail where the expression does not, but
 * has no other value where neither does.
 *
 * NULL, NaN and infinite values: see `FunctionNode`.
 *
 * @param isValue
 *   whether the expression is a value of the tested row
 * @param isFixed
 *   whether the first row fixes it
 */
private[compile] final class MonotoneCompiler(
    isValue: Expression => Boolean,
    isFixed: Expression => Boolean
) {

  /** The value, the function of it, and the operands of the function. */
  def compile(e: Expression): Option[(Expression, Expression, IndexedSeq[Expression])] = {
    val operands = mutable.ArrayBuffer.empty[Expression]
    def bind(written: Expression): Option[(Expression, Expression)] =
      if (isValue(written)) Some((written, BoundReference(0, written.dataType, nullable = true)))
      else {
        val e = OrderedFunctions.exact(written)
        argument(e).flatMap { child =>
          bind(child).map { case (value, argument) =>
            val children = e.children.map { c =>
              if (c eq child) argument
              else {
                operands += c
                BoundReference(operands.size, c.dataType, nullable = true)
              }
            }
            (value, e.withNewChildren(children))
          }
        }
      }
    bind(e).map { case (value, function) => (value, function, operands.toIndexedSeq) }
  }

  /** The child that the expression rises or falls with; all others are fixed. */
  private def argument(e: Expression): Option[Expression] =
    e.children.zip(OrderedFunctions.of(e)).filterNot { case (child, _) => isFixed(child) } match {
      case Seq((child, course)) if course != Course.Unknown => Some(child)
      case _ => None
    }
}
