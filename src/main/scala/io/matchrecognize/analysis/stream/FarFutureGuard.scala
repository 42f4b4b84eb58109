package io.matchrecognize.analysis.stream

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
 */
object FarFutureGuard {
  def insert(input: LogicalPlan): LogicalPlan = {
    val conf = SQLConf.get
    conf.getConf(MatchRecognizeConf.MaxTimeAhead) match {
      case None => input
      case Some(limit) =>
        val interval = IntervalUtils.fromIntervalString(limit)
        val micros = IntervalUtils.getDuration(interval, java.util.concurrent.TimeUnit.MICROSECONDS)
        val drop = conf.getConf(MatchRecognizeConf.RowsTooFarAhead) == "drop"
        AnalysisHelper.allowInvokingTransformsInAnalyzer {
          input.transformUp { case watermark: EventTimeWatermark =>
            guarded(watermark, micros, drop)
          }
        }
    }
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
