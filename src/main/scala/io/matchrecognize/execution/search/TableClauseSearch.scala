package io.matchrecognize.execution.search

import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.limit.{TableDeadlines, WithinLimit}
import io.matchrecognize.execution.rows.RowStore
import io.matchrecognize.execution.truth.AnchoredConditions
import io.matchrecognize.matcher.Matcher
import io.matchrecognize.matcher.search._
import io.matchrecognize.matcher.twopass.TwoPassMatcher
import io.matchrecognize.plans.RowsPerMatch

/** Searches the partitions of a task on a table, each once its rows are in the store. */
private[execution] final class TableClauseSearch(
    task: TaskProgram,
    number: Int,
    source: TaskRows,
    partitionIndex: Int,
    metrics: MatchMetrics,
    watched: Option[SearchWatch.Maker] = None
) extends ClauseSearch[RowStore](
      task,
      number,
      source.store,
      source.conditions,
      source.resources,
      partitionIndex,
      watched = watched
    ) {
  // One object for all partitions.
  begin(source.reader.keys)
  private val within = clause.within.map(new WithinLimit(_, rows, input))
  private val deadlines = clause.conditions.deadlines.map { program =>
    new TableDeadlines(program, clause.conditions, rows, input)
  }
  private val anchors =
    clause.anchored.map(new AnchoredConditions(clause, _, rows, input))

  // Lazy, because its first arrays count against the limit and a failure names the partition.
  private lazy val matcher: Matcher =
    if (watch != null) watch.matcher(newPikeMatcher(watch.tuning, watch))
    else if (clause.isTwoPass) {
      val folds = summaries.map(s => (s.plan, measures.folds))
      new TwoPassMatcher(clause.automaton, input, task.budget, newPikeMatcher(), folds)
    } else
      newPikeMatcher(
        anchors = anchors.orNull,
        deadlines = deadlines.orNull,
        summary = summaries.map(_.plan)
      )
  private lazy val edgeMatcher: Matcher = newPikeMatcher()

  // Two passes find all start rows at once.
  private val starts = clause.openers
    .filter(symbols => watch == null && !clause.isTwoPass && symbols.forall(input.rowLocal))
    .map(symbols => new StartRows(symbols.toArray, input))
    .orNull

  protected var search: Search with CompleteSearch = _

  /** Begins the search of the partition in the store. */
  def beginPartition(): Unit = failures.guard(0L) {
    beginTime()
    input.reset()
    within.foreach(_.reset(0L))
    deadlines.foreach(_.reset())
    anchors.foreach(_.reset())
    search = newSearch()
    if (watch != null) watch.beginPartition()
  }

  private def newSearch(): Search with CompleteSearch = {
    val target = summaries.fold(-1)(_.plan.skipTarget)
    clause.rowsPerMatch match {
      case RowsPerMatch.EachRow(isSeek) if watch == null =>
        val rowsAfter = clause.frame.rows.getOrElse(Long.MaxValue)
        new FrameSearch(
          rows.length,
          matcher,
          edgeMatcher,
          input,
          clause.skip,
          isSeek,
          rowsAfter,
          target
        )
      case other =>
        // Of a watched search they are results too, so that a failed attempt ends an `advance`.
        val unmatchedRows = watch != null || other.showsUnmatchedRows
        new TableSearch(rows.length, matcher, clause.skip, within, unmatchedRows, target, starts)
    }
  }

  override protected def advance(): Boolean =
    if (watch == null) search.advance() else watch.advance(search)

  override protected def spend(nanos: Long): Unit = metrics.matchTime += nanos

  override protected def count(result: Search.Result): Unit =
    if (result == Search.Match) metrics.addMatch(number)
}
