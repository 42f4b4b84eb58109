package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher.{MatchInput, Path, StepLimitExceeded, Truth}

/**
 * Asks the caller for the truth of conditions and counts what that costs: evaluations against the
 * step limit, work of any kind against the next check whether the task was cancelled. A row-local
 * condition is asked once per row, however many threads try it.
 */
private[matcher] final class ConditionCounter(symbols: Int, input: MatchInput, maxSteps: Long) {
  import ConditionCounter._

  private val always = Array.tabulate(symbols)(input.alwaysTrue)

  /** For each symbol whether its condition is tested on the path. */
  val onPath: Array[Boolean] =
    Array.tabulate(symbols)(symbol => !always(symbol) && !input.rowLocal(symbol))

  // The step in which a local condition was last asked, and its answer.
  private val localSteps = new Array[Long](symbols)
  private val localTruths = new Array[Int](symbols)
  private var stepCount = 0L
  private var sinceCheck = 0

  /** Evaluations in this attempt. */
  def steps: Long = stepCount

  def beginAttempt(): Unit = restore(0)

  /** Goes on with an attempt that has spent `steps`. */
  def restore(steps: Long): Unit = {
    stepCount = steps
    work(1)
  }

  /** Truth of a condition that is not `onPath`; `step` numbers the row under test. */
  def testLocal(symbol: Int, row: Long, step: Long): Int =
    if (always(symbol)) Truth.True
    else {
      if (localSteps(symbol) != step) {
        count()
        localTruths(symbol) = input.testLocal(symbol, row)
        localSteps(symbol) = step
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

  private def count(): Unit = {
    stepCount += 1
    if (maxSteps > 0 && stepCount > maxSteps) throw new StepLimitExceeded(maxSteps)
  }
}

private[matcher] object ConditionCounter {

  /** Edges tried and attempts begun between two checks. */
  final val WorkBetweenChecks = 4096
}
