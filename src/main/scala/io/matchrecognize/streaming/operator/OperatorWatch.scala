package io.matchrecognize.streaming.operator

import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import io.matchrecognize.streaming.task.StreamMetrics

/** Reports an operator's metrics after a micro-batch to the [[WatermarkWatch]]. */
object OperatorWatch {

  /** @return the micro-batches with rows since the operator's watermark has moved */
  def note(operator: StreamMatchRecognizeExec): Long = {
    val info = operator.getStateInfo
    WatermarkWatch.note(
      info.queryRunId,
      info.operatorId,
      WatermarkWatch.Observation(
        info.storeVersion,
        operator.batch.evictionMs.getOrElse(0L),
        operator.longMetric(StreamMetrics.ReceivedRows).value,
        operator.longMetric(StreamMetrics.PendingRows).value,
        operator.child.exists(_.isInstanceOf[ReusedExchangeExec])
      )
    )
  }
}
