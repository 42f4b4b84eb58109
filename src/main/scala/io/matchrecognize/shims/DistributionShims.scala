package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.ClusteredDistribution

/** Distributions whose constructors differ between Spark minors. */
object DistributionShims {
  def clustered(keys: Seq[Expression]): ClusteredDistribution = ClusteredDistribution(keys)
}
