package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers

import io.matchrecognize.shims.CollationShims

/** Keys whose byte equality coincides with the equality of GROUP BY. */
object GroupingKeys {

  /** NaN = NaN, -0.0 = 0.0, strings by their collation, nested values too. */
  def normalize(key: Expression): Expression =
    CollationShims.key(NormalizeFloatingNumbers.normalize(key))
}
