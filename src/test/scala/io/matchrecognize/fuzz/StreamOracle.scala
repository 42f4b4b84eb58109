package io.matchrecognize.fuzz

import io.matchrecognize.fuzz.StreamOracle._
import io.matchrecognize.matcher.BruteForceOracle._

/**
 * What a stream must have given of one partition: the output rows that no later row can change.
 *
 * Start rows are tried in order, as on a table. The attempt from one of them is walked most
 * preferred path first over the rows known, and what is met first decides: an accepting path is the
 * match; a path that has used all rows and may map one more, inside WITHIN, is worth waiting for,
 * and with it everything behind it; neither is no match. A NEXT that leads to a row not there waits
 * as well, in a condition and in a measure. Waiting for rows inside WITHIN is over once a row
 * beyond it is known, or the watermark has passed its end.
 *
 * @param eager
 *   whether a NEXT waits for its row even if that row's values cannot matter
 * @param lenient
 *   take a condition that fails for one that is not TRUE
 */
final class StreamOracle(
    query: FuzzQuery,
    budget: Int,
    eager: Boolean,
    lenient: Boolean = false
) {

  /**
   * @param rows
   *   the partition so far, in order; none at or before `watermark` is to come
   */
  def decided(rows: IndexedSeq[FuzzRow], watermark: Long): Decided = {
    val oracle =
      new PartitionOracle(query, rows, budget, open = true, eager = eager, lenient = lenient)
    val search = oracle.search
    val output = Vector.newBuilder[Seq[Any]]
    val isUnmatchedShown = query.rowsPerMatch.endsWith("WITH UNMATCHED ROWS")
    var start = 0
    var number = 1L
    // Rows before it are in a match that was found.
    var covered = 0

    def attempt(): Option[Attempt] = {
      val end = query.windowEnd(rows, start)
      val isClosed = end < rows.size ||
        query.within.exists(bound => watermark.toDouble >= rows(start).t + bound)
      if (isClosed) Some(search.attempt(start, end, number))
      else search.openAttempt(start, number)
    }

    def step(outcome: Attempt): Unit = outcome match {
      case Found(path) =>
        output ++= oracle.output(Event("match", start, path, number))
        covered = covered.max(start + path.size.max(1))
        number += 1
        start = search.resume(oracle.skip, start, path.map(_.label))
      case Waits(path) if query.showsTimeouts =>
        output ++= oracle.output(Event("timeout", start, path, 0))
        start += 1
      case _ =>
        if (isUnmatchedShown && start >= covered) output += oracle.unmatched(start)
        start += 1
    }

    def finish(): End = {
      var isWaiting = false
      while (start < rows.size && !isWaiting) attempt() match {
        case Some(outcome) => step(outcome)
        case None => isWaiting = true
      }
      if (isWaiting) Waiting else Searched
    }

    val end =
      try finish()
      catch {
        case RowMissing => Waiting
        case Failure(message) => Raised(ClauseOracle.condition(message))
        case SkipError(message) => Raised(ClauseOracle.condition(message))
        case BudgetSpent | _: StackOverflowError => TooExpensive
      }
    Decided(query.read(output.result()), end)
  }
}

object StreamOracle {

  /** What stopped the search. */
  sealed trait End
  case object Waiting extends End

  /** All start rows so far are done with. */
  case object Searched extends End

  /** The query fails with this error condition. */
  final case class Raised(condition: String) extends End
  case object TooExpensive extends End

  final case class Decided(rows: Vector[Seq[Any]], end: End)
}
