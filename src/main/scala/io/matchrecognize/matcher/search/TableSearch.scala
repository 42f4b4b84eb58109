package io.matchrecognize.matcher.search

import io.matchrecognize.matcher.{MatchWindow, Matcher, SymbolSet}
import io.matchrecognize.pattern.AfterMatchSkip

/** A search through a partition whose rows have all arrived. */
trait CompleteSearch {

  /** Moves to the next result; false if there is none. */
  def advance(): Boolean
}

/**
 * The search through one partition of a table.
 *
 * @param window
 *   None without WITHIN
 */
final class TableSearch(
    rowCount: Long,
    matcher: Matcher,
    skip: AfterMatchSkip[SymbolSet],
    window: Option[MatchWindow],
    unmatchedRows: Boolean,
    summaryTarget: Int = -1
) extends Search(matcher, skip, unmatchedRows, summaryTarget)
    with CompleteSearch {
  private val windowEnd: MatchWindow = window.orNull

  begin(rowCount, 0, 0, 0)

  override def advance(): Boolean = advanceTo(rowCount)

  override protected def attempt(rows: Long): Matcher.Outcome =
    matcher.attempt(
      nextStart,
      if (windowEnd == null) rows else windowEnd.end(nextStart).min(rows)
    )
}
