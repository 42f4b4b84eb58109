package io.matchrecognize.matcher

/**
 * Watches `PikeMatcher`, for a trace. A search without a probe has none of these calls in the loop
 * over its threads.
 *
 * Threads are numbered by preference. `feed` begins a row: the threads that `tried` kept on the row
 * before are now those that the row is tried on.
 */
trait SearchProbe {

  /** The next row is fed to the threads. */
  def feed(row: Long): Unit

  /**
   * A thread was extended by a row.
   *
   * @param thread
   *   its number
   * @param position
   *   the position of the automaton that the row was mapped to
   * @param path
   *   what the condition read, valid until the probe returns; null if the condition is row-local or
   *   was not tested
   */
  def tried(thread: Int, position: Int, row: Long, path: Path, fate: SearchProbe.Fate): Unit

  /**
   * A path of `length` rows can end the match: that of `thread`, one of `threads`; the less
   * preferred ones are dropped.
   */
  def completed(length: Long, thread: Int, threads: Int): Unit
}

object SearchProbe {

  /** What became of an extended thread. */
  sealed trait Fate

  /** The condition holds: the thread is the next one after this row. */
  case object Kept extends Fate

  /** The condition is not TRUE. */
  case object Refused extends Fate

  /** The condition holds, and a more preferred path has the same future. */
  case object Merged extends Fate

  /** Not tested: a more preferred path is at the position, and has the same future. */
  case object Taken extends Fate

  /** An earlier attempt found no match from here on; not tested unless that depends on the path. */
  case object Hopeless extends Fate

  /** The condition holds, and an anchor of the pattern can no longer hold. */
  case object Stuck extends Fate

  /** The evaluation of the condition failed. */
  case object Error extends Fate
}
