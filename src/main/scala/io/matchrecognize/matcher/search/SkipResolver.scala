package io.matchrecognize.matcher.search

import io.matchrecognize.matcher.{Matcher, SkipStrategy, SkipToFirstRow, SkipToMissingRow}

/**
 * AFTER MATCH SKIP: the row at which the search resumes after a match. An empty match resumes at
 * the next row whatever AFTER MATCH SKIP says.
 *
 * @param summaryTarget
 *   `SummaryPlan.skipTarget` of the matcher's summaries
 */
private[matcher] final class SkipResolver(
    skip: SkipStrategy,
    matcher: Matcher,
    summaryTarget: Int
) {
  private val targets: Array[Boolean] = {
    val symbols = skip match {
      case SkipStrategy.ToFirst(set) => set.members
      case SkipStrategy.ToLast(set) => set.members
      case SkipStrategy.PastLastRow | SkipStrategy.ToNextRow => Set.empty[Int]
    }
    matcher.automaton.symbols.indices.map(symbols.contains).toArray
  }

  /** The next start row after the match that the matcher has found at `start`. */
  def after(start: Long): Long = {
    val length = matcher.length
    if (length == 0) start + 1
    else
      skip match {
        case SkipStrategy.PastLastRow => start + length
        case SkipStrategy.ToNextRow => start + 1
        case _ if matcher.summary != null => target(start, summarisedOffset(start))
        case SkipStrategy.ToFirst(_) => target(start, firstOffset(length))
        case SkipStrategy.ToLast(_) => target(start, lastOffset(length))
      }
  }

  private def target(start: Long, offset: Long): Long =
    if (offset < 0) throw new SkipToMissingRow(start)
    else if (offset == 0) throw new SkipToFirstRow(start)
    else start + offset

  private def summarisedOffset(start: Long): Long = {
    val row = matcher.summary.row(summaryTarget)
    if (row < 0) -1 else row - start
  }

  /** Offset of the first row of the skip's symbols, -1 if there is none. */
  private def firstOffset(length: Long): Long = {
    var offset = 0L
    while (offset < length && !targets(matcher.symbolAt(offset))) offset += 1
    if (offset < length) offset else -1
  }

  private def lastOffset(length: Long): Long = {
    var offset = length - 1
    while (offset >= 0 && !targets(matcher.symbolAt(offset))) offset -= 1
    offset
  }
}
