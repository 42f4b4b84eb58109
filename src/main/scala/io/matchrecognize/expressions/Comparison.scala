package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions._

/** How the first of two values that are compared may relate to the second one. */
final case class Comparison(below: Boolean, equal: Boolean, above: Boolean) {

  /** With the sides exchanged, or with the signs of both changed. */
  def mirrored: Comparison = Comparison(above, equal, below)
}

/** The sides of a comparison by `<`, `<=`, `>`, `>=` or `=`. */
object Compared {
  def unapply(e: Expression): Option[(Expression, Comparison, Expression)] = e match {
    case c: LessThan => Some((c.left, Comparison(true, false, false), c.right))
    case c: LessThanOrEqual => Some((c.left, Comparison(true, true, false), c.right))
    case c: GreaterThan => Some((c.left, Comparison(false, false, true), c.right))
    case c: GreaterThanOrEqual => Some((c.left, Comparison(false, true, true), c.right))
    case c: EqualTo => Some((c.left, Comparison(false, true, false), c.right))
    case _ => None
  }
}

/** The lower and the upper side of a comparison by `<`, `<=`, `>` or `>=`. */
object LessOrEqual {
  def unapply(e: Expression): Option[(Expression, Expression)] = e match {
    case Compared(low, comparison, high) if comparison.below => Some((low, high))
    case Compared(high, comparison, low) if comparison.above => Some((low, high))
    case _ => None
  }
}
