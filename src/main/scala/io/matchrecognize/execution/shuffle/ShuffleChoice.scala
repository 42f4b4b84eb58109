package io.matchrecognize.execution.shuffle

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, SinglePartition}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.exchange.{
  ENSURE_REQUIREMENTS,
  ReusedExchangeExec,
  ShuffleExchangeExec
}
import org.apache.spark.sql.execution.{InputAdapter, SortExec, SparkPlan, WholeStageCodegenExec}

import io.matchrecognize.conf.MatchRecognizeConf

/** How the rows of a clause are shuffled. */
object ShuffleChoice {

  /** Why an exchange below a clause is to shuffle row by row; None if blocks are better. */
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

  // On an exchange below a clause.
  private val reason = new TreeNodeTag[String]("matchRecognizeRowByRow")

  /** Why the exchange shuffles row by row, as it was planned, whatever the settings are now. */
  def reasonOf(exchange: ShuffleExchangeExec): Option[String] = exchange.getTagValue(reason)

  /** Keeps the reason in the plan; the first one that is given. */
  def keepReason(exchange: ShuffleExchangeExec): Unit =
    if (reasonOf(exchange).isEmpty)
      exchange.setTagValue(reason, whyRows(exchange).getOrElse("for the sort below"))

  /** The exchange by which the rows of a plan, the input of a clause, arrive; or its blocks. */
  @tailrec
  def arrival(plan: SparkPlan): Option[SparkPlan] = plan match {
    case _: BlockReadExec | _: ShuffleExchangeExec => Some(plan)
    case stage: ShuffleQueryStageExec => arrival(stage.plan)
    case reused: ReusedExchangeExec => arrival(reused.child)
    case _: AQEShuffleReadExec | _: SortExec | _: WholeStageCodegenExec | _: InputAdapter =>
      arrival(plan.children.head)
    case _ => None
  }
}
