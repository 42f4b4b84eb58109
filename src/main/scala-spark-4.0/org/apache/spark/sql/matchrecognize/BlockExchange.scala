package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

/** An exchange of blocks: Spark's own, which has no checksums of rows in Spark 4.0. */
object BlockExchange {
  def apply(
      exchange: ShuffleExchangeExec,
      partitioning: Partitioning,
      blocks: SparkPlan
  ): ShuffleExchangeExec = exchange.copy(outputPartitioning = partitioning, child = blocks)
}
