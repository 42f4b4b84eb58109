package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions._

/**
 * What a condition, or a part of one, is made of. Whoever looks into conditions asks for it: no
 * other class matches Spark's expressions of AND, OR, NOT, IN and comparisons.
 */
sealed trait ConditionShape

object ConditionShape extends PredicateHelper {

  /** The operands of AND, none of which is an AND. */
  final case class AllOf(parts: Seq[Expression]) extends ConditionShape

  /** The operands of OR, none of which is an OR. */
  final case class AnyOf(parts: Seq[Expression]) extends ConditionShape

  final case class Opposite(part: Expression) extends ConditionShape

  final case class Compared(left: Expression, comparison: Comparison, right: Expression)
      extends ConditionShape

  final case class Listed(value: Expression, list: Seq[Expression]) extends ConditionShape

  case object Other extends ConditionShape

  def of(e: Expression): ConditionShape = e match {
    case _: And => AllOf(splitConjunctivePredicates(e))
    case _: Or => AnyOf(splitDisjunctivePredicates(e))
    case Not(part) => Opposite(part)
    case c: LessThan => Compared(c.left, Comparison(true, false, false), c.right)
    case c: LessThanOrEqual => Compared(c.left, Comparison(true, true, false), c.right)
    case c: GreaterThan => Compared(c.left, Comparison(false, false, true), c.right)
    case c: GreaterThanOrEqual => Compared(c.left, Comparison(false, true, true), c.right)
    case c: EqualTo => Compared(c.left, Comparison.Equal, c.right)
    case c: EqualNullSafe => Compared(c.left, Comparison.Equal.copy(isNullSafe = true), c.right)
    case In(value, list) => Listed(value, list)
    case InSet(value, list) => Listed(value, list.toSeq.map(Literal(_, value.dataType)))
    case _ => Other
  }

  /** For patterns inside an expression. */
  def unapply(e: Expression): Some[ConditionShape] = Some(of(e))

  /** The operands of the outermost ANDs. */
  def conjuncts(e: Expression): Seq[Expression] = of(e) match {
    case AllOf(parts) => parts
    case _ => Seq(e)
  }

  /** An expression and the constants that it is equal to one of; with NULL nothing is equal. */
  object EqualToConstants {
    def unapply(e: Expression): Option[(Expression, Seq[Any])] = of(e) match {
      case Compared(left, Comparison.Equal, Literal(value, _)) => Some(left -> known(Seq(value)))
      case Compared(Literal(value, _), Comparison.Equal, right) => Some(right -> known(Seq(value)))
      case Listed(value, list) if list.forall(_.isInstanceOf[Literal]) =>
        Some(value -> known(list.collect { case Literal(constant, _) => constant }))
      case _ => None
    }

    private def known(values: Seq[Any]) = values.filter(_ != null).distinct
  }

  /** The lower and the upper side of `<`, `<=`, `>` or `>=`, and whether they may be equal. */
  object Ordered {
    def unapply(shape: ConditionShape): Option[(Expression, Expression, Boolean)] = shape match {
      case Compared(low, Comparison(true, orEqual, false, _), high) => Some((low, high, orEqual))
      case Compared(high, Comparison(false, orEqual, true, _), low) => Some((low, high, orEqual))
      case _ => None
    }
  }
}

/**
 * How the first of two values that are compared may relate to the second one.
 *
 * @param isNullSafe
 *   whether NULL is a value, as in `<=>`
 */
final case class Comparison(
    below: Boolean,
    equal: Boolean,
    above: Boolean,
    isNullSafe: Boolean = false
) {

  /** With the sides exchanged, or with the signs of both changed. */
  def mirrored: Comparison = copy(below = above, above = below)

  /** Whether it is `=` or `<=>`. */
  def isEquality: Boolean = !below && !above
}

object Comparison {
  val Equal: Comparison = Comparison(below = false, equal = true, above = false)
}
