package io.matchrecognize.matcher.search

import io.matchrecognize.matcher.MatchSummary

/** What a search has found last. Rows are numbered within the partition. */
trait SearchResult {

  /** `MatchSearch.Match`, `Unmatched` or `TimedOut`. */
  def kind: Int

  /** First row of the match or of the path that timed out; the unmatched row. */
  def start: Long

  /** Rows of the match or of the path that timed out, 0 if empty or unmatched. */
  def length: Long

  /** Number of the match, from 1. */
  def matchNumber: Long

  /** The number that the running attempt gets if it matches: MATCH_NUMBER() in DEFINE. */
  def currentMatchNumber: Long

  /** See `Matcher.summary`. */
  def summary: MatchSummary

  /** Symbol of a row of the match or of the path that timed out; the first row has offset 0. */
  def symbolAt(offset: Long): Int

  /** Whether a row of the match is hidden by an exclusion. */
  def excludedAt(offset: Long): Boolean
}
