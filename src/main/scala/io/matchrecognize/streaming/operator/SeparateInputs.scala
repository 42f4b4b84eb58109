package io.matchrecognize.streaming.operator

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.matchrecognize.shims.Stateful.EventTimeWatermarkExec

/**
 * Matches the exchanges over a stream in a micro-batch that runs a clause, and produces the same
 * exchanges over a [[SeparateInputExec]] each, so that no two of them are equal.
 *
 * Spark replaces the second of two equal exchanges by a leaf that reads the result of the first. It
 * then derives the next micro-batch's watermarks from that plan, and an operator over such a leaf
 * has no watermark below it: it keeps what it reads and never returns a row. Two clauses that read
 * the same columns of one stream by the same keys have equal exchanges, and so have the stateful
 * operators below a subquery that two clauses read.
 *
 * The plans of tables, and exchanges of tables in the plan of a stream, are not changed. It runs as
 * the last of the columnar rules, because that is where Spark lets a plugin change a plan between
 * the insertion of exchanges and their reuse.
 */
object SeparateInputs extends ColumnarRule {
  private val ids = new AtomicLong

  override def postColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override val ruleName: String = "io.matchrecognize.streaming.operator.SeparateInputs"

    override def apply(plan: SparkPlan): SparkPlan =
      if (conf.exchangeReuseEnabled && plan.exists(isClause)) separate(plan)
      else plan
  }

  private def separate(plan: SparkPlan): SparkPlan = plan.transformUp {
    // An exchange above a separate one is already unequal.
    case exchange: Exchange if exchange.exists(isWatermark) && !exchange.exists(isSeparate) =>
      exchange.withNewChildren(Seq(SeparateInputExec(ids.incrementAndGet(), exchange.child)))
  }

  private def isClause(plan: SparkPlan): Boolean = plan.isInstanceOf[StreamMatchRecognizeExec]

  private def isWatermark(plan: SparkPlan): Boolean = plan.isInstanceOf[EventTimeWatermarkExec]

  private def isSeparate(plan: SparkPlan): Boolean = plan.isInstanceOf[SeparateInputExec]
}

/**
 * The rows of its child, unchanged. Its number makes it, and an exchange above it, unequal to every
 * other node, canonicalised or not; see [[SeparateInputs]].
 */
final case class SeparateInputExec(number: Long, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def supportsColumnar: Boolean = child.supportsColumnar
  override def nodeName: String = "SeparateInput"

  override protected def doExecute(): RDD[InternalRow] = child.execute()
  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = child.executeColumnar()

  override protected def withNewChildInternal(newChild: SparkPlan): SeparateInputExec =
    copy(child = newChild)
}
