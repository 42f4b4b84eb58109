package io.matchrecognize.execution.trace

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.pointer.{ExpressionFailure, FailurePlace}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.search.RunTimeFailures
import io.matchrecognize.execution.truth.ClauseInput
import io.matchrecognize.matcher.{Matcher, MatcherTuning, Path, SearchProbe}

/**
 * Counts how attempts end and keeps the one that came furthest of each end, for `ExplainSentences`.
 * What is kept of a thread is the symbol of its last row, and what is kept of all attempts grows
 * with the clause only.
 */
private[trace] final class Explanation(
    val program: TraceProgram,
    rows: Rows,
    input: ClauseInput,
    failures: RunTimeFailures
) extends AttemptWatch(rows) {
  import Explanation._

  private val automaton = program.task.clause.automaton
  private val shown = new ConditionDisplay(program.conditions, input, UserText.cut(_))
  val conditions = new ConditionCounts(program.conditions, rows, input)

  var partitions = 0L
  var attempts = 0L
  var matches = 0L
  var emptyMatches = 0L

  /** Rows inside a match that no attempt began at. */
  var skipped = 0L

  /** By reason how many attempts found no match. */
  val ends: mutable.Map[String, Long] = mutable.Map.empty.withDefaultValue(0L)

  /** By reason, the failed tests that were furthest along in an attempt. */
  val failed: mutable.Map[(String, FailedTest), FailedAttempts] = mutable.Map.empty

  /** By symbol, the truths that attempts met of conditions that depend on the path. */
  val tested: Array[Array[Long]] = Array.fill(program.variables.length, 4)(0L)

  /** How many partitions ended with an error; the name and the error of the first. */
  var errors = 0L
  var error: Option[(String, String)] = None

  private var partition: String = _
  private var nextStart = 0L

  // The test that failed furthest along; its truth is evaluated when it is needed, if it can be.
  private var row = 0L
  private var symbol = 0
  private var last = -1
  private var decided = Undecided
  private var evaluated: String = _

  // Only large partitions are pruned: a pruned path hides the condition that it fails on.
  override def tuning: MatcherTuning = MatcherTuning(firstWaste = 1L << 20)

  /** Sentences come in the end. */
  override def next(): UnsafeRow = null

  override def beginPartition(): Unit = {
    super.beginPartition()
    partition = null
    nextStart = 0
    partitions += 1
    conditions.countPartition()
  }

  override def endPartition(): Unit = skipped += rows.length - nextStart

  override def begin(startRow: Long, endRow: Long): Unit = {
    super.begin(startRow, endRow)
    skipped += startRow - nextStart
    nextStart = startRow + 1
    attempts += 1
  }

  override def tried(
      thread: Int,
      position: Int,
      testedRow: Long,
      path: Path,
      fate: SearchProbe.Fate
  ): Unit = {
    val tried = automaton.symbolOf(position)
    val isFailure = fate == SearchProbe.Refused || fate == SearchProbe.Error
    val found = if (path == null) Undecided else truthOnPath(tried, testedRow, path, isFailure)
    if (isFurther(position, testedRow, fate)) {
      row = testedRow
      symbol = tried
      last = if (testedRow == start) -1 else before(thread)
      decided = found
      evaluated = null
      // The attempt may still have one of two ends.
      if (path != null && (isWanted(AttemptWatch.ConditionFailed) || isWanted(openEnd)))
        evaluated = text(path)
    }
    if (fate == SearchProbe.Kept) after += tried
  }

  private def truthOnPath(symbol: Int, row: Long, path: Path, isFailure: Boolean): Int =
    if (!isFailure) {
      tested(symbol)(ConditionDisplay.True) += 1
      Undecided
    } else {
      val found = shown.decided(symbol, row, path)
      tested(symbol)(ConditionDisplay.truthIn(found)) += 1
      found
    }

  override def completed(length: Long, thread: Int, threads: Int): Unit = ()

  override def end(outcome: Matcher.Outcome, matcher: Matcher): Unit = outcome match {
    case Matcher.Matched =>
      matches += 1
      if (matcher.length == 0) emptyMatches += 1
    case Matcher.TimedOut => ends(AttemptWatch.TimedOut) += 1
    case _ =>
      ends(reason) += 1
      if (hasFailed) countFailure(reason)
  }

  override def fail(error: Throwable): Unit = ()

  private def countFailure(why: String): Unit = {
    val isOnRow = decided == Undecided
    if (isOnRow) decided = shown.decided(symbol, row, null)
    val isFurthest = isWanted(why)
    if (isFurthest && isOnRow) evaluated = text(null)
    val found = failed.getOrElseUpdate((why, test), new FailedAttempts)
    found.count += 1
    if (isFurthest) found.furthest = Example(partitionName, start, row, last, evaluated)
  }

  private def test =
    FailedTest(symbol, ConditionDisplay.partIn(decided), ConditionDisplay.truthIn(decided))

  /** Whether no attempt that ended so, on the same test, came as far. */
  private def isWanted(why: String): Boolean =
    failed.get((why, test)).forall(_.furthest.length < row - start)

  private def text(path: Path): String = {
    val found = shown.test(symbol, row, path).evaluated
    if (found == null) null else found.toString
  }

  private def partitionName: String = {
    if (partition == null) partition = program.task.clause.failureTexts.partitionOf(input.keys)
    partition
  }

  override def tells(failure: Throwable, start: Long): Boolean = {
    errors += 1
    if (error.isEmpty) error = Some(partitionName -> sentence(failure, start))
    true
  }

  private def sentence(error: Throwable, start: Long): String = error match {
    case failure: ExpressionFailure =>
      val message = firstLine(failures.inExpression(failure, start))
      failure.place match {
        case FailurePlace.Condition(row, variable) =>
          s"In row ${row + 1} the condition of ${UserText.quoted(variable)} raised an error, " +
            s"which ends the query: $message"
        case _ => s"An error ends the query: $message"
      }
    case other =>
      val message =
        try failures.guard[String](start)(throw other)
        catch { case NonFatal(told) => firstLine(told) }
      s"An error ends the query: $message"
  }

  /** As a sentence: most messages end with an SQLSTATE. */
  private def firstLine(error: Throwable): String =
    error.getMessage.linesIterator.next().stripSuffix(".") + "."
}

private[trace] object Explanation {
  private final val Undecided = -1

  /**
   * A test that failed.
   *
   * @param part
   *   the conjunct of its condition that decided
   * @param truth
   *   of `ConditionDisplay`
   */
  final case class FailedTest(symbol: Int, part: Int, truth: Int)

  /** The attempts whose end and furthest failed test are equal. */
  final class FailedAttempts {
    var count = 0L
    var furthest: Example = _
  }

  /**
   * An attempt from row `start` that failed a test in `row`; rows are numbered from 0.
   *
   * @param last
   *   the variable of the row before, -1 if there is none
   * @param evaluated
   *   the condition with the values in it, null if that is not known
   */
  final case class Example(
      partition: String,
      start: Long,
      row: Long,
      last: Int,
      evaluated: String
  ) {
    def length: Long = row - start
  }
}
