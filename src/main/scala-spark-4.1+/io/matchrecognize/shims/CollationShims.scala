package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.expressions.{CollationKey, Expression}

/** Keys of collated strings, nested ones too. */
object CollationShims {
  def key(expression: Expression): Expression = CollationKey.injectCollationKey(expression)
}
