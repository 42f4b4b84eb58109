package io.matchrecognize.shims

import org.apache.spark.sql.execution.streaming.checkpointing
import org.apache.spark.sql.execution.streaming.operators.stateful
import org.apache.spark.sql.execution.streaming.operators.stateful.flatmapgroupswithstate

/** Spark's classes for stateful operators, which are in other packages since Spark 4.1. */
object Stateful {
  type FlatMapGroupsWithStateExec = flatmapgroupswithstate.FlatMapGroupsWithStateExec
  type EventTimeWatermarkExec = stateful.EventTimeWatermarkExec
  type StatefulOperatorStateInfo = stateful.StatefulOperatorStateInfo
  type StatefulOperatorCustomMetric = stateful.StatefulOperatorCustomMetric

  val StatefulOperatorCustomSumMetric = stateful.StatefulOperatorCustomSumMetric
  val StatefulOperatorPartitioning = stateful.StatefulOperatorPartitioning
  val CheckpointFileManager = checkpointing.CheckpointFileManager
}
