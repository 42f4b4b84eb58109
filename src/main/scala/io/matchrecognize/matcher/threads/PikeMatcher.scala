package io.matchrecognize.matcher.threads

import io.matchrecognize.matcher._
import io.matchrecognize.pattern.Automaton

/**
 * A Pike VM: simulates the position automaton with an ordered list of threads, as RE2's NFA does
 * for text. Finds the most preferred match from one start row, for every pattern and every class of
 * condition.
 *
 * The search is breadth first: after each row there is a list of threads, most preferred first,
 * each a state and the path and registers that led there (see [[RowFeed]]). A thread that may end
 * the match cuts off all threads after it; those before it may still find a better match.
 *
 *   - A condition whose evaluation fails cuts off the less preferred threads, as a match would; a
 *     more preferred match discards the failure, otherwise it is raised.
 *   - Failed attempts are memoised (`FailureMemo`); if they cost too much, paths that cannot match
 *     are pruned (`LivenessPruner`).
 *   - Arrays are reused: in the steady state neither a row nor an attempt allocates.
 *   - With `anchors`, rows that would change nothing are passed over: see `OpenAttempt.skip`.
 *
 * Rows may also be fed one by one, as an [[OpenAttempt]], which has the other parameters; `attempt`
 * does just that.
 *
 * @param deadlines
 *   for an attempt whose first row is mapped, where no match can end later; null for none
 */
final class PikeMatcher(
    override val automaton: Automaton,
    registers: RegisterPlan,
    input: MatchInput,
    budget: SearchBudget,
    timeOuts: Boolean = false,
    tuning: MatcherTuning = MatcherTuning(),
    probe: SearchProbe = null,
    anchors: AnchoredInput = null,
    deadlines: AttemptLimit = null,
    summaries: Option[SummaryPlan] = None
) extends OpenAttempt(
      automaton,
      registers,
      input,
      anchors,
      budget,
      summaries,
      timeOuts,
      tuning,
      probe
    )
    with Matcher {
  private var rows = 0L
  private var lastEnd = 0L

  override def beginPartition(partitionRows: Long): Unit = {
    rows = partitionRows
    lastEnd = 0
    forget()
    filter.beginPartition()
  }

  override def attempt(start: Long, end: Long): Matcher.Outcome = {
    endAt(end)
    // What failed in one frame may match in another.
    if (input.dependsOnFrame) forget()
    run(start, end, rows)
    // A path that times out leads to no match, but must not be pruned.
    if (outcome == Matcher.Failed && !timeOuts) filter.waste(start, fed - skipped, rows)
    outcome
  }

  override def summary: MatchSummary = matchSummary

  /** Sets the end of the next attempt's limit, or of the rows so far. */
  def endAt(end: Long): Unit = {
    // A path that failed in an earlier attempt may time out where a shorter limit ends.
    if (timeOuts && end < lastEnd) forget()
    lastEnd = end
  }

  /**
   * Determines for all start rows of a stream at once which match; null if attempts depend on more
   * than the states of threads, or if a limit may end before that of an earlier start row.
   */
  def sharedStarts(limit: StreamLimit): SharedStarts =
    if (conditions.readsMatch.contains(true) || (limit != null && !limit.isMonotone)) null
    else new SharedStarts(automaton, input, limit, timeOuts)

  override protected def repeat(isTrial: Boolean): Unit =
    run(start, start + fed, Long.MaxValue, isTrial)

  /** @param partitionEnd where `$` holds */
  private def run(from: Long, end: Long, partitionEnd: Long, isTrial: Boolean = false): Unit = {
    begin(from)
    if (isTrial) trial()
    var limit = end
    var row = from
    while (!decided && row < limit) {
      filter.moveTo(row)
      feed(row)
      row += 1
      if (deadlines != null && row == from + 1 && !decided) limit = limit.min(deadlines.end(from))
      row = skip(row, limit)
    }
    finish(limit == partitionEnd)
  }
}
