package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.expressions.{CollationKey, Expression}
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers

/** Keys whose bytes are equal just if GROUP BY finds the values equal. */
object GroupingKeys {

  /** NaN = NaN, -0.0 = 0.0, strings by their collation, nested values too. */
  def normalize(key: Expression): Expression =
    CollationKey.injectCollationKey(NormalizeFloatingNumbers.normalize(key))
}
