package io.matchrecognize.execution.explain

import io.matchrecognize.errors.Wording._
import io.matchrecognize.execution.trace.AttemptWatch
import io.matchrecognize.execution.trace.ConditionDisplay.{Null, names}

/**
 * What was found, in sentences, the most general one first. Each attempt is counted once: by a
 * match, or by the reason why it found none.
 */
private[explain] object ExplainSentences {
  private final val MostFailures = 5

  def of(findings: Option[Findings]): Seq[String] = findings match {
    case None => Seq("There are no rows: the input is empty, or no partition has these keys.")
    case Some(found) => new ExplainSentences(found).all
  }
}

private final class ExplainSentences(found: Findings) {
  import ExplainSentences._

  private val variables = found.clause.variables
  private val conditions = new ConditionSentences(found)

  def all: Seq[String] = {
    val told =
      frame.toSeq ++ (total +: (errors ++ stopped ++ skipped ++ conditions.never ++ failures ++ ends ++ matches ++
        conditions.others))
    told.map(oneLine)
  }

  private def frame: Option[String] = found.clause.frame.map { rows =>
    s"The search was made in whole partitions: it leaves out the frame ${code(rows)}, in which the " +
      "query looks for the match of each row, so that the query may find others."
  }

  private def total: String = {
    val where = count(found.rows, "row") +
      (if (found.partitions > 1) s" of ${count(found.partitions, "partition")}" else "")
    val what = if (found.matches == 0) "no match" else count(found.matches, "match", "matches")
    val empty =
      if (found.emptyMatches == 0) "" else s", ${number(found.emptyMatches)} of them empty"
    s"${count(found.attempts, "attempt")} in $where found $what$empty."
  }

  private def errors: Seq[String] = found.error.toSeq.map { error =>
    val where = if (found.partitions > 1) s"Partition ${error.place.partition}: " else ""
    val more =
      if (found.errors < 2) ""
      else s" So do errors in ${count(found.errors - 1, "other partition")}."
    s"$where${error.text}$more"
  }

  private def stopped: Seq[String] = found.stop.toSeq.map { place =>
    val others =
      if (found.stopped < 2) ""
      else s", and so was that of ${count(found.stopped - 1, "other partition")}"
    val fewer =
      if (found.clause.isPartitioned) "give the condition of one partition as `partition`"
      else "filter the input of the query"
    s"The search was stopped after row ${number(place.row + 1)}${of(place)}, since overlapping " +
      s"attempts read too many rows$others; what is said of attempts leaves out the rest. " +
      s"To search fewer rows, $fewer."
  }

  private def skipped: Seq[String] = Option
    .when(found.skipped > 0) {
      val rows =
        if (found.skipped == 1) "1 row lies inside a match, so no attempt began there"
        else
          s"${number(found.skipped)} rows lie inside a match, so no attempt began there"
      val tried =
        if (found.skippedTried < found.skipped)
          s"of ${number(found.skippedTried)} of them that were tried, "
        else ""
      val begin = found.skippedMatches match {
        case 0 => "none would begin a match"
        case _ if found.skipped == 1 => "it would begin one with AFTER MATCH SKIP TO NEXT ROW"
        case some =>
          s"${number(some)} would begin a match with AFTER MATCH SKIP TO NEXT ROW"
      }
      s"$rows (${found.clause.skip}); $tried$begin."
    }
    .toSeq

  private def failures: Seq[String] = {
    val groups = failuresOf(AttemptWatch.ConditionFailed)
    val furthest = groups.sortBy { case (test, _) => -failed(test).length }.take(1)
    val shown = (groups.take(MostFailures) ++ furthest).distinct
    val others = groups.map(_._2).sum - shown.map(_._2).sum
    shown.map { case (test, times) => failure(test, times) } ++
      Option.when(others > 0)(s"${count(others, "attempt")} failed on other conditions.")
  }

  /** The commonest first, and of equal ones the furthest. */
  private def failuresOf(reason: String): Seq[(FailedTest, Long)] =
    found.failures.toSeq
      .collect { case ((`reason`, test), times) => test -> times }
      .sortBy { case (test, times) =>
        (-times, -found.examples((reason, test)).length, test.symbol, test.part, test.truth)
      }

  private def failed(test: FailedTest): Example =
    found.examples((AttemptWatch.ConditionFailed, test))

  private def failure(test: FailedTest, times: Long): String = {
    val example = failed(test)
    val begun = s"row ${number(example.place.start + 1)}${of(example.place)}"
    val row = number(example.place.row + 1)
    val attempts = count(times, "attempt")
    val what = s"${code(text(test))} of ${variables(test.symbol)}"
    if (example.last < 0) {
      val (rows, such) = if (times == 1) ("its", begun) else ("their", s"such as $begun")
      s"$attempts failed at $rows first row, $such, on $what: ${verdict(test, example)}."
    } else {
      val way = s"began at $begun and reached row ${number(example.place.row)} as " +
        s"${variables(example.last)}; in row $row, ${verdict(test, example)}."
      if (times == 1) s"$attempts failed on $what: it $way"
      else s"$attempts failed on $what; the furthest $way"
    }
  }

  private def text(test: FailedTest): String = found.clause.parts(test.symbol)(test.part).text

  private def verdict(test: FailedTest, example: Example): String = {
    val never = if (test.truth == Null) ", and a comparison with NULL is never TRUE" else ""
    s"${Option(example.evaluated).getOrElse("it")} is ${names(test.truth)}$never"
  }

  private def of(place: Place): String =
    if (found.partitions > 1) s" of partition ${place.partition}" else ""

  private def ends: Seq[String] = {
    def times(reason: String) = found.ends.getOrElse(reason, 0L)
    def told(reason: String)(sentence: Long => String): Seq[String] =
      Seq(times(reason)).filter(_ > 0).map(sentence)
    found.clause.within.toSeq.flatMap { within =>
      told(AttemptWatch.WindowEnded) { n =>
        s"${count(n, "attempt")} ran out of time: $within" +
          s"${lastFailures(AttemptWatch.WindowEnded)}.$withoutBound"
      }
    } ++ told(AttemptWatch.RowsEnded) { n =>
      val open =
        if (n == 1) "was still open when the rows of its"
        else "were still open when the rows of their"
      s"${count(n, "attempt")} $open partition ended${lastFailures(AttemptWatch.RowsEnded)}."
    } ++ told(AttemptWatch.FailedBefore) { n =>
      s"${count(n, "attempt")} stopped early: the same path had already failed in an earlier one."
    } ++ told(AttemptWatch.AnchorFailed)(n =>
      s"${count(n, "start")} ${if (n == 1) "was" else "were"} ruled out by ^ or $$."
    ) ++ told(AttemptCounter.TimedOut)(n =>
      s"${count(n, "attempt")} ${if (n == 1) "was" else "were"} cut off by WITHIN and timed out."
    )
  }

  /** What failed last in attempts that did not end with it: the commonest two. */
  private def lastFailures(reason: String): String = failuresOf(reason)
    .take(2)
    .map { case (test, times) =>
      val example = found.examples((reason, test))
      s"; in ${number(times)} of them ${code(text(test))} of ${variables(test.symbol)} had failed" +
        s", as in row ${number(example.place.row + 1)}${of(example.place)}" +
        Option(example.evaluated).fold("")(values => s": $values")
    }
    .mkString

  private def withoutBound: String = {
    val tried =
      if (found.widened < found.ends(AttemptWatch.WindowEnded))
        s"of ${number(found.widened)} that were tried, "
      else ""
    val match_ = found.widenedMatches match {
      case 0 => "none would match"
      case 1 => "1 would match"
      case some => s"${number(some)} would match"
    }
    val shortest = found.nearest.fold("") { span =>
      val rows = s"row ${number(span.place.start + 1)} to row ${number(span.place.row + 1)}"
      s"; the shortest takes WITHIN ${span.text}, from $rows${of(span.place)}"
    }
    s" Without the bound, $tried$match_$shortest."
  }

  private def matches: Seq[String] = {
    val total = found.taken.sum
    val several = variables.indices.filter(found.most(_) > 1).sortBy(i => (-found.taken(i), i))
    val longest = found.longest.filter(_.length > 1).map { found =>
      s"The longest match has ${count(found.length, "row")}, from row " +
        s"${number(found.place.start + 1)}${of(found.place)}: ${found.path}."
    }
    val taken = Option.when(several.nonEmpty) {
      val each = several.map { i =>
        val most = if (found.matches > 1) s" (at most ${number(found.most(i))} in a match)" else ""
        s"${variables(i)} took ${number(found.taken(i))}$most"
      }
      val overlapping =
        if (found.isOverlapping) " (a row of several matches is counted in each)" else ""
      s"Of the ${count(total, "row")} of matches$overlapping, ${list(each)}."
    }
    longest.toSeq ++ taken
  }
}
