package io.matchrecognize.execution

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import io.matchrecognize.plans.{ClauseOptions, MatchRecognize}

/** Matches [[MatchRecognize]] on a table and produces [[MatchRecognizeExec]]. Compiles nothing. */
object MatchRecognizeStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case m: MatchRecognize if !m.isStreaming =>
      MatchRecognizeExec(
        m.partitionSpec,
        m.orderSpec,
        m.measures,
        m.measureOutput,
        ClauseOptions(m.rowsPerMatch, m.afterMatchSkip, m.pattern, m.subsets),
        m.definedVariables,
        m.conditions,
        m.within,
        m.output,
        planLater(m.child)
      ) :: Nil
    case _ => Nil
  }
}
