package io.matchrecognize.analysis.stream

import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{RowPattern, RowPatternAnalysis}
import io.matchrecognize.plans.PatternClause

/**
 * What delays a match in the order of arrival, where others are returned with their last row, and
 * the form that does not.
 */
object ArrivalWaits {
  def of(clause: PatternClause): Seq[String] = {
    val last = ends(clause.pattern)
    val tails = last.collect {
      case loop: Quantified if Overlaps.prefersMore(loop) => loop
    }.distinct
    val greedy = tails.map { tail =>
      s"PATTERN (${clause.pattern.sql}) may end with ${tail.sql}, which is greedy: a match waits for " +
        s"the next row of its partition, or the end of WITHIN. ${tail.copy(greedy = false).sql}, or a " +
        "fixed number of rows, returns it with its last row."
    }
    val alternatives = last.collect {
      case part @ Alternation(branches) if mayBeLongerBefore(branches) =>
        s"${part.sql} of PATTERN (${clause.pattern.sql}) prefers an alternative that may have more rows: " +
          "a match with another one waits while that one is possible. The one with fewer rows first " +
          "returns it with its last row."
    }
    val defined = clause.definitions.map(_._1).toSet
    val loops = inner(clause.pattern).filterNot(tails.contains).distinct
    val open = loops.filter(loop => takesEveryRow(loop.element, defined)).map { loop =>
      s"${loop.sql} of PATTERN (${clause.pattern.sql}) takes every row, and is greedy: a match waits " +
        s"until a longer one is no longer possible. ${loop.copy(greedy = false).sql} returns it with " +
        "its last row."
    }
    val overlaps =
      new Overlaps(clause.definitions.toMap, clause.subsets).of(clause.pattern).collect {
        case (loop, row, next) if !tails.contains(loop) && !takesEveryRow(loop.element, defined) =>
          s"${loop.sql} of PATTERN (${clause.pattern.sql}) is greedy, and a row may be both $row and " +
            s"$next, as far as DEFINE shows: a match with such rows waits until a longer one is no " +
            s"longer possible. ${loop.copy(greedy = false).sql}, or conditions that contradict each " +
            "other, return it with its last row."
      }
    val ahead = Option.when(clause.readsAhead) {
      "NEXT: a match whose last row it reads from waits for the rows after it. A variable of PATTERN " +
        "for that row does not wait longer than for the row itself."
    }
    val timeouts = Option.when(clause.rowsPerMatch.showsTimeouts) {
      "SHOW TIMEOUT MATCHES: a timeout waits for a micro-batch whose watermark has passed the end of " +
        "WITHIN. A shorter delay of the watermark returns it earlier."
    }
    greedy ++ alternatives.distinct ++ open ++ overlaps.distinct ++ ahead ++ timeouts
  }

  /** All loops that prefer one more row. */
  private def inner(pattern: RowPattern): Seq[Quantified] = (pattern match {
    case loop: Quantified if Overlaps.prefersMore(loop) => Seq(loop)
    case _ => Nil
  }) ++ pattern.children.flatMap(inner)

  /** Whether each row may be a row of the pattern, whatever is in it. */
  private def takesEveryRow(pattern: RowPattern, defined: Set[String]): Boolean = pattern match {
    case Variable(name) => !defined(name)
    case Alternation(branches) => branches.exists(takesEveryRow(_, defined))
    case _ => false
  }

  /** Parts after which the pattern may end. */
  private def ends(pattern: RowPattern): Seq[RowPattern] = pattern +: (pattern match {
    case Concatenation(elements) =>
      val (empty, others) = elements.reverse.span(RowPatternAnalysis.isNullable)
      (empty ++ others.take(1)).flatMap(ends)
    case other => other.children.flatMap(ends)
  })

  /** Whether an alternative may have more rows than one after it. */
  private def mayBeLongerBefore(branches: Seq[RowPattern]): Boolean =
    branches.indices.drop(1).exists(i => branches.take(i).exists(most(_) > least(branches(i))))

  /** The least number of rows; a Double, since bounds are multiplied. */
  private def least(pattern: RowPattern): Double = pattern match {
    case Variable(_) => 1
    case Alternation(branches) => branches.map(least).minOption.getOrElse(0)
    case Quantified(element, lower, _, _) => lower * least(element)
    case other => other.children.map(least).sum
  }

  /** The largest number of rows. */
  private def most(pattern: RowPattern): Double = pattern match {
    case Variable(_) => 1
    case Alternation(branches) => branches.map(most).maxOption.getOrElse(0)
    case Quantified(element, _, upper, _) =>
      if (RowPatternAnalysis.mapsRows(element))
        most(element) * upper.fold(Double.PositiveInfinity)(_.toDouble)
      else 0
    case other => other.children.map(most).sum
  }
}
