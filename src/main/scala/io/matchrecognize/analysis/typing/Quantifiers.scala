package io.matchrecognize.analysis.typing

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.analysis.names.OuterConstants
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
import io.matchrecognize.plans.{QuantifierBounds, UnresolvedMatchRecognize}

/** Puts the values of parameters and session variables into the quantifiers of PATTERN. */
object Quantifiers {

  /** The node with all bounds in its row pattern, once Spark's rules have resolved them. */
  def bound(node: UnresolvedMatchRecognize): UnresolvedMatchRecognize = {
    val clause = node.clause
    val values = clause.quantifiers.collect { case quantifier: QuantifierBounds =>
      quantifier.number -> checked(quantifier)
    }.toMap
    if (values.isEmpty) node
    else
      node.copy(clause =
        clause.copy(
          pattern = QuantifierBounds.bound(clause.pattern, values),
          quantifiers = Nil
        )
      )
  }

  private def checked(quantifier: QuantifierBounds): (Int, Option[Int]) =
    if (quantifier.children.exists(OuterConstants.isPlaceholder)) (0, None)
    else withValues(quantifier)

  private def withValues(quantifier: QuantifierBounds): (Int, Option[Int]) = {
    val text = UserText.of(quantifier)
    val numbers = quantifier.children.zip(quantifier.places).map { case (bound, place) =>
      integer(bound, text, place)
    }
    val lower = quantifier.lower.map(_ => numbers.head)
    val upper =
      if (quantifier.isExact) lower else quantifier.upper.map(_ => numbers.last)
    QuantifierBounds.checked(lower, upper).getOrElse {
      val values = quantifier.text(lower.map(_.toString), upper.map(_.toString))
      throw Errors.quantifierBounds(text, Some(values), quantifier.element, quantifier.origin)
    }
  }

  private def integer(bound: Expression, quantifier: String, place: Origin): Long = {
    val value = Constants.fold(bound)
    value.flatMap(QuantifierBounds.integer).getOrElse {
      throw Errors.quantifierValue(UserText.of(bound, place), quantifier, value, place)
    }
  }
}
