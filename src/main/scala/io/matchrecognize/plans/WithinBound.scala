package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression, Unevaluable}
import org.apache.spark.sql.types.DataType

/**
 * WITHIN: the last row's leading ORDER BY key may be at most `bound` after the first row's. The
 * bound is constant, not NULL, not negative and of the key's kind.
 */
final case class WithinBound(bound: Expression) extends UnaryExpression with Unevaluable {
  override def child: Expression = bound
  override def dataType: DataType = bound.dataType
  override def nullable: Boolean = false
  override def toString: String = s"WITHIN ${bound.sql}"
  override protected def withNewChildInternal(newChild: Expression): WithinBound =
    copy(bound = newChild)
}
