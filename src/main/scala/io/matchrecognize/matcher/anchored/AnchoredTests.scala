package io.matchrecognize.matcher.anchored

import io.matchrecognize.matcher.threads.ConditionCounter
import io.matchrecognize.matcher.{MatchInput, Truth}

/**
 * The truths of the conditions on one row of an attempt, each tested once, and up to which row they
 * stay valid.
 */
private[anchored] final class AnchoredTests(
    symbols: Int,
    input: MatchInput,
    anchors: AnchoredInput,
    maxSteps: Long
) {
  private val always = Array.tabulate(symbols)(input.alwaysTrue)
  private val counter = new ConditionCounter(symbols, input, maxSteps)
  private val truths = new Array[Int](symbols)
  // The row, counted in this task, for which the truth was asked.
  private val askedAt = new Array[Long](symbols)
  private val asked = new Array[Int](symbols)
  private var askedCount = 0
  private var count = 0L
  private var start = 0L
  private var row = 0L

  /** For each symbol whether its condition reads more than the tested row and its neighbours. */
  def onPath: Array[Boolean] = counter.onPath

  /** Conditions tested in this attempt. */
  def steps: Long = counter.steps

  def beginAttempt(from: Long): Unit = {
    start = from
    counter.beginAttempt()
  }

  def moveTo(next: Long): Unit = {
    row = next
    count += 1
    askedCount = 0
  }

  def work(amount: Int): Unit = counter.work.add(amount.toLong)

  /** Truth of a condition on the row moved to. */
  def truth(symbol: Int): Int =
    if (always(symbol)) Truth.True
    else {
      if (askedAt(symbol) != count) {
        askedAt(symbol) = count
        asked(askedCount) = symbol
        askedCount += 1
        truths(symbol) = if (onPath(symbol)) {
          counter.count()
          anchors.testAnchored(symbol, start, row)
        } else counter.testLocal(symbol, row, count)
      }
      truths(symbol)
    }

  /** A row after this one, at most `limit`, before which all conditions asked have their truths. */
  def steadyEnd(limit: Long): Long = {
    var end = limit
    var i = 0
    while (i < askedCount && end > row + 1) {
      val isTrue = truths(asked(i)) == Truth.True
      end = end.min(anchors.steadyEnd(asked(i), isTrue, start, row, end))
      i += 1
    }
    end
  }
}
