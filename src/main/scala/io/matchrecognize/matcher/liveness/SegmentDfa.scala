package io.matchrecognize.matcher.liveness

import java.util.Arrays

import io.matchrecognize.matcher.WorkMeter

/**
 * The reverse automaton of one of several threads, and the numbers that its states have in the
 * automaton that they share. The shared one is locked for a state that is new to the thread only.
 *
 * @param threads
 *   how many threads there are
 */
private[liveness] final class SegmentDfa(shared: ReverseDfa, threads: Int) {
  import SegmentDfa._

  val own: ReverseDfa = shared.another(threads)

  // By own states. Both automata have `End`.
  private var numbers = new Array[Int](FirstStates)
  Arrays.fill(numbers, Unknown)
  numbers(ReverseDfa.End) = ReverseDfa.End

  /** The shared number of a state of `own`, or `Overflow`. */
  def translate(state: Int): Int =
    if (state < 0) state
    else {
      if (state >= numbers.length) grow(state)
      if (numbers(state) == Unknown)
        numbers(state) = shared.synchronized(shared.numberOf(own.positionsOf(state)))
      numbers(state)
    }

  /** Replaces the first `count` states by their shared numbers. */
  def translate(states: Array[Char], count: Int): Unit = {
    var i = 0
    while (i < count) {
      states(i) = translate(states(i).toInt).toChar
      i += 1
    }
  }

  /** Maps each state of the segment to a shared number; false if there are too many of them. */
  def translateAll(work: WorkMeter): Boolean = (0 until own.size).forall { state =>
    work.add(own.positionsOf(state).length.toLong)
    translate(state) >= 0
  }

  private def grow(state: Int): Unit = {
    val length = numbers.length
    numbers = Arrays.copyOf(numbers, (state + 1).max(length * 2))
    Arrays.fill(numbers, length, numbers.length, Unknown)
  }
}

private object SegmentDfa {
  private final val FirstStates = 64
  private final val Unknown = -1
}
