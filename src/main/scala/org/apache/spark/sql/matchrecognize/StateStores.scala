package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.state.StateStoreCoordinatorRef

object StateStores {

  /** Knows on which executors the state stores of a session's queries are. */
  def coordinator(session: SparkSession): StateStoreCoordinatorRef =
    session.streams.stateStoreCoordinator
}
