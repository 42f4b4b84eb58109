package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, SinglePartition}
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleExchangeExec}

import io.matchrecognize.conf.MatchRecognizeConf

/** How the rows of a clause are shuffled. */
object ShuffleChoice {

  /** Why an exchange below a clause shuffles row by row, for EXPLAIN; None if blocks are better. */
  def whyRows(exchange: ShuffleExchangeExec): Option[String] = {
    val choice = exchange.conf.getConf(MatchRecognizeConf.Shuffle)
    // Values of variable length are copied one by one, into the blocks and out of them.
    val variable = exchange.child.output.count(c => !UnsafeRow.isFixedLength(c.dataType))
    exchange.outputPartitioning match {
      case _ if choice == "spark" => Some(s"as ${MatchRecognizeConf.Shuffle.key} says")
      case _ if exchange.shuffleOrigin != ENSURE_REQUIREMENTS => Some("as the query says")
      case _: HashPartitioning if choice == "auto" && variable > MaxVariableColumns =>
        Some(s"which costs less with $variable columns of variable length")
      case _: HashPartitioning | SinglePartition => None
      case _ => Some("by other than hashes")
    }
  }

  private final val MaxVariableColumns = 4
}
