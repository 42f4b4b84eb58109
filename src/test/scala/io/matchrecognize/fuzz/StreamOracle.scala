package io.matchrecognize.fuzz

import io.matchrecognize.fuzz.StreamOracle._
import io.matchrecognize.matcher.BruteForceOracle._

/**
 * What a stream must have emitted for one partition: the output rows that no later row can change.
 *
 * Start rows are tried in order, as on a table. Each attempt walks its paths over the known rows,
 * most preferred first, and the first of these decides: an accepting path is the match; a path that
 * has used all rows and may map one more, inside WITHIN, makes the attempt and everything after it
 * wait; without either there is no match. A NEXT that reads a missing row waits as well, in a
 * condition and in a measure. Waiting for rows inside WITHIN, or before a deadline, ends once a row
 * beyond it is known, or the watermark has passed its end. A path may map one more row only if a
 * row after the watermark can be within the bounds on its time that the condition has.
 *
 * @param eager
 *   whether a NEXT waits for its row even if that row's values do not matter
 */
final class StreamOracle(query: FuzzQuery, budget: Int, eager: Boolean) {

  // A path that times out may go on after it.
  private val deadline = if (query.showsTimeouts) None else FuzzDeadline.of(query)

  private def deadlineEnd(rows: IndexedSeq[FuzzRow], start: Int): Int = deadline.fold(rows.size) {
    bound =>
      val end = rows.indexWhere(_.t > rows(start).t + bound, start + 1)
      if (end < 0) rows.size else end
  }

  /**
   * @param rows
   *   the partition so far, in order; no further row at or before `watermark` will arrive
   */
  def decided(rows: IndexedSeq[FuzzRow], watermark: Long): Decided = {
    val oracle = new PartitionOracle(query, rows, budget, open = true, eager = eager)
    val search = oracle.search
    val output = Vector.newBuilder[Seq[Any]]
    val isUnmatchedShown = query.rowsPerMatch.endsWith("WITH UNMATCHED ROWS")
    var start = 0
    var number = 1L
    // Rows before it belong to a match that was found.
    var covered = 0

    def attempt(): Option[Attempt] = {
      val end = query.windowEnd(rows, start).min(deadlineEnd(rows, start))
      val isClosed = end < rows.size ||
        query.within.exists(bound => watermark.toDouble >= rows(start).t + bound) ||
        deadline.exists(bound => watermark >= rows(start).t + bound)
      if (isClosed) Some(search.attempt(start, end, number))
      else {
        val time = rows.last.t.max(watermark + 1)
        val next = rows :+ rows.last.copy(t = time)
        def canFollow(labels: Vector[String]): Boolean = {
          val values =
            new ExpressionOracle(next, start, labels, next.size - 1, number, query.members)
          query.conditions.toMap.get(labels.last).forall { condition =>
            FuzzDeadline.bounds(condition).forall(values.isTrue)
          }
        }
        search.openAttempt(start, number, canFollow) match {
          case Some(Nothing) if query.showsTimeouts => search.openAttempt(start, number)
          case decided => decided
        }
      }
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

  /** The reason why the search stopped. */
  sealed trait End
  case object Waiting extends End

  /** All start rows so far are decided. */
  case object Searched extends End

  /** The query fails with this error condition. */
  final case class Raised(condition: String) extends End
  case object TooExpensive extends End

  final case class Decided(rows: Vector[Seq[Any]], end: End)
}
