package io.matchrecognize.streaming.operator

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.plans.{EventTimeGuard, MatchRecognize}
import io.matchrecognize.shims.RealTimeMode

/**
 * Matches [[MatchRecognize]] on a stream and the [[EventTimeGuard]] below it, and produces their
 * operators.
 */
object StreamStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case m: MatchRecognize if m.isStreaming =>
      checkMode(m)
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

  /**
   * Refuses Real-Time Mode, unless the user has turned off the check by which Spark would refuse
   * it, with the names of classes, after the query has started.
   */
  private def checkMode(clause: MatchRecognize): Unit =
    if (RealTimeMode.isUsedBy(clause)) RealTimeMode.allowlistCheck.foreach { check =>
      throw RuntimeErrors.realTimeMode(check, SQLConf.get.numShufflePartitions)
    }
}
