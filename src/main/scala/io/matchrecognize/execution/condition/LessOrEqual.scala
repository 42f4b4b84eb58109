package io.matchrecognize.execution.condition

import org.apache.spark.sql.catalyst.expressions._

/** The lower and the upper side of a comparison by `<`, `<=`, `>` or `>=`. */
private[condition] object LessOrEqual {
  def unapply(e: Expression): Option[(Expression, Expression)] = e match {
    case c: LessThanOrEqual => Some((c.left, c.right))
    case c: LessThan => Some((c.left, c.right))
    case c: GreaterThanOrEqual => Some((c.right, c.left))
    case c: GreaterThan => Some((c.right, c.left))
    case _ => None
  }
}
