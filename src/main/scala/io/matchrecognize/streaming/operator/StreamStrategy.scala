package io.matchrecognize.streaming.operator

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.plans.MatchRecognize
import io.matchrecognize.shims.RealTimeMode

/** Matches [[MatchRecognize]] on a stream, and produces its operator. */
object StreamStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case m: MatchRecognize if m.isStreaming =>
      checkMode(m)
      new StreamMatchRecognizeExec(
        m.clause,
        m.measureOutput,
        m.stream.get,
        m.output,
        StreamBatch(RealTimeMode.isUsedBy(m)),
        planLater(m.child)
      ) :: Nil
    case _ => Nil
  }

  /**
   * In Real-Time Mode a clause needs settings, without which Spark would refuse it after the query
   * has started, with the names of classes or of other settings. And the current time is that at
   * which a batch began, minutes ago.
   */
  private def checkMode(clause: MatchRecognize): Unit =
    if (RealTimeMode.isUsedBy(clause)) {
      if (RealTimeMode.checksAllowlist || !clause.stream.exists(_.inOrderOfArrival))
        throw RuntimeErrors.realTimeMode(
          RealTimeMode.allowlistKey,
          SQLConf.get.numShufflePartitions
        )
      clause.stream.flatMap(_.clock).foreach(clock => throw RuntimeErrors.realTimeClock(clock))
    }
}
