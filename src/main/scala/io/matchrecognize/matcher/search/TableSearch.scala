package io.matchrecognize.matcher.search

import io.matchrecognize.matcher.{AttemptLimit, Matcher, SymbolSet}
import io.matchrecognize.pattern.AfterMatchSkip

/** A search through a partition whose rows have all arrived. */
trait CompleteSearch {

  /** Moves to the next result; false if there is none. */
  def advance(): Boolean
}

/**
 * The search through one partition of a table.
 *
 * @param limit
 *   None without WITHIN
 */
final class TableSearch(
    rowCount: Long,
    matcher: Matcher,
    skip: AfterMatchSkip[SymbolSet],
    limit: Option[AttemptLimit],
    unmatchedRows: Boolean,
    summaryTarget: Int = -1
) extends Search(matcher, skip, unmatchedRows, summaryTarget)
    with CompleteSearch {
  private val limitOrNull: AttemptLimit = limit.orNull

  begin(rowCount, 0, 0, 0)

  override def advance(): Boolean = advanceTo(rowCount)

  override protected def attempt(rows: Long): Matcher.Outcome =
    matcher.attempt(
      nextStart,
      if (limitOrNull == null) rows else limitOrNull.end(nextStart).min(rows)
    )
}
