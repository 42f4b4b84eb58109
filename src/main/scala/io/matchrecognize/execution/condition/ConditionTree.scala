package io.matchrecognize.execution.condition

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{ScalarSubquery => _, _}

import io.matchrecognize.expressions.{Comparison, ConditionShape, Course, OrderedFunctions}

/**
 * A condition that reads the tested row and the first rows of the match, by parts.
 *
 * @param mayFail
 *   whether its evaluation may raise an error where nothing is known about it
 */
sealed abstract class ConditionTree(val mayFail: Boolean) extends Serializable

object ConditionTree {

  /**
   * Reads the tested row and its neighbours.
   *
   * @param nullIsFalse
   *   whether NULL is the same as FALSE: if not, a later part is evaluated then
   */
  final case class RowLocal(test: RowExpression, nullIsFalse: Boolean)
      extends ConditionTree(test.mayFail)

  /**
   * Compares a value of the tested row, which cannot fail, or a function of it with a limit that
   * the first row fixes.
   *
   * @param part
   *   the comparison as a whole
   * @param function
   *   not with `=`
   * @param nullIsFalse
   *   see `RowLocal`
   */
  final case class Threshold(
      part: RowExpression,
      value: RowExpression,
      function: Option[MonotoneFunction],
      comparison: Comparison,
      limit: RowExpression,
      nullIsFalse: Boolean
  ) extends ConditionTree(part.mayFail)

  /** Any other part. */
  final case class Opaque(part: RowExpression) extends ConditionTree(part.mayFail)

  /** Parts in the order of their evaluation, as far as they may fail. */
  final case class AllOf(parts: Seq[ConditionTree]) extends ConditionTree(parts.exists(_.mayFail))
  final case class AnyOf(parts: Seq[ConditionTree]) extends ConditionTree(parts.exists(_.mayFail))
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

/** Makes the tree of a condition that is not row-local. */
final class ConditionTreeCompiler(facts: ConditionFacts) {
  import ConditionTree._

  def tree: ConditionTree = tree(facts.condition, nullIsFalse = true)

  /** @param nullIsFalse whether NULL and FALSE are the same to what the part is in */
  private def tree(part: RowExpression, nullIsFalse: Boolean): ConditionTree = part.shape match {
    case _ if part.rowLocal => RowLocal(part, nullIsFalse)
    case ConditionShape.AllOf(conjuncts) => all(joined(conjuncts, And(_, _)), nullIsFalse)
    case ConditionShape.AnyOf(parts) => AnyOf(joined(parts, Or(_, _)).map(tree(_, nullIsFalse)))
    case ConditionShape.Compared(a, comparison, b)
        if a.dataType == b.dataType && !comparison.isNullSafe =>
      val (left, right) = (facts(a), facts(b))
      def threshold(value: RowExpression, c: Comparison, limit: RowExpression) =
        byValue(Threshold(part, value, None, c, limit, nullIsFalse))
      if (left.isFixed) threshold(right, comparison.mirrored, left)
      else if (right.isFixed) threshold(left, comparison, right)
      else Opaque(part)
    case _ => Opaque(part)
  }

  /** @param t compares an expression that need not be a value */
  private def byValue(t: Threshold): ConditionTree = t.value.expression match {
    case _ if isValue(t.value) => t
    case _ if t.comparison.isEquality =>
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
    functionOf(e).fold[ConditionTree](Opaque(t.part)) { case (value, function) =>
      t.copy(value = value, function = Some(function))
    }

  // FALSE hides the failure of a later part, NULL does not.
  private def all(conjuncts: Seq[RowExpression], nullIsFalse: Boolean): ConditionTree =
    AllOf(conjuncts.zip(conjuncts.tails.drop(1)).map { case (conjunct, later) =>
      tree(conjunct, nullIsFalse && !later.exists(_.mayFail))
    })

  /** Row-local parts become one test: only adjacent ones if a part may fail. */
  private def joined(
      split: Seq[Expression],
      operator: (Expression, Expression) => Expression
  ): Seq[RowExpression] = {
    val parts = split.map(facts(_))
    val (local, rest) = parts.partition(_.rowLocal)
    val ordered = if (parts.exists(_.mayFail)) parts else local ++ rest
    ordered.foldLeft(Seq.empty[RowExpression]) {
      case (before :+ last, part) if last.rowLocal && part.rowLocal =>
        before :+ facts(operator(last.expression, part.expression))
      case (before, part) => before :+ part
    }
  }

  private def isValue(part: RowExpression): Boolean =
    Ordinals.isOrderedAsLong(part.expression.dataType) && !part.mayFail && part.rowLocal

  /**
   * An expression as a function of a value of the tested row: all operators on the way to it are
   * [[OrderedFunctions]] of it.
   */
  private def functionOf(e: Expression): Option[(RowExpression, MonotoneFunction)] = {
    val operands = mutable.ArrayBuffer.empty[RowExpression]
    def bind(written: Expression): Option[(RowExpression, Expression)] = {
      val part = facts(written)
      val e = OrderedFunctions.exact(written)
      if (isValue(part)) Some((part, BoundReference(0, written.dataType, nullable = true)))
      else
        // The child that the expression rises or falls with; all others are fixed.
        e.children.zip(OrderedFunctions.of(e)).filterNot(c => facts(c._1).isFixed) match {
          case Seq((child, course)) if course != Course.Unknown =>
            bind(child).map { case (value, argument) =>
              val children = e.children.map { c =>
                if (c eq child) argument
                else {
                  operands += facts(c)
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
