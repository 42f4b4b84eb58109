package io.matchrecognize.streaming

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.expressions.{MatchNumber, Navigation}
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.pattern.RowPattern._

/** Constructs that cause unbounded state; the query names them in a warning when it starts. */
object UnboundedStateCheck {

  /** What a user should know when the query starts. */
  def warnings(
      pattern: RowPattern,
      definedVariables: Seq[String],
      conditions: Seq[Expression],
      measures: Seq[Expression],
      hasWithin: Boolean
  ): Seq[String] = {
    val unbounded =
      if (hasWithin) Nil else unboundedVariables(pattern, definedVariables, conditions)
    val growing = unbounded.map { variable =>
      s"PATTERN (${pattern.sql}) can hold rows for ever: $variable takes every row and its loop " +
        "has no end. Add WITHIN, define it as the negation of what follows, or make the loop " +
        "reluctant (*?)."
    }
    val kept = endless(pattern, measures ++ conditions)
    growing ++ (if (kept.isEmpty) Nil
                else
                  Seq(
                    s"${kept.mkString(", ")}: the stream keeps a little state of every partition " +
                      s"for ever; ${MatchRecognizeConf.MaxStateKeys.key} limits the partitions."
                  ))
  }

  /** Constructs that keep a little state of every partition for ever. */
  def endless(pattern: RowPattern, expressions: Seq[Expression]): Seq[String] = {
    def reads(p: Expression => Boolean): Boolean = expressions.exists(_.exists(p))
    Seq(
      "MATCH_NUMBER" -> reads(_.isInstanceOf[MatchNumber]),
      "^" -> pattern.exists(_ == StartAnchor),
      "PREV" -> reads {
        case Navigation(_, target) => target.physicalOffset < 0
        case _ => false
      }
    ).collect { case (name, true) => name }
  }

  /**
   * Variables of greedy loops without bound that take every row, so that a match with one of them
   * ends with the stream only.
   */
  def unboundedVariables(
      pattern: RowPattern,
      definedVariables: Seq[String],
      conditions: Seq[Expression]
  ): Seq[String] = {
    val conditionOf = definedVariables.zip(conditions).toMap
    def takesAll(element: RowPattern): Seq[String] = element match {
      case Label(name) if conditionOf.getOrElse(name, TrueLiteral) == TrueLiteral => Seq(name)
      case Concatenation(_) | Permutation(_) if !element.children.forall(takesAll(_).nonEmpty) =>
        Nil
      case _ => element.children.flatMap(takesAll)
    }
    def loops(p: RowPattern): Seq[String] = p match {
      case Quantified(element, _, None, true) => takesAll(element) ++ loops(element)
      case other => other.children.flatMap(loops)
    }
    loops(pattern).distinct
  }
}
