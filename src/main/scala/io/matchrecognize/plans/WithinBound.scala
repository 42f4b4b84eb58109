package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression, Unevaluable}
import org.apache.spark.sql.types.DataType

/**
 * WITHIN: the last row's leading ORDER BY key may be at most `bound` after the first row's. The
 * bound is a literal, not NULL, not negative and of the key's kind.
 *
 * @param timeZone
 *   the session's, whose calendar counts months on a TIMESTAMP
 */
final case class WithinBound(bound: Expression, timeZone: String)
    extends UnaryExpression
    with Unevaluable {
  override def child: Expression = bound
  override def dataType: DataType = bound.dataType
  override def nullable: Boolean = false
  override def sql: String = s"WITHIN ${bound.sql}"
  override def toString: String = sql
  override protected def withNewChildInternal(newChild: Expression): WithinBound =
    copy(bound = newChild)
}
