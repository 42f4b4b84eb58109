package io.matchrecognize.streaming.operator

import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo

/** What Spark's planning of a micro-batch tells a stateful operator. */
final case class StreamBatch(
    stateInfo: Option[StatefulOperatorStateInfo],
    timestampMs: Option[Long],
    lateMs: Option[Long],
    evictionMs: Option[Long]
)
