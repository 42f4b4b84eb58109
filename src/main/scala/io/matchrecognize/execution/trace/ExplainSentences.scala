package io.matchrecognize.execution.trace

import java.util.Locale

import io.matchrecognize.errors.UserText
import io.matchrecognize.errors.Wording._
import io.matchrecognize.execution.trace.ConditionCounts.{OfCondition, Unreached, ValueCounts}
import io.matchrecognize.execution.trace.ConditionDisplay.{Error, False, Null, True, names}
import io.matchrecognize.execution.trace.Explanation.{Example, FailedAttempts, FailedTest}

/**
 * What was found, in sentences, the most general one first. Each attempt is counted once: by a
 * match, or by the reason why it found none.
 */
private[trace] object ExplainSentences {
  private final val MostFailures = 5
  private final val Rare = 1000L
  private final val MostShown = 3

  def of(found: Explanation, isCut: Boolean): Seq[String] =
    if (found.partitions == 0)
      Seq("There are no rows: the input is empty, or no partition has these keys.")
    else new ExplainSentences(found).all(isCut)

  /** Letters that differ, apart from case and blanks. */
  private def distance(a: String, b: String): Int = {
    def plain(text: String) = text.toLowerCase(Locale.ROOT).filterNot(c => c.isWhitespace)
    UserText.distance(plain(a), plain(b))
  }
}

private final class ExplainSentences(found: Explanation) {
  import ExplainSentences._

  private val program = found.program
  private val variables = program.variables
  private val conditions = found.conditions.ofConditions
  private val rows = found.conditions.all

  def all(isCut: Boolean): Seq[String] = {
    // Of conditions, or parts of them, that hold on no row; and of the others.
    val (dead, alive) =
      variables.indices.filter(conditions(_).conjuncts.nonEmpty).partition(isNever)
    val told = Option.when(isCut)(limit).toSeq ++ frame ++
      (total +: (errors ++ skipped ++ dead.flatMap(ofVariable) ++ conditionFailures ++ ends ++
        alive.flatMap(ofVariable)))
    told.map(oneLine)
  }

  private def limit: String =
    s"The search read ${count(rows, "row")} of a larger input, to which max_rows limits it: some " +
      "partitions may lack rows. Give the condition of some as `partition`, filter the input, or set " +
      "max_rows."

  private def frame: Option[String] = program.frame.map { rows =>
    s"The search was made in whole partitions: it leaves out the frame ${code(rows)}, in which the " +
      "query looks for the match of each row, so that the query may find others."
  }

  private def total: String = {
    val where = count(rows, "row") +
      (if (found.partitions > 1) s" of ${count(found.partitions, "partition")}" else "")
    val what = if (found.matches == 0) "no match" else count(found.matches, "match", "matches")
    val empty =
      if (found.emptyMatches == 0) "" else s", ${number(found.emptyMatches)} of them empty"
    s"${count(found.attempts, "attempt")} in $where found $what$empty."
  }

  private def errors: Seq[String] = found.error.toSeq.map { case (partition, text) =>
    val where = if (found.partitions > 1) s"Partition $partition: " else ""
    val more =
      if (found.errors < 2) ""
      else s" So do errors in ${count(found.errors - 1, "other partition")}."
    s"$where$text$more"
  }

  private def skipped: Seq[String] = Option
    .when(found.skipped > 0) {
      val lie = if (found.skipped == 1) "row lies" else "rows lie"
      s"${number(found.skipped)} $lie inside a match, so no attempt began there (${program.skip})."
    }
    .toSeq

  private def conditionFailures: Seq[String] = {
    val groups = failuresOf(AttemptWatch.ConditionFailed)
    val furthest = groups.sortBy { case (_, attempts) => -attempts.furthest.length }.take(1)
    val shown = (groups.take(MostFailures) ++ furthest).distinct
    val others = groups.map(_._2.count).sum - shown.map(_._2.count).sum
    shown.map { case (test, attempts) => failure(test, attempts) } ++
      Option.when(others > 0)(s"${count(others, "attempt")} failed on other conditions.")
  }

  /** The commonest first, and of equal ones the furthest. */
  private def failuresOf(reason: String): Seq[(FailedTest, FailedAttempts)] =
    found.failed.toSeq
      .collect { case ((`reason`, test), attempts) => test -> attempts }
      .sortBy { case (test, attempts) =>
        (-attempts.count, -attempts.furthest.length, test.symbol, test.part, test.truth)
      }

  private def failure(test: FailedTest, failed: FailedAttempts): String = {
    val example = failed.furthest
    val begun = s"row ${number(example.start + 1)}${of(example)}"
    val row = number(example.row + 1)
    val attempts = count(failed.count, "attempt")
    val what = s"${code(text(test))} of ${variables(test.symbol)}"
    if (example.last < 0) {
      val (rows, such) = if (failed.count == 1) ("its", begun) else ("their", s"such as $begun")
      s"$attempts failed at $rows first row, $such, on $what: ${verdict(test, example)}."
    } else {
      val way = s"began at $begun and reached row ${number(example.row)} as " +
        s"${variables(example.last)}; in row $row, ${verdict(test, example)}."
      if (failed.count == 1) s"$attempts failed on $what: it $way"
      else s"$attempts failed on $what; the furthest $way"
    }
  }

  private def text(test: FailedTest): String =
    conditions(test.symbol).conjuncts(test.part).text

  private def verdict(test: FailedTest, example: Example): String = {
    val never = if (test.truth == Null) ", and NULL is not TRUE" else ""
    val truth = names(test.truth).toString
    s"${Option(example.evaluated).filter(_ != truth).getOrElse("it")} is $truth$never"
  }

  private def of(example: Example): String =
    if (found.partitions > 1) s" of partition ${example.partition}" else ""

  private def ends: Seq[String] = {
    def told(reason: String)(sentence: Long => String): Seq[String] =
      Seq(found.ends(reason)).filter(_ > 0).map(sentence)
    def were(n: Long) = if (n == 1) "was" else "were"
    program.within.toSeq.flatMap { within =>
      told(AttemptWatch.WindowEnded) { n =>
        s"${count(n, "attempt")} ran out of time: $within${lastFailures(AttemptWatch.WindowEnded)}."
      }
    } ++ told(AttemptWatch.RowsEnded) { n =>
      val their = if (n == 1) "its" else "their"
      s"${count(n, "attempt")} ${were(n)} still open when the rows of $their partition ended" +
        s"${lastFailures(AttemptWatch.RowsEnded)}."
    } ++ told(AttemptWatch.FailedBefore) { n =>
      s"${count(n, "attempt")} stopped early: the same path had already failed in an earlier one."
    } ++ told(AttemptWatch.AnchorFailed)(n =>
      s"${count(n, "start")} ${were(n)} ruled out by ^ or $$."
    ) ++ told(AttemptWatch.TimedOut)(n =>
      s"${count(n, "attempt")} ${were(n)} cut off by WITHIN and timed out."
    )
  }

  /** What failed last in attempts that did not end with it: the commonest two. */
  private def lastFailures(reason: String): String = failuresOf(reason)
    .take(2)
    .map { case (test, failed) =>
      val example = failed.furthest
      s"; in ${number(failed.count)} of them ${code(text(test))} of ${variables(test.symbol)} had " +
        s"failed, as in row ${number(example.row + 1)}${of(example)}" +
        Option(example.evaluated).fold("")(values => s": $values")
    }
    .mkString

  private def isNever(symbol: Int): Boolean = {
    val counts = conditions(symbol)
    val tests = found.tested(symbol)
    (if (counts.isLocalWhole) counts.whole(True) == 0 else tests.sum > 0 && tests(True) == 0) ||
    counts.truths.zip(counts.conjuncts).exists { case (truths, part) =>
      part.isLocal && truths(True) == 0
    }
  }

  /** How often a condition and its parts hold, whatever the pattern is. */
  private def ofVariable(symbol: Int): Seq[String] = {
    val counts = conditions(symbol)
    def text(part: Int) = code(counts.conjuncts(part).text)
    val local = counts.conjuncts.indices.filter(counts.conjuncts(_).isLocal)
    val isOne = counts.conjuncts.length == 1
    val whole =
      if (isOne) s"${text(0)} of ${variables(symbol)}"
      else s"The condition of ${variables(symbol)}"
    def parts = list(local.map(part => s"${text(part)} ${ofRows(counts.truths(part))}"))
    val first =
      if (counts.isLocalWhole)
        s"$whole ${ofRows(counts.whole)}${if (isOne) "" else s"; of its parts, $parts"}."
      else {
        val tests = found.tested(symbol)
        val met =
          if (tests.sum == 0) "no attempt came to it"
          else s"attempts found it ${truths(tests, tests.sum, "test")}"
        s"$whole depends on the match so far; $met.${if (local.isEmpty) "" else s" Alone, $parts."}"
      }
    first +: local.flatMap(nearest(counts, _))
  }

  private def ofRows(counts: Array[Long]): String = s"is ${truths(counts, rows, "row")}"

  private def truths(counts: Array[Long], all: Long, word: String): String = {
    val holds = counts(True) match {
      case 0 if all > 1 => s"TRUE in none of ${count(all, word)}"
      case `all` if all > 1 => s"TRUE in all ${count(all, word)}"
      case some => s"TRUE in ${number(some)} of ${count(all, word)}"
    }
    val rest = Seq(
      "FALSE in" -> False,
      "NULL in" -> Null,
      "an error in" -> Error,
      "not evaluated in" -> Unreached
    ).collect {
      case (text, truth) if counts.lift(truth).exists(_ > 0) => s"$text ${number(counts(truth))}"
    }
    if (rest.isEmpty) holds else s"$holds (${rest.mkString(", ")})"
  }

  /** The values that occur in place of those that an equality wants and that are rare. */
  private def nearest(counts: OfCondition, part: Int): Option[String] = for {
    (compared, wanted) <- counts.conjuncts(part).compared
    found <- Option(counts.values(part))
    hits = counts.truths(part)(True)
    if hits * Rare < rows && hits < ConditionCounts.Enough
    sentence <- nearest(compared.isString, wanted, found)
  } yield s"${code(compared.text)} $sentence"

  private def nearest(
      isString: Boolean,
      wanted: Seq[String],
      found: ValueCounts
  ): Option[String] = {
    val values = found.counts
    def shown(text: String) = if (isString) s"'${text.replace("'", "''")}'" else text
    if (found.isOver)
      Some(s"has more than ${number(ConditionCounts.MostValues)} other values.")
    else
      Option.when(values.nonEmpty) {
        val near = values.keys.toSeq
          .flatMap(text => wanted.map(wanted => (distance(text, wanted), text, wanted)))
          .filter { case (far, _, wanted) => far <= 2 && far * 2 <= wanted.length }
          .sortBy { case (far, text, _) => (far, -values(text), text) }
          .headOption
        val commonest = values.toSeq.sortBy { case (text, times) => (-times, text) }.take(MostShown)
        val listed =
          (near.map { case (_, text, _) => text -> values(text) } ++ commonest).toSeq.distinct
            .take(MostShown)
            .map { case (text, times) => s"${shown(text)} in ${count(times, "row")}" }
        s"is ${list(listed)}" + near.fold(".") { case (_, text, wanted) =>
          s"; did you mean ${shown(text)} instead of ${shown(wanted)}?"
        }
      }
  }
}
