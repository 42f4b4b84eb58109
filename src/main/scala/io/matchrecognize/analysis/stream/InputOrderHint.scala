package io.matchrecognize.analysis.stream

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.NonNullLiteral
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnresolvedHint}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * Matches the hint `INPUT_ORDER(arrival)` and produces the query below it, whose clauses have the
 * order of the hint in place of the session's; a hint in a query below takes precedence there. Over
 * a query without a clause of its own, as one of views, it stays for Spark to warn of.
 *
 * It runs among Spark's rules for hints, before any names are resolved. The values are those of the
 * setting, and so is the error for another one.
 */
object InputOrderHint extends Rule[LogicalPlan] {
  private final val Name = "INPUT_ORDER"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case UnresolvedHint(name, Seq(Order(order)), child)
        if name.equalsIgnoreCase(Name) && child.exists(_.isInstanceOf[UnresolvedMatchRecognize]) =>
      // Checks the value.
      new SQLConf().setConfString(MatchRecognizeConf.InputOrder.key, order)
      ordered(child, order)
  }

  private def ordered(plan: LogicalPlan, order: String): LogicalPlan = plan.resolveOperatorsUp {
    case clause: UnresolvedMatchRecognize if clause.inputOrder.isEmpty =>
      clause.copy(inputOrder = Some(order))
  }

  private object Order {
    def unapply(parameter: Any): Option[String] = (parameter match {
      case UnresolvedAttribute(Seq(name)) => Some(name)
      case NonNullLiteral(text, _: StringType) => Some(text.toString)
      case text: String => Some(text)
      case _ => None
    }).map(_.toLowerCase(Locale.ROOT))
  }
}
