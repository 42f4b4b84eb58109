package io.matchrecognize.streaming.operator

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import io.matchrecognize.plans.{EventTimeGuard, MatchRecognize}

/**
 * Matches [[MatchRecognize]] on a stream and the [[EventTimeGuard]] below it, and produces their
 * operators.
 */
object StreamStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case m: MatchRecognize if m.isStreaming =>
      new StreamMatchRecognizeExec(
        m.clause,
        m.measureOutput,
        m.stream.get,
        m.output,
        StreamBatch(None, None, None, None),
        planLater(m.child)
      ) :: Nil
    case EventTimeGuard(eventTime, now, maxAhead, drop, child) =>
      EventTimeGuardExec(eventTime, now, maxAhead, drop, planLater(child)) :: Nil
    case _ => Nil
  }
}
