package io.matchrecognize.execution.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.{
  HashPartitioning,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleExchangeExec}
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.matchrecognize.BlockExchange

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.shuffle.{BlockReadExec, BlockWriteExec}

/**
 * Matches a [[MatchRecognizeExec]] over an exchange that Spark has inserted, by the hash of
 * PARTITION BY or, without it, of all rows to one task; and produces the same over an exchange of
 * blocks of rows.
 *
 * It runs after exchanges are inserted: in adaptive execution as the last rule that prepares a plan
 * for its stages, otherwise as the first of the columnar rules, because that is where Spark lets a
 * plugin change such plans. Exchanges that the user has asked for stay, and so do those that
 * another operator is in between of, such as Spark's Sort. By default, so do exchanges by keys of
 * rows with many values of variable length.
 */
object ShuffleInBlocks extends Rule[SparkPlan] {

  /** The rule for plans without adaptive execution; the stages of others have none to match. */
  object Columnar extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = ShuffleInBlocks
  }

  override def apply(plan: SparkPlan): SparkPlan =
    plan.transformUp { case clause: MatchRecognizeExec =>
      clause.child match {
        case exchange: ShuffleExchangeExec if isBetterInBlocks(exchange) =>
          exchange.outputPartitioning match {
            case hash: HashPartitioning =>
              clause.copy(child = inBlocks(exchange, hash.expressions) { number =>
                hash.copy(expressions = number)
              })
            case _ => clause.copy(child = inBlocks(exchange, Nil)(_ => SinglePartition))
          }
        case _ => clause
      }
    }

  private def isBetterInBlocks(exchange: ShuffleExchangeExec): Boolean = {
    val choice = conf.getConf(MatchRecognizeConf.Shuffle)
    choice != "spark" && exchange.shuffleOrigin == ENSURE_REQUIREMENTS &&
    (exchange.outputPartitioning match {
      // Values of variable length are copied one by one, into the blocks and out of them.
      case _: HashPartitioning =>
        choice == "blocks" ||
        exchange.child.output.count(c => !UnsafeRow.isFixedLength(c.dataType)) <= MaxVariableColumns
      case SinglePartition => true
      case _ => false
    })
  }

  private final val MaxVariableColumns = 4

  /** @param byNumber how blocks are partitioned, by the column of their numbers */
  private[execution] def inBlocks(exchange: ShuffleExchangeExec, keys: Seq[Expression])(
      byNumber: Seq[Expression] => Partitioning
  ): BlockReadExec = {
    val partitions = exchange.outputPartitioning.numPartitions
    val write = BlockWriteExec(keys, partitions, exchange.child)
    val blocks = BlockExchange(exchange, byNumber(write.output.take(1)), write)
    val read = BlockReadExec(keys, exchange.child.output, blocks)
    // Adaptive execution puts the topmost node that has the logical plan of a finished stage in its
    // place: that has to be the one with its columns.
    linkOf(exchange).foreach(read.setLogicalLink)
    read
  }

  private def linkOf(plan: SparkPlan): Option[LogicalPlan] =
    plan.collectFirst { case p if p.logicalLink.isDefined => p.logicalLink.get }
}
