package io.matchrecognize.streaming.operator

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

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
