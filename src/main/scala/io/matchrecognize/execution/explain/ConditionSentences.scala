package io.matchrecognize.execution.explain

import java.util.Locale

import io.matchrecognize.errors.UserText
import io.matchrecognize.errors.Wording._
import io.matchrecognize.execution.trace.ConditionDisplay.{Error, False, Null, True}

/** How often the conditions hold, whatever the pattern is. */
private final class ConditionSentences(found: Findings) {
  import ConditionSentences._

  private val clause = found.clause
  private val defined = clause.variables.indices.filter(clause.parts(_).nonEmpty)
  private val (dead, alive) = defined.partition(isNever)

  /** Of conditions, or parts of them, that hold on no row. */
  def never: Seq[String] = dead.flatMap(ofVariable)

  /** Of the other conditions. */
  def others: Seq[String] = alive.flatMap(ofVariable)

  private def isNever(symbol: Int): Boolean =
    (isWhole(symbol) && found.alone(symbol)(True) == 0) ||
      clause.parts(symbol).indices.exists { part =>
        clause.parts(symbol)(part).isLocal && found.parts(symbol)(part)(True) == 0
      } || (!isWhole(symbol) && found.tested(symbol).sum > 0 && found.tested(symbol)(True) == 0)

  private def isWhole(symbol: Int): Boolean = clause.parts(symbol).forall(_.isLocal)

  private def ofVariable(symbol: Int): Seq[String] = {
    val parts = clause.parts(symbol)
    val name = clause.variables(symbol)
    val local = parts.indices.filter(parts(_).isLocal)
    val first =
      if (isWhole(symbol) && parts.length == 1)
        s"${code(parts(0).text)} of $name ${ofRows(found.alone(symbol))}."
      else if (isWhole(symbol))
        s"The condition of $name ${ofRows(found.alone(symbol))}; of its parts, " +
          s"${list(local.map(part => ofPart(symbol, part)))}."
      else {
        val tests = found.tested(symbol)
        val met =
          if (tests.sum == 0) "no attempt came to it"
          else s"attempts found it ${truths(tests, tests.sum, "test")}"
        val whole =
          if (parts.length == 1) s"${code(parts(0).text)} of $name"
          else s"The condition of $name"
        val alone =
          if (local.isEmpty) ""
          else s" Alone, ${list(local.map(part => ofPart(symbol, part)))}."
        s"$whole depends on the match so far; $met.$alone"
      }
    first +: local.flatMap(nearest(symbol, _))
  }

  private def ofPart(symbol: Int, part: Int): String =
    s"${code(clause.parts(symbol)(part).text)} ${ofRows(found.parts(symbol)(part))}"

  private def ofRows(counts: Array[Long]): String = s"is ${truths(counts, found.rows, "row")}"

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
      "not evaluated in" -> ConditionCounts.Unreached
    ).collect {
      case (text, truth) if counts.lift(truth).exists(_ > 0) => s"$text ${number(counts(truth))}"
    }
    if (rest.isEmpty) holds else s"$holds (${rest.mkString(", ")})"
  }

  /** The values that occur in place of those that a part wants and that are rare. */
  private def nearest(symbol: Int, part: Int): Option[String] = {
    val explained = clause.parts(symbol)(part)
    val counts = found.parts(symbol)(part)
    val occurring = Option(found.values(symbol)(part))
    val values = occurring.map(_.counts).getOrElse(Map.empty)
    val isRare = counts(True) * Rare < found.rows && counts(True) < ConditionCounts.Enough
    if (isRare && occurring.exists(_.isPartial)) explained.value.map { value =>
      s"${code(value)} has more than ${number(ValueCounts.MostValues)} other values."
    }
    else
      explained.value.filter(_ => isRare && values.nonEmpty).map { value =>
        def shown(text: String) =
          if (explained.isString) s"'${text.replace("'", "''")}'" else text
        val near = values.keys.toSeq
          .flatMap(text => explained.wanted.map(wanted => (distance(text, wanted), text, wanted)))
          .filter { case (far, _, wanted) => far <= 2 && far * 2 <= wanted.length }
          .sortBy { case (far, text, _) => (far, -values(text), text) }
          .headOption
        val commonest = values.toSeq.sortBy { case (text, times) => (-times, text) }.take(MostShown)
        val listed =
          (near.map { case (_, text, _) => text -> values(text) } ++ commonest).toSeq.distinct
            .take(MostShown)
            .map { case (text, times) => s"${shown(text)} in ${count(times, "row")}" }
        val meant = near.fold("") { case (_, text, wanted) =>
          s"; did you mean ${shown(text)} instead of ${shown(wanted)}?"
        }
        s"${code(value)} is ${list(listed)}$meant" + (if (near.isEmpty) "." else "")
      }
  }
}

private object ConditionSentences {
  private final val Rare = 1000L
  private final val MostShown = 3

  /** Letters that differ, apart from case and blanks. */
  private def distance(a: String, b: String): Int = {
    def plain(text: String) = text.toLowerCase(Locale.ROOT).filterNot(c => c.isWhitespace)
    UserText.distance(plain(a), plain(b))
  }
}
