package io.matchrecognize.streaming.operator

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, Expression, Literal, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.execution.plan.PatternClauseExec

/** Runs [[io.matchrecognize.plans.EventTimeGuard]]. */
final case class EventTimeGuardExec(
    eventTime: Attribute,
    now: Expression,
    maxAheadMicros: Long,
    drop: Boolean,
    child: SparkPlan
) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override lazy val metrics: Map[String, SQLMetric] = Map(
    EventTimeGuardExec.Dropped ->
      SQLMetrics.createMetric(sparkContext, "rows dropped: event time too far in the future")
  )

  /** Rows dropped in this batch. */
  def droppedRows: Long = longMetric(EventTimeGuardExec.Dropped).value

  override protected def doExecute(): RDD[InternalRow] = {
    val ordinal = child.output.indexWhere(_.exprId == eventTime.exprId)
    val limit = now.eval(null).asInstanceOf[Long] + maxAheadMicros
    val dropped = longMetric(EventTimeGuardExec.Dropped)
    val (name, dataType, drops) = (eventTime.name, eventTime.dataType, drop)
    val zone = SQLConf.get.sessionLocalTimeZone
    val ahead = SQLConf.get.getConf(MatchRecognizeConf.MaxTimeAhead).getOrElse("")
    child.execute().mapPartitions { rows =>
      rows.filter { row =>
        val passes = row.isNullAt(ordinal) || row.getLong(ordinal) <= limit
        if (!passes && drops) dropped += 1
        else if (!passes) {
          val time = Cast(Literal(row.getLong(ordinal), dataType), StringType, Some(zone))
          throw RuntimeErrors.farFuture(name, time.eval(null).toString, ahead)
        }
        passes
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): EventTimeGuardExec =
    copy(child = newChild)
}

object EventTimeGuardExec {
  private final val Dropped = "numDroppedRows"

  /** The rows that the guards of a clause over `plan`, not of one below it, have dropped. */
  def droppedBelow(plan: SparkPlan): Long = plan match {
    case guard: EventTimeGuardExec => guard.droppedRows + droppedBelow(guard.child)
    case _: PatternClauseExec => 0L
    case other => other.children.map(droppedBelow).sum
  }
}
