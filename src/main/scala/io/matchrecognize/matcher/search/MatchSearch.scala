package io.matchrecognize.matcher.search

import io.matchrecognize.matcher.{MatchSummary, MatchWindow, Matcher, SkipStrategy}

/**
 * The search through one partition: tries the start rows in order, as AFTER MATCH SKIP says, and
 * yields what it finds one by one. Nothing is searched before it is asked for, so that a LIMIT
 * stops the search.
 *
 *   - A match, empty ones too, has the next match number. After an empty match the search resumes
 *     at the next row whatever AFTER MATCH SKIP says.
 *   - An unmatched row starts no match, not even an empty one, and lies in no match.
 *   - A start row times out if no path matches inside its window and some path could have mapped
 *     another row. It takes no number, and the search resumes at the next row.
 *
 * Where to resume is computed when the next result is asked for, so the errors of AFTER MATCH SKIP
 * come after the match that they belong to.
 *
 * @param rowCount
 *   rows in the partition
 * @param window
 *   None without WITHIN
 * @param unmatchedRows
 *   whether to yield unmatched rows (ALL ROWS PER MATCH WITH UNMATCHED ROWS)
 * @param summaryTarget
 *   `SummaryPlan.skipTarget` of the matcher's summaries
 */
final class MatchSearch(
    rowCount: Long,
    matcher: Matcher,
    skip: SkipStrategy,
    window: Option[MatchWindow],
    unmatchedRows: Boolean,
    summaryTarget: Int = -1
) extends SearchResult {
  import MatchSearch._

  private val windowEnd: MatchWindow = window.orNull
  private val resumption = new SkipResolver(skip, matcher, summaryTarget)
  private var nextStart = 0L
  private var matches = 0L
  // The first row after all matches so far.
  private var covered = 0L
  private var resultKind = NoResult
  private var resultStart = 0L

  matcher.beginPartition(rowCount)

  /** Moves to the next result; false if there is none. */
  def advance(): Boolean = {
    if (resultKind == Match) nextStart = resumption.after(resultStart)
    resultKind = NoResult
    while (resultKind == NoResult && nextStart < rowCount) {
      resultStart = nextStart
      attempt(resultStart)
      if (matcher.matched) {
        resultKind = Match
        matches += 1
        covered = covered.max(resultStart + matcher.length)
      } else {
        nextStart = resultStart + 1
        if (matcher.timedOut) resultKind = TimedOut
        else if (unmatchedRows && resultStart >= covered) resultKind = Unmatched
      }
    }
    resultKind != NoResult
  }

  override def kind: Int = resultKind

  override def start: Long = resultStart

  override def length: Long = matcher.length

  override def matchNumber: Long = matches

  override def currentMatchNumber: Long = matches + 1

  override def summary: MatchSummary = matcher.summary

  override def symbolAt(offset: Long): Int = matcher.symbolAt(offset)

  override def excludedAt(offset: Long): Boolean =
    matcher.automaton.excluded(matcher.positionAt(offset))

  private def attempt(start: Long): Unit =
    matcher.attempt(
      start,
      if (windowEnd == null) rowCount else windowEnd.end(start).min(rowCount)
    )
}

object MatchSearch {
  private final val NoResult = 0
  final val Match = 1
  final val Unmatched = 2
  final val TimedOut = 3
}
