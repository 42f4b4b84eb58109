package io.matchrecognize.shims

import org.apache.spark.sql.execution.streaming

/** Spark's classes by which tests run a stream, which are in other packages since Spark 4.1. */
object StreamTesting {
  type MemoryStream[A] = streaming.MemoryStream[A]
  type StreamingQueryWrapper = streaming.StreamingQueryWrapper
  type StateStoreWriter = streaming.StateStoreWriter

  val MemoryStream = streaming.MemoryStream
}
