package io.matchrecognize.streaming.state

/** What the queues of a store need from their task. */
trait StateResources {

  /** Counts memory that is not the store's. */
  def keep(bytes: Long): Unit

  /** The same for what can be done without; false if there is none. */
  def tryKeep(bytes: Long): Boolean

  /** Returns what `keep` has counted. */
  def drop(bytes: Long): Unit

  /** Ends the task if it was killed. */
  def checkCancelled(): Unit
}
