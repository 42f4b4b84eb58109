package io.matchrecognize.streaming.task

import org.apache.spark.sql.matchrecognize.TaskResources

/**
 * What a task of a stream and all that it consists of have in common.
 *
 * @param commit
 *   called once, after all state is written
 */
final class StreamParts(
    val program: StreamProgram,
    val resources: TaskResources,
    val partitionIndex: Int,
    val metrics: StreamMetrics,
    val commit: () => Unit
)
