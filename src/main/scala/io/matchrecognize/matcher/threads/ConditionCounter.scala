package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher.{MatchInput, Path, StepLimitExceeded, Truth, WorkMeter}

/**
 * Tests conditions and enforces the step limit: one evaluation is one step. A row-local condition
 * is evaluated once per fed row, however many threads try it.
 */
private[matcher] final class ConditionCounter(symbols: Int, input: MatchInput, maxSteps: Long) {
  private val always = Array.tabulate(symbols)(input.alwaysTrue)

  /** For each symbol whether its condition is tested on the path. */
  val onPath: Array[Boolean] =
    Array.tabulate(symbols)(symbol => !always(symbol) && !input.rowLocal(symbol))

  // The fed row for which a local condition was last asked, and its truth.
  private val lastAsked = new Array[Long](symbols)
  private val localTruths = new Array[Int](symbols)
  private var stepCount = 0L

  /** Counts edges tried and attempts begun, among other things. */
  val work = new WorkMeter(input.checkCancelled _)

  /** Steps of this attempt. */
  def steps: Long = stepCount

  def beginAttempt(): Unit = restore(0)

  /** Resumes an attempt that has taken `steps`. */
  def restore(steps: Long): Unit = {
    stepCount = steps
    work.add(1)
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

  /** Counts a step that another one takes. */
  def count(): Unit = {
    stepCount += 1
    if (maxSteps > 0 && stepCount > maxSteps) throw new StepLimitExceeded(maxSteps)
  }
}
