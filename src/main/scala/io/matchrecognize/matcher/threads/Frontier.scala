package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher.{Path, StreamLimit}
import io.matchrecognize.pattern.Automaton

/**
 * How long the threads of an open attempt can wait for their next row: up to the latest of the
 * times that the conditions of the variables allow which a thread can map the row to. After that
 * time it is as if a row had come that satisfies none of them.
 */
private[matcher] final class Frontier(automaton: Automaton, limit: StreamLimit) {
  private var isAccepted = false

  /** Whether the attempt has a match if no row comes; unless the last time was `Long.MaxValue`. */
  def accepts: Boolean = isAccepted

  /**
   * @param states
   *   of the threads, most preferred first
   * @param paths
   *   null if no condition reads more than the row and its neighbours
   */
  def lastTime(states: Array[Int], threads: Int, start: Long, paths: NextPaths): Long = {
    var latest = Long.MinValue
    var thread = 0
    isAccepted = false
    while (thread < threads && !isAccepted && latest < Long.MaxValue) {
      var edge = automaton.firstEdge(states(thread))
      val end = automaton.endEdge(states(thread))
      while (edge < end && !isAccepted && latest < Long.MaxValue) {
        val target = automaton.target(edge)
        if (target == Automaton.Accept) isAccepted = automaton.guard(edge) == Automaton.Always
        else if (automaton.firstEdge(target) < automaton.endEdge(target)) {
          val path = if (paths == null) null else paths.next(thread, target)
          latest = latest.max(limit.lastTimeOf(automaton.symbolOf(target), start, path))
        }
        edge += 1
      }
      thread += 1
    }
    latest
  }
}

private[threads] trait NextPaths {

  /** The path of a thread with one more row, at a position. */
  def next(thread: Int, position: Int): Path
}
