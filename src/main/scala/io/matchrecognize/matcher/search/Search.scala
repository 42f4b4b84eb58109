package io.matchrecognize.matcher.search

import io.matchrecognize.matcher._
import io.matchrecognize.pattern.AfterMatchSkip

/**
 * The search through one partition: tries the start rows in order, as AFTER MATCH SKIP says, and
 * yields its results one by one. It searches no further than results are requested, so a LIMIT
 * stops it.
 *
 *   - A match, even an empty one, takes the next match number. After an empty match the search
 *     resumes at the next row whatever AFTER MATCH SKIP says.
 *   - An unmatched row starts no match, not even an empty one, and is in no match.
 *   - A start row times out if no path matches within its limit and some path could have mapped
 *     another row. It takes no number, and the search resumes at the next row.
 *
 * Where to resume is computed when the next result is requested, so an error of AFTER MATCH SKIP is
 * raised after the match that it belongs to. Rows are numbered within the partition.
 *
 * @param unmatchedRows
 *   whether to yield unmatched rows (ALL ROWS PER MATCH WITH UNMATCHED ROWS)
 * @param summaryTarget
 *   `SummaryPlan.skipTarget` of the matcher's summaries
 * @param starts
 *   null if an attempt may begin at any row
 */
abstract class Search private[search] (
    matcher: Matcher,
    skip: AfterMatchSkip[SymbolSet],
    unmatchedRows: Boolean,
    summaryTarget: Int,
    starts: StartRows
) {
  import Search._

  private val isTarget: Array[Boolean] = skip match {
    case AfterMatchSkip.ToVariable(set, _) =>
      matcher.automaton.symbols.indices.map(set.contains).toArray
    case AfterMatchSkip.PastLastRow | AfterMatchSkip.ToNextRow => Array.empty
  }
  // The engine of the latest attempt.
  private[search] var engine: Matcher = matcher
  protected var nextStart = 0L
  protected var matches = 0L
  // The first row after all matches so far.
  protected var covered = 0L
  private[search] var result: Result = NoResult
  private[search] var resultStart = 0L

  /** The first start row from `row` on, before `rows`, that has to be tried; `rows` if none has. */
  protected def candidate(row: Long, rows: Long): Long =
    if (starts == null) row.min(rows) else starts.next(row, rows)

  /** Tries the start row `nextStart`, given that `rows` rows have arrived. */
  protected def attempt(rows: Long): Matcher.Outcome

  /** Starts a partition of `rows` rows at a start row, after some matches. */
  protected final def begin(rows: Long, start: Long, found: Long, firstUncovered: Long): Unit = {
    nextStart = start
    matches = found
    covered = firstUncovered
    result = NoResult
    matcher.beginPartition(rows)
  }

  /** Moves to the next result that starts before `rows`; false if there is none yet. */
  protected final def advanceTo(rows: Long): Boolean = {
    if (result == Match) nextStart = resumption
    result = NoResult
    var isOpen = false
    def isLeft = {
      nextStart = candidate(nextStart, rows)
      nextStart < rows
    }
    while (result == NoResult && !isOpen && isLeft) {
      resultStart = nextStart
      attempt(rows) match {
        case Matcher.Open => isOpen = true
        case Matcher.Matched =>
          result = Match
          matches += 1
          covered = covered.max(resultStart + matcher.length)
        case outcome =>
          nextStart = resultStart + 1
          if (outcome == Matcher.TimedOut) result = TimedOut
          else if (unmatchedRows && resultStart >= covered) result = Unmatched
      }
    }
    result != NoResult
  }

  /** Undoes the last `advance`: the next one finds the result again. */
  final def putBack(): Unit = {
    if (result == Match) matches -= 1
    nextStart = resultStart
    result = NoResult
  }

  final def kind: Result = result

  /** First row of the match or of the path that timed out; the unmatched row. */
  final def start: Long = resultStart

  /** Rows of the match or of the path that timed out, 0 if empty. */
  final def length: Long = engine.length

  /** Number of the match, from 1. */
  final def matchNumber: Long = matches

  /** The number that the current attempt gets if it matches: MATCH_NUMBER() in DEFINE. */
  final def currentMatchNumber: Long = matches + 1

  /** See `Matcher.summary`. */
  final def summary: MatchSummary = engine.summary

  /** Label of a row of the match or of the path that timed out; the first row has offset 0. */
  final def symbolAt(offset: Long): Int = engine.symbolAt(offset)

  /** Whether a row of the match is hidden by an exclusion. */
  final def excludedAt(offset: Long): Boolean =
    matcher.automaton.excluded(engine.positionAt(offset))

  /** The next start row after the match; with SEEK the match may start after the row tried. */
  private[search] final def resumption: Long =
    skip match {
      case _ if length == 0 => nextStart + 1
      case AfterMatchSkip.PastLastRow => start + length
      case AfterMatchSkip.ToNextRow => nextStart + 1
      case AfterMatchSkip.ToVariable(_, first) =>
        val row = if (summary == null) targetRow(first) else summary.row(summaryTarget)
        if (row < 0) throw new SkipToMissingRow(start)
        if (row == start) throw new SkipToFirstRow(start)
        row
    }

  /** The first or last row of the symbols to skip to, -1 if there is none. */
  private def targetRow(first: Boolean): Long = {
    val rows = length
    val direction = if (first) 1 else -1
    var offset = if (first) 0L else rows - 1
    while (offset >= 0 && offset < rows && !isTarget(symbolAt(offset))) offset += direction
    if (offset >= 0 && offset < rows) start + offset else -1
  }
}

object Search {

  /** The latest result of a search. */
  sealed trait Result
  case object Match extends Result
  case object Unmatched extends Result
  case object TimedOut extends Result
  case object NoResult extends Result
}

/** The rows at which a match may begin: those that one of some row-local conditions may accept. */
final class StartRows(symbols: Array[Int], input: MatchInput) {
  private val work = new WorkMeter(input.checkCancelled _)
  private val words = symbols.map(input.truthWords)
  private val hasWords = !words.contains(null)

  /** The first one from `row` on, before `end`; `end` if there is none. */
  def next(row: Long, end: Long): Long = {
    var next = row
    if (hasWords) {
      var bits = if (row < end) wordAt(row) & (-1L << row) else 0L
      while (bits == 0 && next < end) {
        next = (next | 63) + 1
        if (next < end) bits = wordAt(next)
      }
      if (bits != 0) next = (next & ~63L) + java.lang.Long.numberOfTrailingZeros(bits)
      next = next.min(end)
    } else while (next < end && !isPossible(next)) next += 1
    work.add(next - row)
    next
  }

  private def wordAt(row: Long): Long = {
    var bits = 0L
    var i = 0
    while (i < words.length) {
      bits |= words(i).word((row >>> 6).toInt)
      i += 1
    }
    bits
  }

  // What fails is left to an attempt.
  private def isPossible(row: Long): Boolean = {
    var i = 0
    while (i < symbols.length && input.testLocal(symbols(i), row) == Truth.False) i += 1
    i < symbols.length
  }
}

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
    summaryTarget: Int = -1,
    starts: StartRows = null
) extends Search(matcher, skip, unmatchedRows, summaryTarget, starts)
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
