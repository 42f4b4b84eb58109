package io.matchrecognize.streaming.state

/** What the queues of a store need from their task. */
trait StateResources {

  /** Counts memory that is not the store's. */
  def keep(bytes: Long): Unit

  /** Returns what `keep` has counted. */
  def drop(bytes: Long): Unit

  /** Ends the task if it was killed. */
  def checkCancelled(): Unit
}
