package io.matchrecognize.execution.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.plans.MatchRecognize

/** Matches [[MatchRecognize]] on a table and produces [[MatchRecognizeExec]]. Compiles nothing. */
object MatchRecognizeStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case m: MatchRecognize if !m.isStreaming =>
      MatchRecognizeExec(
        m.clause,
        m.measureOutput,
        m.output,
        SQLConf.get.getConf(MatchRecognizeConf.Sort) != "spark",
        planLater(m.child)
      ) :: Nil
    case _ => Nil
  }
}
