package io.matchrecognize.matcher

/**
 * What one attempt may cost.
 *
 * @param maxSteps
 *   steps (evaluations of conditions), 0 for no limit
 * @param maxPathBytes
 *   memory of the open paths and their registers, 0 for no limit
 * @param maxMillis
 *   time of all attempts in a partition, 0 for no limit
 */
final case class SearchBudget(maxSteps: Long = 0, maxPathBytes: Long = 0, maxMillis: Long = 0)

/**
 * Sizes that change what a matcher costs, never what it finds; tests make them small.
 *
 * @param firstNodes
 *   arena nodes before the first compaction
 * @param firstRemembered
 *   rows at the beginning of an attempt that `FailureMemo` and `FailedStates` do not record
 * @param firstWaste
 *   rows fed to failed attempts before `LivenessPruner` looks ahead, and steps of such attempts
 *   before `FailedStates` begins
 */
final case class MatcherTuning(
    firstNodes: Int = 2048,
    firstRemembered: Int = 16,
    firstWaste: Long = 4096
)

/** An error of the search itself; the caller, which knows the query, reports it to the user. */
sealed abstract class MatcherException(message: String) extends RuntimeException(message)

/** One attempt evaluated more conditions than `SearchBudget.maxSteps`. */
final class StepLimitExceeded(val limit: Long)
    extends MatcherException(s"A match attempt took more than $limit steps.")

/** The search of a partition took longer than `SearchBudget.maxMillis`. */
final class TimeLimitExceeded(val limit: Long)
    extends MatcherException(s"A search took longer than $limit ms.")

/** The open paths of one attempt need more memory than `SearchBudget.maxPathBytes`. */
final class PathMemoryExceeded(val limit: Long)
    extends MatcherException(s"The paths of a match attempt need more than $limit bytes.")

/** AFTER MATCH SKIP would resume at the first row of the match that it skips from. */
final class SkipToFirstRow(val matchStart: Long)
    extends MatcherException(
      s"AFTER MATCH SKIP leads to the first row of the match that starts at row $matchStart."
    )

/** The match has no row of the variable that AFTER MATCH SKIP names. */
final class SkipToMissingRow(val matchStart: Long)
    extends MatcherException(
      s"AFTER MATCH SKIP finds no row to skip to in the match that starts at row $matchStart."
    )

/**
 * Adds up the bytes of the arrays that a matcher has grown; they stay allocated between attempts.
 *
 * @param reserve
 *   asks the caller of the matcher for memory; raises if there is none
 */
private[matcher] final class MemoryAccount(limit: Long, reserve: Long => Unit) {
  private var bytes = 0L

  /** Call before allocating; `change` is the new size less the old one. */
  def charge(change: Long): Unit = {
    if (limit > 0 && bytes + change > limit) throw new PathMemoryExceeded(limit)
    reserve(change)
    bytes += change
  }

  /** The capacity to grow an array to, at least `needed` elements. */
  def grown(capacity: Int, needed: Int): Int = {
    if (needed < 0 || needed > MemoryAccount.MaxArray) throw new PathMemoryExceeded(limit)
    (capacity.toLong * 2).max(needed.toLong).min(MemoryAccount.MaxArray.toLong).toInt
  }
}

private[matcher] object MemoryAccount {
  final val MaxArray = Int.MaxValue - 16
}

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
