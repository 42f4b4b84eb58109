package io.matchrecognize.matcher.search

import io.matchrecognize.matcher.state.{FoldCodec, StateReader, StateWriter}
import io.matchrecognize.matcher.threads.{Frontier, PikeMatcher, SharedStarts}
import io.matchrecognize.matcher.{Matcher, MatcherTuning, StreamLimit, SymbolSet}
import io.matchrecognize.pattern.AfterMatchSkip

/**
 * The search through one partition of a stream, over the rows so far. It yields what no later row
 * can change, then waits. The waiting attempt resumes with the next rows and can be saved in
 * between.
 *
 * An attempt waits while its limit is open and a row that has not arrived is read by a condition or
 * could be mapped by a path that is preferred to all accepting ones. A row can be mapped up to the
 * latest time that the conditions of the next variables allow ([[Frontier]]).
 *
 * Start rows are tried one after the other; when failed attempts cost more than reading each row a
 * few times, `SharedStarts` determines which start rows match, and only those are tried. It is not
 * used again after a condition that it cannot test; after a lack of memory it is, once the attempts
 * that failed since then have cost as much.
 *
 * @param limit
 *   null without WITHIN and deadlines
 */
final class StreamSearch(
    matcher: PikeMatcher,
    skip: AfterMatchSkip[SymbolSet],
    limit: StreamLimit,
    unmatchedRows: Boolean,
    folds: FoldCodec,
    tuning: MatcherTuning = MatcherTuning(),
    starts: StartRows = null
) extends Search(matcher, skip, unmatchedRows, -1, starts) {
  import StreamSearch._
  private var isOpen = false
  private val parallel = matcher.sharedStarts(limit)
  private val frontier = new Frontier(matcher.automaton, limit)
  private var lastTime = Long.MaxValue
  private var mode = Sequential
  // Rows read by failed attempts, less those read in parallel before memory was short.
  private var wasted = 0L
  private val scratch = new StateWriter

  /** Starts at a row, after all matches so far. */
  def begin(row: Long, found: Long): Unit = {
    isOpen = false
    mode = if (parallel == null) SequentialOnly else Sequential
    // The rows before it were not read for it.
    wasted = row * MaxOverlap
    begin(Long.MaxValue, row, found, row)
  }

  /**
   * Moves to the next result; false if it has to wait for rows.
   *
   * @param rows
   *   number of rows that have arrived
   */
  def advance(rows: Long): Boolean = advanceTo(rows)

  /** The next start row; only PREV can still read rows before it. */
  def next: Long = nextStart

  /** Whether an attempt waits for rows. */
  def isWaiting: Boolean = isOpen

  /**
   * The last time of a row that the waiting attempt may need; `Long.MaxValue` if none is known, or
   * if that time has passed and the attempt waits for a row that NEXT reads.
   */
  def waitsUntil: Long =
    if (isOpen && (limit == null || !limit.hasPassed(lastTime))) lastTime else Long.MaxValue

  /** The number of open start rows. */
  def openStarts: Long =
    if (!isOpen) 0
    else if (mode == Parallel) parallel.openStarts
    else 1

  /** Whether `SharedStarts` determines which start rows match. */
  private[matcher] def isParallel: Boolean = mode == Parallel

  /** Saves the state of the search, after `advance` returned false. */
  def save(out: StateWriter): Unit = {
    val flags = out.skip(1)
    out.putLong(nextStart)
    out.putLong(matches)
    out.putLong(nextStart - covered)
    if (mode == Sequential) out.putLong(wasted)
    if (mode == Parallel) parallel.save(out)
    val isSaved = mode != Parallel && isOpen && matcher.save(out, folds)
    out.array(flags) = (mode | (if (isOpen) Open else 0) | (if (isSaved) Saved else 0)).toByte
  }

  /** Resumes a saved partition. */
  def restore(in: StateReader): Unit = {
    val flags = in.getByte()
    val start = in.getLong()
    begin(Long.MaxValue, start, in.getLong(), start - in.getLong())
    mode = flags & Modes
    wasted = if (mode == Sequential) in.getLong() else 0L
    isOpen = (flags & Open) != 0
    if (mode == Parallel) parallel.restore(in)
    else if (isOpen) restoreAttempt((flags & Saved) != 0, in)
  }

  private def restoreAttempt(isSaved: Boolean, in: StateReader): Unit =
    if (isSaved) matcher.restore(nextStart, in, folds) else matcher.begin(nextStart)

  override protected def candidate(row: Long, rows: Long): Long =
    if (isOpen) row.min(rows) else super.candidate(row, rows)

  override protected def attempt(rows: Long): Matcher.Outcome = {
    lastTime = Long.MaxValue
    if (mode == Sequential && !isOpen && wasted >= tuning.firstWaste + nextStart * MaxOverlap) {
      mode = Parallel
      parallel.begin(nextStart)
    }
    if (mode == Parallel) readInParallel(rows)
    if (mode == Sequential) {
      val outcome = attemptAlone(rows)
      if (outcome == Matcher.Failed || outcome == Matcher.TimedOut) wasted += matcher.rowsFed
      outcome
    } else if (mode == SequentialOnly) attemptAlone(rows)
    else {
      isOpen = parallel.isOpen(nextStart)
      if (isOpen && !hasPassed(isShared = true)) Matcher.Open
      else {
        val isHopeless = !parallel.matches(nextStart)
        isOpen = false
        if (isHopeless) Matcher.Failed else attemptAlone(rows)
      }
    }
  }

  /** Leaves the mode if it gives no answers. */
  private def readInParallel(rows: Long): Unit = {
    parallel.skipTo(nextStart)
    val result = parallel.readTo(rows)
    if (result != SharedStarts.Read) {
      isOpen = false
      if (result == SharedStarts.NoMemory) {
        mode = Sequential
        wasted = nextStart - parallel.nextRow
      } else mode = SequentialOnly
    }
  }

  private def attemptAlone(rows: Long): Matcher.Outcome = {
    val end = if (limit == null) rows else limit.end(nextStart).min(rows)
    matcher.endAt(end)
    if (!isOpen) matcher.begin(nextStart)
    val isRead = feed(nextStart + matcher.rowsFed, end, rows)
    isOpen = !matcher.decided
    if (isRead || !matcher.hasBetterPaths) matcher.outcome else anticipate(end, rows)
  }

  /** False if a condition waits for a row. */
  private def feed(from: Long, end: Long, rows: Long): Boolean = {
    var row = from
    while (!matcher.decided && row < end && matcher.feed(row)) row += 1
    if (!matcher.decided && row >= end && (end < rows || hasPassed(isShared = false)))
      matcher.finish(false)
    matcher.decided || row >= end
  }

  /**
   * Tries only the paths that are preferred to a condition waiting for a row: if one of them
   * matches, the condition does not matter. Otherwise the attempt stays as it was.
   */
  private def anticipate(end: Long, rows: Long): Matcher.Outcome = {
    scratch.clear()
    val isSaved = matcher.save(scratch, folds)
    matcher.trial()
    feed(nextStart + matcher.rowsFed, end, rows): Unit
    isOpen = matcher.outcome != Matcher.Matched
    if (isOpen) restoreAttempt(isSaved, new StateReader(scratch.toBytes))
    matcher.outcome
  }

  /** Whether no row can arrive that changes the outcome of the open attempt. */
  private def hasPassed(isShared: Boolean): Boolean = limit != null && {
    val next =
      if (isShared) parallel.lastTime(nextStart, frontier) else matcher.lastTime(frontier)
    lastTime = next.min(limit.lastTime(nextStart))
    limit.hasPassed(lastTime)
  }
}

private object StreamSearch {
  // Ways to search.
  private final val Sequential = 0
  private final val Parallel = 1
  private final val SequentialOnly = 2
  // A saved search has these, and its mode in the lowest bits.
  private final val Modes = 3
  private final val Open = 4
  private final val Saved = 8

  // How often each row may be read before start rows are searched in parallel.
  private final val MaxOverlap = 4L
}
