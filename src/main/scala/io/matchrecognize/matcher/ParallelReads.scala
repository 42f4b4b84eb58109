package io.matchrecognize.matcher

/** Threads that read the rows of one partition at the same time. */
trait ParallelReads {

  /** What each of the threads asks; the answers are those of the partition's own input. */
  def inputs: IndexedSeq[MatchInput]

  /**
   * Calls `read` with the index of each input, each in a thread of its own, and returns when all of
   * them have ended; raises the first failure.
   */
  def run(read: Int => Unit): Unit
}
