package io.matchrecognize.matcher.search

import io.matchrecognize.matcher.{MatchInput, Matcher, SymbolSet, WorkMeter}
import io.matchrecognize.pattern.AfterMatchSkip

/**
 * The search of a row pattern window (ISO/IEC 9075-2, feature R020): one result for each row of a
 * partition, in order. It is the match of the row, whose rows are the row's reduced frame, or
 * `Unmatched`: its reduced frame is empty.
 *
 *   - The frame of a row ends `rowsAfter` rows after it; a match, and what its conditions read, is
 *     inside the frame.
 *   - INITIAL: the match starts at the row. SEEK: at the first row of the frame where one starts.
 *   - A row that AFTER MATCH SKIP skips after an earlier row's match is not tried. TO NEXT ROW
 *     skips nothing, nor does an empty match.
 *
 * With SEEK, frames that end before the partition are searched row by row. All frames after them
 * end with it, and there the match that starts at a row is the same for all frames that contain the
 * row and what its conditions read before it. So each such start row is tried once, and its match
 * is kept while it is the first one; only the first `frameReach` rows of a frame are tried for each
 * frame, by `atEdge`.
 *
 * @param rowsAfter
 *   `Long.MaxValue` if frames end with the partition
 * @param atEdge
 *   an engine of its own, so that the kept match stays
 */
final class FrameSearch(
    rowCount: Long,
    matcher: Matcher,
    atEdge: => Matcher,
    input: MatchInput,
    skip: AfterMatchSkip[SymbolSet],
    isSeek: Boolean,
    rowsAfter: Long,
    summaryTarget: Int = -1
) extends Search(matcher, skip, true, summaryTarget, starts = null)
    with CompleteSearch {
  import Search._

  private var current = -1L
  private var isSame = false
  // With SEEK and frames to the end: where the first match at or after the rows passed starts, once
  // it was looked for.
  private var keptStart = -1L
  private lazy val nearby: Matcher = {
    val engine = atEdge
    engine.beginPartition(rowCount)
    engine
  }
  private val work = new WorkMeter(input.checkCancelled _)

  begin(rowCount, 0, 0, 0)

  /** The row of the result. */
  def row: Long = current

  /** The row after the frame of the row. */
  def frameEnd: Long = if (rowsAfter >= rowCount - current) rowCount else current + rowsAfter + 1

  /** Whether the match is that of the row before. */
  def isRepeated: Boolean = isSame

  override def advance(): Boolean = {
    if (result == Match) nextStart = resumption
    val last =
      if (result == Match && engine == matcher && resultStart == keptStart) keptStart else -1L
    current += 1
    result = NoResult
    if (current < rowCount) {
      val isFound = current >= nextStart && {
        nextStart = current
        find(frameEnd)
      }
      if (isFound) {
        matches += 1
        result = Match
        isSame = engine == matcher && resultStart == last
      } else {
        resultStart = current
        isSame = false
        result = Unmatched
      }
    }
    result != NoResult
  }

  private def find(end: Long): Boolean = {
    input.limit(current, end)
    if (!isSeek) isMatchAt(matcher, current, end)
    else if (end < rowCount) seek(matcher, current, end, end)
    else {
      val border = (current + input.frameReach).min(end)
      seek(nearby, current, border, end) || seekKept(border, end)
    }
  }

  /** Tries the start rows from `first` to before `last`. */
  private def seek(engine: Matcher, first: Long, last: Long, end: Long): Boolean = {
    var start = first
    while (start < last && !isMatchAt(engine, start, end)) {
      start += 1
      work.add(1)
    }
    start < last
  }

  private def seekKept(first: Long, end: Long): Boolean = {
    if (keptStart < first) {
      val isFound = seek(matcher, first, rowCount, end)
      keptStart = if (isFound) resultStart else rowCount
    }
    engine = matcher
    resultStart = keptStart
    keptStart < rowCount
  }

  private def isMatchAt(tried: Matcher, start: Long, end: Long): Boolean = {
    engine = tried
    resultStart = start
    tried.attempt(start, end) == Matcher.Matched
  }

  override protected def attempt(rows: Long): Matcher.Outcome =
    throw new IllegalStateException("Rows are tried one by one.")
}
