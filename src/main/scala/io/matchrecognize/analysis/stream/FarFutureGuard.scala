package io.matchrecognize.analysis.stream

import java.util.{Collections, IdentityHashMap}

import org.apache.spark.sql.catalyst.expressions.{CurrentTimestamp, LocalTimestamp}
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{TimestampNTZType, TimestampType}

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.plans.EventTimeGuard

/**
 * Puts an [[EventTimeGuard]] below every watermark that a clause reads, if the conf sets a limit.
 * The operator itself would be too late: the watermark sees a row first.
 *
 * A watermark may be in a query of WITH, which other parts of the statement may read too: they do
 * not get the row either.
 */
object FarFutureGuard {

  /** @param plan of the whole statement */
  def insert(plan: LogicalPlan): LogicalPlan = {
    val conf = SQLConf.get
    conf.getConf(MatchRecognizeConf.MaxTimeAhead) match {
      case None => plan
      case Some(limit) =>
        val interval = IntervalUtils.fromIntervalString(limit)
        val micros = IntervalUtils.getDuration(interval, java.util.concurrent.TimeUnit.MICROSECONDS)
        val drop = conf.getConf(MatchRecognizeConf.RowsTooFarAhead) == "drop"
        AnalysisHelper.allowInvokingTransformsInAnalyzer {
          val read = below(plan)
          plan.transformDown {
            case watermark: EventTimeWatermark if read.contains(watermark) =>
              guarded(watermark, micros, drop)
          }
        }
    }
  }

  /** What is below clauses, by identity. */
  private def below(plan: LogicalPlan): java.util.Set[LogicalPlan] = {
    val queries = new WithQueries(plan)
    val known = Collections.newSetFromMap(new IdentityHashMap[LogicalPlan, java.lang.Boolean])
    def visit(node: LogicalPlan): Unit =
      if (node.isStreaming && known.add(node)) queries.below(node).foreach(visit)
    plan.foreach(node => if (StreamPlans.isClause(node)) node.children.foreach(visit))
    known
  }

  private def guarded(watermark: EventTimeWatermark, micros: Long, drop: Boolean): LogicalPlan = {
    val time = watermark.eventTime
    val now = time.dataType match {
      case TimestampType => Some(CurrentTimestamp())
      case TimestampNTZType =>
        Some(LocalTimestamp(Some(SQLConf.get.sessionLocalTimeZone)))
      case _ => None
    }
    watermark.child match {
      case _: EventTimeGuard => watermark
      case child =>
        now.fold[LogicalPlan](watermark) { clock =>
          watermark.withNewChildren(Seq(EventTimeGuard(time, clock, micros, drop, child)))
        }
    }
  }
}
