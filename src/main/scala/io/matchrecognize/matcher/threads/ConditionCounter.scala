package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher.{MatchInput, Path, StepLimitExceeded, Truth}

/**
 * Tests conditions and enforces the step limit: one evaluation is one step. Work of any kind counts
 * towards the next check for cancellation. A row-local condition is evaluated once per fed row,
 * however many threads try it.
 */
private[matcher] final class ConditionCounter(symbols: Int, input: MatchInput, maxSteps: Long) {
  import ConditionCounter._

  private val always = Array.tabulate(symbols)(input.alwaysTrue)

  /** For each symbol whether its condition is tested on the path. */
  val onPath: Array[Boolean] =
    Array.tabulate(symbols)(symbol => !always(symbol) && !input.rowLocal(symbol))

  // The fed row for which a local condition was last asked, and its truth.
  private val lastAsked = new Array[Long](symbols)
  private val localTruths = new Array[Int](symbols)
  private var stepCount = 0L
  private var sinceCheck = 0

  /** Steps of this attempt. */
  def steps: Long = stepCount

  def beginAttempt(): Unit = restore(0)

  /** Resumes an attempt that has taken `steps`. */
  def restore(steps: Long): Unit = {
    stepCount = steps
    work(1)
  }

  /** Truth of a condition that is not `onPath`; `fedRow` counts the rows fed so far. */
  def testLocal(symbol: Int, row: Long, fedRow: Long): Int =
    if (always(symbol)) Truth.True
    else {
      if (lastAsked(symbol) != fedRow) {
        count()
        localTruths(symbol) = input.testInFrame(symbol, row)
        lastAsked(symbol) = fedRow
      }
      localTruths(symbol)
    }

  def testPath(symbol: Int, path: Path): Int = {
    count()
    input.testPath(symbol, path)
  }

  def work(amount: Int): Unit = {
    sinceCheck += amount
    if (sinceCheck >= WorkBetweenChecks) {
      sinceCheck = 0
      input.checkCancelled()
    }
  }

  /** Counts a step that another one takes. */
  def count(): Unit = {
    stepCount += 1
    if (maxSteps > 0 && stepCount > maxSteps) throw new StepLimitExceeded(maxSteps)
  }
}

private[matcher] object ConditionCounter {

  /** Edges tried and attempts begun between two checks. */
  final val WorkBetweenChecks = 4096
}
