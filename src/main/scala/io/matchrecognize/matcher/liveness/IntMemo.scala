package io.matchrecognize.matcher.liveness

import java.util.Arrays

import io.matchrecognize.matcher.SpareMemory

/** Computed numbers by their indices, a lossy cache: what has no room in it is computed again. */
private[liveness] final class IntMemo(memory: SpareMemory) {
  import IntMemo._

  private var numbers = new Array[Int](0)

  /** The array that the numbers are in now, for loops. */
  def array: Array[Int] = numbers

  def apply(index: Long): Int =
    if (index < numbers.length) numbers(index.toInt) else Unknown

  def update(index: Long, number: Int): Unit =
    if (index < numbers.length || grow(index)) numbers(index.toInt) = number

  private def grow(index: Long): Boolean = index < MaxLength && {
    val length = numbers.length
    val larger = (index.toInt + 1).max(length * 2).max(FirstLength)
    val hasRoom = memory.take((larger - length) * 4L)
    if (hasRoom) {
      numbers = Arrays.copyOf(numbers, larger)
      Arrays.fill(numbers, length, larger, Unknown)
    }
    hasRoom
  }

  def clear(): Unit = Arrays.fill(numbers, Unknown)
}

private[liveness] object IntMemo {

  /** Not computed yet; no state and no target has this number. */
  final val Unknown = -4

  private final val FirstLength = 1 << 11
  private final val MaxLength = 1 << 18
}
