package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.expressions.{CollationKey, Expression}
import org.apache.spark.sql.types.StringType

/**
 * Keys of collated strings. Spark 4.0 supports them for plain strings only, not for nested ones.
 */
object CollationShims {
  def key(expression: Expression): Expression = expression.dataType match {
    case s: StringType if s != StringType => CollationKey(expression)
    case _ => expression
  }
}
