package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher._

/**
 * Tests conditions and enforces the step limit: one evaluation is one step. A condition that does
 * not depend on the path is evaluated once per fed row, however many threads try it.
 *
 * @param anchors
 *   answers all conditions that are not row-local; null if some of them depend on the path
 */
private[threads] final class ConditionTests(
    symbols: Int,
    input: MatchInput,
    anchors: AnchoredInput,
    maxSteps: Long
) {
  private val always = Array.tabulate(symbols)(input.alwaysTrue)

  /** For each symbol whether its condition reads more than the tested row and its neighbours. */
  val readsMatch: Array[Boolean] =
    Array.tabulate(symbols)(symbol => !always(symbol) && !input.rowLocal(symbol))

  private val byThread = anchors == null

  // The fed row for which the condition was last asked, and its truth.
  private val lastAsked = new Array[Long](symbols)
  private val localTruths = new Array[Int](symbols)
  private var stepCount = 0L
  private var start = 0L

  /** Counts edges tried and attempts begun, among other things. */
  val work = new WorkMeter(input.checkCancelled _)

  /** Steps of this attempt. */
  def steps: Long = stepCount

  def beginAttempt(from: Long): Unit = {
    start = from
    restore(0)
  }

  /** Resumes an attempt that has taken `steps`. */
  def restore(steps: Long): Unit = {
    stepCount = steps
    work.add(1)
  }

  /** Whether a condition is tested for each thread. */
  def isOnPath(symbol: Int): Boolean = byThread && readsMatch(symbol)

  /** Truth of another condition; `fedRow` counts the rows fed so far. */
  def testRow(symbol: Int, row: Long, fedRow: Long): Int =
    if (always(symbol)) Truth.True
    else {
      if (lastAsked(symbol) != fedRow) {
        count()
        localTruths(symbol) =
          if (readsMatch(symbol)) anchors.testAnchored(symbol, start, row)
          else input.testInFrame(symbol, row)
        lastAsked(symbol) = fedRow
      }
      localTruths(symbol)
    }

  def testPath(symbol: Int, path: Path): Int = {
    count()
    input.testPath(symbol, path)
  }

  /**
   * A row after `row`, at most `limit`, before which all conditions asked for the fed row have
   * their truths.
   */
  def steadyEnd(row: Long, fedRow: Long, limit: Long): Long = {
    var end = limit
    var symbol = 0
    while (symbol < symbols && end > row + 1) {
      if (lastAsked(symbol) == fedRow) {
        val isTrue = localTruths(symbol) == Truth.True
        end = end.min(anchors.steadyEnd(symbol, isTrue, start, row, end))
      }
      symbol += 1
    }
    end
  }

  private def count(): Unit = {
    stepCount += 1
    if (maxSteps > 0 && stepCount > maxSteps) throw new StepLimitExceeded(maxSteps)
  }
}
