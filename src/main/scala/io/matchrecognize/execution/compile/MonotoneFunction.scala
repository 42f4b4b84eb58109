package io.matchrecognize.execution.compile

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

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
 * Takes expressions apart into a value and a [[MonotoneFunction]] of it. All operators on the way
 * keep the order of values or reverse it. Where they round, they may make different values equal;
 * where they fail or overflow, they do so for all values beyond some limit. Integers that wrap
 * around, without ANSI mode, are not taken.
 *
 * NULL, NaN and infinite values: see `MonotoneNode`.
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
  import MonotoneCompiler._

  /** The value, the function of it, and the operands of the function. */
  def compile(e: Expression): Option[(Expression, Expression, IndexedSeq[Expression])] = {
    val operands = mutable.ArrayBuffer.empty[Expression]
    def bind(e: Expression): Option[(Expression, Expression)] =
      if (isValue(e)) Some((e, BoundReference(0, e.dataType, nullable = true)))
      else
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
    bind(e).map { case (value, function) => (value, function, operands.toIndexedSeq) }
  }

  /** The child that the expression rises or falls with; all others are fixed. */
  private def argument(e: Expression): Option[Expression] = e match {
    case c: Cast if OrderedCasts.keepsOrder(c.child.dataType, c.dataType) => Some(c.child)
    case m: UnaryMinus if m.failOnError || !isInteger(m.dataType) => Some(m.child)
    case a @ (_: Add | _: Subtract | _: Multiply) if isExact(a) => either(a.children)
    case d @ (_: Divide | _: IntegralDivide) if isExact(d) && d.children.tail.forall(isFixed) =>
      Some(d.children.head)
    case s: SubtractTimestamps if !s.legacyInterval && SteadyClocks(s, s.left.dataType) =>
      either(s.children)
    case s: SubtractDates if !s.legacyInterval => either(s.children)
    case d: DateDiff => either(d.children)
    case _ => None
  }

  private def either(children: Seq[Expression]): Option[Expression] =
    children.filterNot(isFixed) match {
      case Seq(child) => Some(child)
      case _ => None
    }
}

private[compile] object MonotoneCompiler {
  def isInteger(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  /** Whether it fails, or returns NULL, where the result is out of range. */
  private def isExact(e: Expression): Boolean = e.dataType match {
    case _: NumericType => !isInteger(e.dataType) || EvalModes.isAnsi(e)
    case other => other.isInstanceOf[DayTimeIntervalType]
  }
}

/** Casts that keep the order of values, though they may make different ones equal. */
private[compile] object OrderedCasts {
  def keepsOrder(from: DataType, to: DataType): Boolean = (from, to) match {
    case (_: DecimalType, DoubleType) => true
    case (_: NumericType, _: NumericType) => Cast.canUpCast(from, to)
    case (DateType, TimestampType | TimestampNTZType) => true
    case (TimestampType, LongType | DoubleType) => true
    case _ => from == to
  }
}

/** Whether the clocks that an expression on times reads are never changed. */
private[compile] object SteadyClocks {
  def apply(e: TimeZoneAwareExpression, dataType: DataType): Boolean =
    dataType == TimestampNTZType || e.zoneId.getRules.isFixedOffset
}
