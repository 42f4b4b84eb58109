package io.matchrecognize.matcher.liveness

import java.util.Arrays

/**
 * Memoises, across the attempts of one partition, pairs of row and position from which no match can
 * be reached. Only positions whose future depends on nothing but the following rows are memoised: a
 * pair that one failed attempt visited then fails for every later attempt. So a failing `A+ B+ C+
 * E` costs each row a few visits, not one per start row.
 *
 * Short attempts are not worth memoising: an attempt is recorded from row
 * `MatcherTuning.firstRemembered` on. Memory is bounded: only the beginning of a very long attempt
 * is recorded, the part that the next start rows meet.
 *
 * @param positions
 *   how many positions can be memoised; they are numbered by `RegisterLayout.memo`
 */
private[matcher] final class FailureMemo(positions: Int) {
  import FailureMemo._

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
  def reset(): Unit = clear(0)

  def visit(row: Long, memo: Int): Unit = if (visited < MaxVisits) {
    if (visited == visits.length) visits = Arrays.copyOf(visits, (visited * 2).max(256))
    visits(visited) = row * positions + memo
    visited += 1
  }

  /** Memoises the pairs that the attempt visited; it has failed. */
  def record(): Unit = {
    // Rows before the start of an attempt are never fed again.
    if (visited > 0 && visits(visited - 1) - base * positions >= MaxWords * 64L) clear(lastStart)
    var i = 0
    while (i < visited) {
      val bit = visits(i) - base * positions
      if (bit < MaxWords * 64L) {
        val word = (bit >>> 6).toInt
        if (word >= bits.length) {
          bits = Arrays.copyOf(bits, (word + 1).max((bits.length * 2).min(MaxWords)))
        }
        bits(word) |= 1L << bit
        usedWords = usedWords.max(word + 1)
      }
      i += 1
    }
  }

  def nonEmpty: Boolean = usedWords > 0

  def contains(row: Long, memo: Int): Boolean = {
    val bit = (row - base) * positions + memo
    val word = bit >>> 6
    word < usedWords && (bits(word.toInt) & (1L << bit)) != 0
  }

  private def clear(start: Long): Unit = {
    Arrays.fill(bits, 0, usedWords, 0L)
    usedWords = 0
    base = start
  }
}

private[matcher] object FailureMemo {
  private final val MaxVisits = 1 << 20
  private final val MaxWords = 1 << 20
}
