package io.matchrecognize.execution.search

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.compile.{ClauseProgram, SummaryProgram, TaskProgram}
import io.matchrecognize.execution.output.{MeasureEvaluator, ResultRows, Results}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.truth.{ClauseInput, TaskConditions}
import io.matchrecognize.matcher._
import io.matchrecognize.matcher.search.Search
import io.matchrecognize.matcher.threads.PikeMatcher

/**
 * Runs a clause in the partitions of a task, one after the other: what tables and streams share.
 *
 * @param number
 *   which clause of the task it is
 * @param rows
 *   those of the current partition
 * @param conditions
 *   over these rows
 * @param watched
 *   makes what looks on, and has rows in place of the results'
 */
abstract class ClauseSearch[R <: Rows](
    task: TaskProgram,
    number: Int,
    protected val rows: R,
    conditions: TaskConditions,
    resources: TaskResources,
    partitionIndex: Int,
    watched: Option[SearchWatch.Maker] = None
) {
  import conditions.isStream

  protected val clause: ClauseProgram = task.clauses(number)
  protected val input =
    new ClauseInput(clause, task.conditions.idOf(number), conditions, rows, resources)
  protected val summaries: Option[SummaryProgram] =
    if (isStream) None else SummaryProgram.of(clause)
  // One of many searches may have few rows.
  private val interpretedRows = if (task.clauses.length > 1) InterpretedRows else 0
  protected val measures =
    new MeasureEvaluator(clause, summaries, rows, partitionIndex, interpretedRows)
  protected val failures = new RunTimeFailures(clause.failureTexts, input, rows)
  protected val watch: SearchWatch = watched.map(_(rows, input, failures)).orNull
  private val results: Results =
    if (watch != null) watch
    else
      new ResultRows(
        measures,
        clause.rowsPerMatch,
        clause.automaton.hasExclusion,
        () => resources.checkCancelled()
      )

  // Nanoseconds that the search of the partition may still take.
  private var timeLeft = 0L

  // With NEXT.
  private val looksAhead = isStream && clause.measures.pointers.exists(_.physical > 0)

  /** The search of the current partition. */
  protected def search: Search

  /** Moves the search to its next result; false if there is none, or none yet. */
  protected def advance(): Boolean

  protected def count(result: Search.Result): Unit

  /** Takes note of the nanoseconds of an `advance`. */
  protected def spend(nanos: Long): Unit

  /** The search of another partition begins. */
  protected def beginTime(): Unit = timeLeft = task.budget.maxMillis * 1000000L

  protected def newPikeMatcher(
      tuning: MatcherTuning = MatcherTuning(),
      probe: SearchProbe = null,
      anchors: AnchoredInput = null,
      deadlines: AttemptLimit = null,
      summary: Option[SummaryPlan] = None
  ): PikeMatcher = new PikeMatcher(
    clause.automaton,
    clause.conditions.registers,
    input,
    task.budget,
    clause.rowsPerMatch.showsTimeouts,
    tuning,
    probe,
    anchors,
    deadlines,
    summary
  )

  protected def begin(keys: UnsafeRow): Unit = {
    conditions.keys = keys
    measures.keys = keys
  }

  /** The next row of the partition's results, which is reused; null if none is decided. */
  final def nextRow(): UnsafeRow = {
    var row = nextOfResult()
    var isSearching = true
    while (row == null && isSearching) {
      isSearching = nextResult()
      row = nextOfResult()
    }
    row
  }

  private def nextOfResult(): UnsafeRow =
    try results.next()
    catch { case NonFatal(e) => throw failures.inExpression(e, search.start) }

  private def nextResult(): Boolean = {
    // For MATCH_NUMBER() in DEFINE: `advance` makes attempts for one number, until one matches.
    input.matchNumber = search.currentMatchNumber
    try failures.guard(search.start)(timed()) && takeUp()
    catch { case NonFatal(e) => throw failures.inExpression(e, search.start) }
  }

  /** Only the search counts, not who reads the results. */
  private def timed(): Boolean = {
    val start = System.nanoTime()
    val limit = task.budget.maxMillis
    input.limitTime(start + timeLeft, limit)
    val isFound = advance()
    input.limitTime(0L, 0L)
    val nanos = System.nanoTime() - start
    timeLeft -= nanos
    spend(nanos)
    // Few tests of a condition that takes long are between two looks of the search.
    if (limit > 0 && timeLeft < 0) throw new TimeLimitExceeded(limit)
    isFound
  }

  /** False if a measure reads a row that has not arrived yet. */
  private def takeUp(): Boolean = {
    val isComplete = !looksAhead || !measures.readsAhead {
      results.begin(search)
      results.next()
    }
    if (isComplete) {
      count(search.kind)
      results.begin(search)
    } else search.putBack()
    isComplete
  }

  private final val InterpretedRows = 1000
}
