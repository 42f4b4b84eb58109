package io.matchrecognize.matcher.liveness

import java.util.Arrays

import io.matchrecognize.matcher.SpareMemory

/**
 * Memoises, across the attempts of one partition, pairs of row and state from which no match can be
 * reached. Only states whose future depends on nothing but the following rows are memoised: a pair
 * that one failed attempt visited then fails for every later attempt. So a failing `A+ B+ C+ E`
 * costs each row a few visits, not one per start row.
 *
 * Short attempts are not worth memoising: an attempt is recorded from row
 * `MatcherTuning.firstRemembered` on. Memory is bounded, by 16 MiB and by what the task has: only
 * the beginning of a very long attempt is recorded, the part that the next start rows meet.
 *
 * @param states
 *   how many states can be memoised; they are numbered by `RegisterLayout.memo`
 */
private[matcher] final class FailureMemo(states: Int, memory: SpareMemory) {
  private var visits = new Array[Long](0)
  private var visited = 0
  private var bits = new Array[Long](0)
  private var usedWords = 0
  private var base = 0L
  private var lastStart = -1L

  /** Begins an attempt, after the last one unless it is in another partition. */
  def begin(start: Long): Unit = {
    visited = 0
    if (start <= lastStart) clear(start)
    lastStart = start
  }

  /** Forgets the partition. */
  def reset(): Unit = {
    clear(0)
    memory.retry()
  }

  def visit(row: Long, memo: Int): Unit = if (visited < visits.length || growVisits()) {
    visits(visited) = row * states + memo
    visited += 1
  }

  private def growVisits(): Boolean = {
    val larger = (visited * 2).max(32)
    val hasRoom = larger <= MaxVisits && memory.take((larger - visited) * 8L)
    if (hasRoom) visits = Arrays.copyOf(visits, larger)
    hasRoom
  }

  /** Memoises the pairs that the attempt visited; it has failed. */
  def record(): Unit = {
    // Rows before the start of an attempt are never fed again.
    if (visited > 0 && visits(visited - 1) - base * states >= MaxWords * 64L) clear(lastStart)
    var i = 0
    while (i < visited) {
      val bit = visits(i) - base * states
      val word = bit >>> 6
      if (word < bits.length || growBits(word)) {
        bits(word.toInt) |= 1L << bit
        usedWords = usedWords.max(word.toInt + 1)
      }
      i += 1
    }
  }

  private def growBits(word: Long): Boolean = word < MaxWords && {
    val larger = (word.toInt + 1).max((bits.length * 2).min(MaxWords))
    val hasRoom = memory.take((larger - bits.length) * 8L)
    if (hasRoom) bits = Arrays.copyOf(bits, larger)
    hasRoom
  }

  def nonEmpty: Boolean = usedWords > 0

  def contains(row: Long, memo: Int): Boolean = {
    val bit = (row - base) * states + memo
    val word = bit >>> 6
    word < usedWords && (bits(word.toInt) & (1L << bit)) != 0
  }

  private def clear(start: Long): Unit = {
    Arrays.fill(bits, 0, usedWords, 0L)
    usedWords = 0
    base = start
  }

  private final val MaxVisits = 1 << 20
  private final val MaxWords = 1 << 20
}
