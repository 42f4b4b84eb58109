package io.matchrecognize.streaming.operator

import io.matchrecognize.shims.Stateful.StatefulOperatorStateInfo

/** What Spark's planning of a micro-batch tells a stateful operator. */
final case class StreamBatch(
    stateInfo: Option[StatefulOperatorStateInfo],
    timestampMs: Option[Long],
    lateMs: Option[Long],
    evictionMs: Option[Long]
)
