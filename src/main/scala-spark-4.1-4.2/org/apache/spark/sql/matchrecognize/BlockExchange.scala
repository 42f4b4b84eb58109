package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleOrigin}

/** An exchange of blocks. Spark copies it by a constructor with the parameters of its own class. */
final class BlockExchange(
    partitioning: Partitioning,
    blocks: SparkPlan,
    origin: ShuffleOrigin,
    advisorySize: Option[Long]
) extends ShuffleExchangeExec(partitioning, blocks, origin, advisorySize)
    with BlockShuffle

object BlockExchange {
  def apply(
      exchange: ShuffleExchangeExec,
      partitioning: Partitioning,
      blocks: SparkPlan
  ): BlockExchange = new BlockExchange(
    partitioning,
    blocks,
    exchange.shuffleOrigin,
    exchange.advisoryPartitionSize
  )
}
