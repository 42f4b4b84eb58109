package io.matchrecognize.streaming.task

import io.matchrecognize.execution.search.ClauseSearch
import io.matchrecognize.execution.truth.TaskConditions
import io.matchrecognize.matcher.search.{Search, StartRows, StreamSearch}
import io.matchrecognize.matcher.state.{StateReader, StateWriter}

/**
 * The search of one clause in the partitions of a stream, one partition after the other.
 * [[StreamSearches]] has the rows of the partition, and decides when the clause is searched.
 *
 * @param number
 *   which of the task's clauses it is
 */
final class StreamClauseSearch(
    parts: StreamParts,
    number: Int,
    kept: StreamRows,
    conditions: TaskConditions
) extends ClauseSearch(
      parts.program.task,
      number,
      kept,
      conditions,
      parts.resources,
      parts.partitionIndex
    ) {
  import parts.{metrics, program}

  // One object for all partitions.
  begin(conditions.keys)
  private val within = clause.within.map(new WatermarkedWithin(_, rows, input))
  private val deadlines = clause.conditions.deadlines.map { found =>
    new DeadlineTimes(found, clause.conditions, rows, input)
  }
  private val limit: Option[WatermarkedLimit] =
    (within ++ deadlines).reduceOption(new EarlierLimit(_, _))
  // Null if an attempt may begin at any row.
  private val starts: StartRows = clause.openers
    .filter(_.forall(input.rowLocal))
    .map(symbols => new StartRows(symbols.toArray, input))
    .orNull
  // Lazy, because its first arrays count against the limit and a failure names the partition.
  override protected lazy val search: StreamSearch = new StreamSearch(
    newPikeMatcher(),
    clause.skip,
    limit.orNull,
    clause.rowsPerMatch.showsUnmatchedRows,
    input,
    starts = starts
  )

  /** The first row from `row` on at which an attempt may begin; the number of rows if none is. */
  def firstStart(row: Long): Long =
    if (starts == null) row.min(rows.length) else starts.next(row, rows.length)

  /** Begins at a row, after some matches in the partition. */
  def beginAt(row: Long, found: Long): Unit = {
    beginTime()
    failures.guard(row) {
      within.foreach(_.reset(row))
      search.begin(row, found)
    }
    deadlines.foreach(_.reset())
  }

  /** Resumes what `save` wrote, before further rows are appended. */
  def restore(in: StateReader): Unit = {
    beginTime()
    failures.guard(0L) {
      search.restore(in)
      within.foreach(_.reset(in.getLong()))
    }
    deadlines.foreach(_.reset())
  }

  def save(out: StateWriter): Unit = {
    search.save(out)
    within.foreach(open => out.putLong(open.inside))
  }

  /** No row of this time, in microseconds, or an earlier one will arrive any more. */
  def advanceTo(watermark: Long): Unit = limit.foreach(_.watermark = watermark)

  /** Whether nothing waits for a row. */
  def isIdle: Boolean = search.next == rows.length

  /** The first row that the clause still needs. */
  def firstNeeded: Long = search.next - program.perClause(number).lookBack

  /** The watermark, in microseconds, that decides something without another row. */
  def waitsUntil: Long = search.waitsUntil

  /** The number of open start rows, as far as the search has begun them. */
  def openStarts: Long = search.openStarts

  /** The matches of the partition so far. */
  def found: Long = search.matchNumber

  override protected def advance(): Boolean = search.advance(rows.length)

  override protected def spend(nanos: Long): Unit = ()

  override protected def count(result: Search.Result): Unit =
    if (result == Search.Match) metrics.addMatch(number)
    else if (result == Search.TimedOut) metrics.timeouts += 1
}
