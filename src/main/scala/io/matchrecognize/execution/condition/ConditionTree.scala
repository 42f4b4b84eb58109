package io.matchrecognize.execution.condition

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{ScalarSubquery => _, _}
import org.apache.spark.sql.types._

import io.matchrecognize.expressions.{Compared, Comparison, Course, OrderedFunctions}

/** A condition that reads the tested row and the first rows of the match, by parts. */
sealed trait ConditionTree {

  /** Whether its evaluation may raise an error where nothing is known about it. */
  def mayFail: Boolean
}

object ConditionTree {

  /**
   * Reads the tested row and its neighbours.
   *
   * @param nullIsFalse
   *   whether NULL is the same as FALSE: if not, a later part is evaluated then
   */
  final case class RowLocal(test: RowExpression, nullIsFalse: Boolean) extends ConditionTree {
    override def mayFail: Boolean = test.mayFail
  }

  /**
   * Compares a value of the tested row, which cannot fail, or a function of it with a limit that
   * the first row fixes.
   *
   * @param function
   *   not with `=`
   * @param nullIsFalse
   *   see `RowLocal`
   */
  final case class Threshold(
      value: RowExpression,
      function: Option[MonotoneFunction],
      comparison: Comparison,
      limit: RowExpression,
      nullIsFalse: Boolean,
      mayFail: Boolean
  ) extends ConditionTree

  /** Any other part. */
  final case class Opaque(mayFail: Boolean) extends ConditionTree

  /** Parts in the order of their evaluation, as far as they may fail. */
  final case class AllOf(parts: Seq[ConditionTree]) extends ConditionTree {
    override def mayFail: Boolean = parts.exists(_.mayFail)
  }
  final case class AnyOf(parts: Seq[ConditionTree]) extends ConditionTree {
    override def mayFail: Boolean = parts.exists(_.mayFail)
  }
}

/**
 * A function that only rises or only falls with one value of the tested row, while the first row
 * fixes all else that it reads: `price - A.price`, `price / A.price`. It may fail where the
 * expression that it is made of does not, but has no other value where neither does.
 *
 * NULL, NaN and infinite values: see `FunctionNode`.
 *
 * @param expression
 *   over a row of the value and the operands
 * @param operands
 *   what the first row fixes, constants too
 */
final case class MonotoneFunction(expression: Expression, operands: IndexedSeq[RowExpression])

/** Takes the condition of a variable apart. */
final class ConditionTreeCompiler(parts: RowExpressions) extends PredicateHelper {
  import ConditionTree._

  /** @param nullIsFalse whether NULL and FALSE are the same to what the part is in */
  def tree(e: Expression, nullIsFalse: Boolean = true): ConditionTree = {
    val part = parts(e)
    def threshold(left: Expression, right: Expression, c: Comparison): ConditionTree = {
      def of(value: Expression, c: Comparison, limit: Expression) = byValue(
        Threshold(parts(value), None, c, parts(limit), nullIsFalse, part.mayFail)
      )
      if (left.dataType == right.dataType && parts(left).isFixed) of(right, c.mirrored, left)
      else if (left.dataType == right.dataType && parts(right).isFixed) of(left, c, right)
      else Opaque(part.mayFail)
    }
    e match {
      case _ if part.rowLocal => RowLocal(part, nullIsFalse)
      case _: And => all(joined(splitConjunctivePredicates(e), And(_, _)), nullIsFalse)
      case _: Or => AnyOf(joined(splitDisjunctivePredicates(e), Or(_, _)).map(tree(_, nullIsFalse)))
      case Compared(left, comparison, right) => threshold(left, right, comparison)
      case _ => Opaque(part.mayFail)
    }
  }

  /** @param t compares an expression that need not be a value */
  private def byValue(t: Threshold): ConditionTree = t.value.expression match {
    case _ if isValue(t.value) => t
    case _ if !t.comparison.below && !t.comparison.above =>
      val both = Seq(Comparison(true, true, false), Comparison(false, true, true))
      AllOf(both.map(c => byValue(t.copy(comparison = c))))
    case abs: Abs if abs.failOnError || !OrderedFunctions.isInteger(abs.dataType) =>
      val negative = t.limit.copy(UnaryMinus(t.limit.expression, failOnError = true))
      val sides = Seq(t, t.copy(comparison = t.comparison.mirrored, limit = negative))
        .map(byFunction(abs.child, _))
      if (t.comparison.below) AllOf(sides) else AnyOf(sides)
    case other => byFunction(other, t)
  }

  private def byFunction(e: Expression, t: Threshold): ConditionTree =
    functionOf(e).fold[ConditionTree](Opaque(t.mayFail)) { case (value, function) =>
      t.copy(value = value, function = Some(function))
    }

  // FALSE hides the failure of a later part, NULL does not.
  private def all(conjuncts: Seq[Expression], nullIsFalse: Boolean): ConditionTree =
    AllOf(conjuncts.zip(conjuncts.tails.drop(1)).map { case (conjunct, later) =>
      tree(conjunct, nullIsFalse && !later.exists(parts(_).mayFail))
    })

  /** Row-local parts become one test; only adjacent ones if the order matters. */
  private def joined(
      split: Seq[Expression],
      join: (Expression, Expression) => Expression
  ): Seq[Expression] =
    if (split.exists(parts(_).mayFail))
      split.drop(1).foldLeft(split.take(1)) { (before, part) =>
        if (parts(part).rowLocal && parts(before.last).rowLocal)
          before.init :+ join(before.last, part)
        else before :+ part
      }
    else {
      val (local, rest) = split.partition(parts(_).rowLocal)
      local.reduceOption(join).toSeq ++ rest
    }

  private def isValue(part: RowExpression): Boolean =
    ConditionTreeCompiler.isOrderedAsLong(part.expression.dataType) && !part.mayFail &&
      part.rowLocal

  /**
   * An expression as a function of a value of the tested row: all operators on the way to it are
   * [[OrderedFunctions]] of it.
   */
  private def functionOf(e: Expression): Option[(RowExpression, MonotoneFunction)] = {
    val operands = mutable.ArrayBuffer.empty[RowExpression]
    def bind(written: Expression): Option[(RowExpression, Expression)] = {
      val part = parts(written)
      val e = OrderedFunctions.exact(written)
      if (isValue(part)) Some((part, BoundReference(0, written.dataType, nullable = true)))
      else
        // The child that the expression rises or falls with; all others are fixed.
        e.children.zip(OrderedFunctions.of(e)).filterNot(c => parts(c._1).isFixed) match {
          case Seq((child, course)) if course != Course.Unknown =>
            bind(child).map { case (value, argument) =>
              val children = e.children.map { c =>
                if (c eq child) argument
                else {
                  operands += parts(c)
                  BoundReference(operands.size, c.dataType, nullable = true)
                }
              }
              (value, e.withNewChildren(children))
            }
          case _ => None
        }
    }
    bind(e).map { case (value, function) =>
      (value, MonotoneFunction(function, operands.toIndexedSeq))
    }
  }
}

private object ConditionTreeCompiler {

  /** Whether values of the type are ordered as some longs are: see `Ordinals`. */
  def isOrderedAsLong(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case DateType | TimestampType | TimestampNTZType => true
    case decimal: DecimalType => decimal.precision <= Decimal.MAX_LONG_DIGITS
    case _ => false
  }
}
