package io.matchrecognize.shims

import org.apache.spark.sql.execution.streaming

/** Spark's classes for stateful operators, which are in other packages since Spark 4.1. */
object Stateful {
  type FlatMapGroupsWithStateExec = streaming.FlatMapGroupsWithStateExec
  type EventTimeWatermarkExec = streaming.EventTimeWatermarkExec
  type StatefulOperatorStateInfo = streaming.StatefulOperatorStateInfo
  type StatefulOperatorCustomMetric = streaming.StatefulOperatorCustomMetric

  val StatefulOperatorCustomSumMetric = streaming.StatefulOperatorCustomSumMetric
  val StatefulOperatorPartitioning = streaming.StatefulOperatorPartitioning
  val CheckpointFileManager = streaming.CheckpointFileManager
}
