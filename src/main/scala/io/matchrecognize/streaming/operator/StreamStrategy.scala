package io.matchrecognize.streaming.operator

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.plans.{ClauseBranch, ClauseBranches}
import io.matchrecognize.shims.RealTimeMode

/** Matches [[ClauseBranches]] on a stream, and produces their operator. */
object StreamStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ClauseBranches(branches, output, input) if plan.isStreaming =>
      val isRealTime = RealTimeMode.isUsedBy(input)
      if (isRealTime) branches.foreach(checkRealTime)
      new StreamMatchRecognizeExec(
        branches,
        output,
        StreamBatch(isRealTime),
        planLater(input)
      ) :: Nil
    case _ => Nil
  }

  /**
   * In Real-Time Mode a clause needs settings, without which Spark would refuse it after the query
   * has started, with the names of classes or of other settings. And the current time is that at
   * which a batch began, minutes ago.
   */
  private def checkRealTime(branch: ClauseBranch): Unit = {
    if (RealTimeMode.checksAllowlist || !branch.stream.exists(_.inOrderOfArrival))
      throw RuntimeErrors.realTimeMode(RealTimeMode.allowlistKey, SQLConf.get.numShufflePartitions)
    branch.stream.flatMap(_.clock).foreach(clock => throw RuntimeErrors.realTimeClock(clock))
  }
}
