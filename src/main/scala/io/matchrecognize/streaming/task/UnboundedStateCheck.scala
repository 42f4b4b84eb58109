package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.expressions.MatchNumber
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.plans.PatternClause

/** Constructs that cause unbounded state; a query warns of them when it starts. */
object UnboundedStateCheck {

  /**
   * The warnings to log when the query starts.
   *
   * @param isBounded
   *   whether the watermark ends all attempts
   * @param endless
   *   see the method
   */
  def warnings(clause: PatternClause, isBounded: Boolean, endless: Seq[String]): Seq[String] = {
    val unbounded = if (isBounded) Nil else unboundedVariables(clause)
    val growing = unbounded.map { variable =>
      s"PATTERN (${clause.pattern.sql}) can hold rows forever: $variable takes every row and its " +
        "loop has no end. Add WITHIN, define it as the negation of what follows, or make the loop " +
        "reluctant (*?)."
    }
    val waiting = Option.when(clause.readsAhead) {
      "NEXT: a match waits for the rows after it, and is kept forever, WITHIN or not, if its " +
        "partition receives none."
    }
    val staying = Option.when(endless.nonEmpty) {
      val which = if (endless == Seq(MatchNumbers)) " with a match" else ""
      s"${endless.mkString(", ")}: the stream keeps a little state of every partition$which " +
        s"forever; ${MatchRecognizeConf.MaxStateKeys.key} limits the partitions."
    }
    growing ++ waiting ++ staying
  }

  /** Keeps state of the partitions that have had a match. */
  final val MatchNumbers = "MATCH_NUMBER"

  /**
   * Constructs that keep a little state of every partition forever, or of those with a match.
   *
   * @param lookBack
   *   rows before a match that PREV may read
   */
  def endless(clause: PatternClause, lookBack: Int): Seq[String] = Seq(
    MatchNumbers ->
      (clause.measures ++ clause.conditions).exists(_.exists(_.isInstanceOf[MatchNumber])),
    "^" -> clause.pattern.exists(_ == StartAnchor),
    "PREV" -> (lookBack > 0)
  ).collect { case (name, true) => name }

  /**
   * Variables of unbounded greedy loops that take every row, so that a match with one of them ends
   * only with the stream.
   */
  def unboundedVariables(clause: PatternClause): Seq[String] = {
    val conditionOf = clause.definitions.toMap
    def takesAll(element: RowPattern): Seq[String] = element match {
      case Variable(name) if conditionOf.getOrElse(name, TrueLiteral) == TrueLiteral => Seq(name)
      case Concatenation(_) | Permutation(_) if !element.children.forall(takesAll(_).nonEmpty) =>
        Nil
      case _ => element.children.flatMap(takesAll)
    }
    def loops(p: RowPattern): Seq[String] = p match {
      case Quantified(element, _, None, true) => takesAll(element) ++ loops(element)
      case other => other.children.flatMap(loops)
    }
    loops(clause.pattern).distinct
  }
}
