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
    val tails = greedyTails(clause.pattern).distinct
    val ends = tails.map { tail =>
      s"PATTERN (${clause.pattern.sql}) may end with ${tail.sql}, which is greedy: a match waits for " +
        s"the next row of its partition, or the end of WITHIN. ${tail.copy(greedy = false).sql}, or a " +
        "fixed number of rows, returns it with its last row."
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
    ends ++ open ++ overlaps.distinct ++ ahead ++ timeouts
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

  /** Loops at the end of the pattern that prefer one more row. */
  private def greedyTails(pattern: RowPattern): Seq[Quantified] = pattern match {
    case loop: Quantified =>
      Option.when(Overlaps.prefersMore(loop))(loop).toSeq ++ greedyTails(loop.element)
    case Concatenation(elements) =>
      val (empty, others) = elements.reverse.span(RowPatternAnalysis.isNullable)
      (empty ++ others.take(1)).flatMap(greedyTails)
    case other => other.children.flatMap(greedyTails)
  }
}
