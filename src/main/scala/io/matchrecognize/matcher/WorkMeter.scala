package io.matchrecognize.matcher

/**
 * Looks regularly whether the task was cancelled: loops that may be long report their work here.
 *
 * A unit of work is one evaluation of a condition, or something cheaper. Evaluations may be slow,
 * so there are few of them between two looks; a look itself costs as much as a few cheap units.
 *
 * @param checkCancelled
 *   raises if the task was cancelled
 */
final class WorkMeter(checkCancelled: () => Unit) {
  private var sinceCheck = 0L

  def add(amount: Long): Unit = {
    sinceCheck += amount
    if (sinceCheck >= WorkMeter.BetweenChecks) {
      sinceCheck = 0
      checkCancelled()
    }
  }
}

object WorkMeter {

  /** Units of work between two looks. */
  final val BetweenChecks = 256L
}
