package io.matchrecognize.execution.explain

import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.trace.{AttemptWatch, ConditionDisplay, PathText}
import io.matchrecognize.execution.truth.ConditionEvaluator
import io.matchrecognize.matcher.{Matcher, Path, SearchProbe}

/**
 * Counts how attempts end, and keeps examples of those that came furthest. What is kept of a thread
 * is the symbol of its last row.
 *
 * @param partition
 *   the current partition
 */
private final class AttemptCounter(
    program: ExplainProgram,
    rows: Rows,
    input: ConditionEvaluator,
    findings: Findings,
    budget: RowBudget,
    partition: () => PartitionName
) extends AttemptWatch {
  import AttemptCounter._

  private val automaton = program.task.clause.automaton
  private val shown = new ConditionDisplay(program.conditions, input, UserText.cut(_))
  // Where the rows of the matches of the partition end.
  private var matched = 0L
  private val taken = new Array[Long](automaton.symbols.size)

  // The test that failed furthest along; its truth is found out when it is needed, if it can be.
  private var row = 0L
  private var symbol = 0
  private var last = -1
  private var decided = Undecided
  private var evaluated: String = _

  override def tried(
      thread: Int,
      position: Int,
      testedRow: Long,
      path: Path,
      fate: SearchProbe.Fate
  ): Unit = {
    val tested = automaton.symbolOf(position)
    val isFailure = fate == SearchProbe.Refused || fate == SearchProbe.Error
    val found = if (path == null) Undecided else truthOnPath(tested, testedRow, path, isFailure)
    if (isFurther(position, testedRow, fate)) {
      row = testedRow
      symbol = tested
      last = if (testedRow == start) -1 else before(thread)
      decided = found
      evaluated = null
      if (path != null && isWantedLater) evaluated = text(path)
    }
    if (fate == SearchProbe.Kept) after += tested
  }

  /** Whether this is an example of one of the ends that the attempt may still have. */
  private def isWantedLater: Boolean = {
    val open = if (end == rows.length) AttemptWatch.RowsEnded else AttemptWatch.WindowEnded
    findings.isWanted((AttemptWatch.ConditionFailed, test), place) ||
    findings.isWanted((open, test), place)
  }

  private def truthOnPath(symbol: Int, row: Long, path: Path, isFailure: Boolean): Int =
    if (!isFailure) {
      findings.tested(symbol)(ConditionDisplay.True) += 1
      Undecided
    } else {
      val found = shown.decided(symbol, row, path)
      findings.tested(symbol)(ConditionDisplay.truthIn(found)) += 1
      found
    }

  override def completed(length: Long, thread: Int, threads: Int): Unit = ()

  def beginPartition(): Unit = matched = 0

  /** The attempt ended without an error; why, if it found no match. */
  def end(outcome: Matcher.Outcome, matcher: Matcher): String = {
    findings.attempts += 1
    budget.spend(rowsFed)
    outcome match {
      case Matcher.Matched =>
        countMatch(matcher)
        null
      case Matcher.TimedOut =>
        Tally.add(findings.ends, TimedOut, 1L)
        TimedOut
      case _ =>
        val why = reason(rows.length)
        Tally.add(findings.ends, why, 1L)
        if (hasFailed) countFailure(why)
        why
    }
  }

  /** The attempt ended with an error. */
  def fail(): Unit = {
    findings.attempts += 1
    Tally.add(findings.ends, Failed, 1L)
  }

  private def countFailure(why: String): Unit = {
    val isOnRow = decided == Undecided
    if (isOnRow) decided = shown.decided(symbol, row, null)
    val key = (why, test)
    Tally.add(findings.failures, key, 1L)
    if (findings.isWanted(key, place)) {
      if (isOnRow) evaluated = text(null)
      findings.offer(key, Example(place, last, evaluated))
    }
  }

  private def test =
    FailedTest(symbol, ConditionDisplay.partIn(decided), ConditionDisplay.truthIn(decided))

  private def place = Place(partition(), start, row)

  private def text(path: Path): String = {
    val found = shown.test(symbol, row, path).evaluated
    if (found == null) null else found.toString
  }

  private def countMatch(matcher: Matcher): Unit = {
    val length = matcher.length
    findings.matches += 1
    if (length == 0) findings.emptyMatches += 1
    java.util.Arrays.fill(taken, 0L)
    var offset = 0L
    while (offset < length) {
      taken(matcher.symbolAt(offset)) += 1
      offset += 1
    }
    var i = 0
    while (i < taken.length) {
      findings.taken(i) += taken(i)
      findings.most(i) = findings.most(i).max(taken(i))
      i += 1
    }
    if (length > 0) {
      if (start < matched) findings.isOverlapping = true
      matched = matched.max(start + length)
      val found = Place(partition(), start, start + length - 1)
      if (findings.isLongest(found)) {
        // One that ends early is longer than what is shown, so that the cut is seen.
        val path =
          PathText.of(program.clause.variables, length, UserText.MaxValue)(matcher.symbolAt)
        findings.offer(LongestMatch(found, UserText.cut(path)))
      }
    }
  }
}

private[explain] object AttemptCounter {
  final val TimedOut = "timed out"
  final val Failed = "error"
  private final val Undecided = -1
}
