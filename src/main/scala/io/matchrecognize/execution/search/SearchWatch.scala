package io.matchrecognize.execution.search

import io.matchrecognize.execution.output.Results
import io.matchrecognize.execution.pointer.ExpressionFailure
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.truth.ClauseInput
import io.matchrecognize.matcher.search.{CompleteSearch, Search}
import io.matchrecognize.matcher.{Matcher, MatcherException, MatcherTuning, SearchProbe}
import io.matchrecognize.pattern.Automaton

/**
 * Looks on while the general engine searches a table. What was seen takes the place of the rows of
 * the results.
 */
trait SearchWatch extends SearchProbe with Results {
  private var isOver = false

  def tuning: MatcherTuning

  def beginPartition(): Unit = isOver = false

  /** The search of the partition has come to its end, and not to an error. */
  def endPartition(): Unit = ()

  /** An attempt begins at a row; it may have the rows before `endRow`. */
  def begin(startRow: Long, endRow: Long): Unit

  /** The attempt ended without an error. */
  def end(outcome: Matcher.Outcome, matcher: Matcher): Unit

  /** The attempt ended with an error. */
  def fail(error: Throwable): Unit

  /** Whether the returned rows describe an error, which would end the query. */
  def tells(error: Throwable, start: Long): Boolean

  override final def begin(found: Search): Unit = ()

  /** Advances the search; false at its end, or after an error that the returned rows describe. */
  final def advance(search: Search with CompleteSearch): Boolean = {
    if (!isOver)
      try {
        isOver = !search.advance()
        if (isOver) endPartition()
      } catch {
        case error @ (_: ExpressionFailure | _: MatcherException) if tells(error, search.start) =>
          isOver = true
      }
    !isOver
  }

  /** The engine, which reports where attempts begin and end. */
  final def matcher(engine: Matcher): Matcher = new Matcher {
    override def automaton: Automaton = engine.automaton
    override def beginPartition(rows: Long): Unit = engine.beginPartition(rows)
    override def length: Long = engine.length
    override def positionAt(offset: Long): Int = engine.positionAt(offset)

    override def attempt(start: Long, end: Long): Matcher.Outcome = {
      begin(start, end)
      val outcome =
        try engine.attempt(start, end)
        catch {
          case error: Throwable =>
            fail(error)
            throw error
        }
      SearchWatch.this.end(outcome, engine)
      outcome
    }
  }
}

object SearchWatch {

  /** Makes the watch of a search over its rows. */
  type Maker = (Rows, ClauseInput, RunTimeFailures) => SearchWatch
}
