package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.search.{MatchIterator, MatchMetrics, TaskRows}
import io.matchrecognize.matcher.search.{CompleteSearch, Search, TableSearch}
import io.matchrecognize.matcher.{Matcher, MatcherTuning}
import io.matchrecognize.pattern.Automaton

/**
 * The searches of one task on the general engine, whose threads and attempts are watched. What was
 * seen takes the place of the rows of the results.
 *
 * @param firstWaste
 *   see `MatcherTuning`: a pruned path hides the condition that it fails on
 */
private[execution] abstract class WatchedSearch(
    task: TaskProgram,
    source: TaskRows,
    metrics: MatchMetrics,
    firstWaste: Long
) extends MatchIterator(task, source, 0, metrics) {
  private lazy val matcher =
    new WatchedMatcher(newPikeMatcher(MatcherTuning(firstWaste = firstWaste), watch))
  private var isSearching = false

  /** Is told of the threads of each attempt. */
  protected def watch: AttemptWatch

  /** An attempt begins at a row; it may have the rows before `end`. */
  protected def beginAttempt(start: Long, end: Long): Unit

  /** The attempt that began at `start` ended without an error. */
  protected def endAttempt(start: Long, outcome: Matcher.Outcome, matcher: Matcher): Unit

  /** The attempt ended with an error. */
  protected def failAttempt(error: Throwable): Unit

  /** Calls `advance`; whether the search of the partition continues. */
  protected def step(): Boolean

  /** What was seen since it was asked last; null if nothing is to be returned. */
  protected def takeSeen(): UnsafeRow

  override protected def beginSearch(): Unit = {
    super.beginSearch()
    isSearching = true
  }

  // Unmatched rows are results too, so that a failed attempt ends an `advance`.
  override protected def newSearch(): Search with CompleteSearch =
    new TableSearch(store.length, matcher, task.skip, limit, unmatchedRows = true)

  override protected def advance(): Boolean = {
    val isFound = super.advance()
    if (isFound) count(search.kind)
    isFound
  }

  override def nextRow(): UnsafeRow = {
    var seen = takeSeen()
    while (seen == null && isSearching) {
      input.matchNumber = search.currentMatchNumber
      isSearching = step()
      seen = takeSeen()
    }
    seen
  }

  /** Reports where attempts begin and end. */
  private final class WatchedMatcher(matcher: Matcher) extends Matcher {
    override def automaton: Automaton = matcher.automaton
    override def beginPartition(rows: Long): Unit = matcher.beginPartition(rows)
    override def length: Long = matcher.length
    override def positionAt(offset: Long): Int = matcher.positionAt(offset)

    override def attempt(start: Long, end: Long): Matcher.Outcome = {
      beginAttempt(start, end)
      val outcome =
        try matcher.attempt(start, end)
        catch {
          case error: Throwable =>
            failAttempt(error)
            throw error
        }
      endAttempt(start, outcome, matcher)
      outcome
    }
  }
}
