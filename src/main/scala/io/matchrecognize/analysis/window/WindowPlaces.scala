package io.matchrecognize.analysis.window

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.catalyst.rules.Rule

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.plans.RowPatternWindow
import io.matchrecognize.shims.MinorClass

/**
 * Refuses calls over a [[RowPatternWindow]] outside the SELECT list of a plain query, the only
 * place where `ResolveRowPatternWindows` computes them.
 *
 * As a rule it refuses those of a query with GROUP BY or QUALIFY, before Spark's resolution rules
 * take such a query apart. Aggregates without GROUP BY are known only once functions are resolved.
 */
object WindowPlaces extends Rule[LogicalPlan] {

  /** Prefix of the columns that `ResolveRowPatternWindows` puts in place of calls. */
  private[window] final val ColumnPrefix = "__row_pattern_window_"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp { case operator =>
    checkGroups(operator)
    operator
  }

  private def checkGroups(plan: LogicalPlan): Unit = plan match {
    case aggregate: Aggregate =>
      aggregate.aggregateExpressions.foreach { item =>
        item.foreach {
          case function: AggregateExpression if function.exists(isOfCall) =>
            throw Errors.windowOfGroups(function.origin)
          case _ =>
        }
        calls(item).foreach(call => throw Errors.windowOfGroups(place(call)))
        if (item.exists(isOfCall)) throw Errors.windowOfGroups(item.origin)
      }
    case qualify: UnaryNode if MinorClass.UnresolvedQualify.isClassOf(qualify) =>
      (qualify.expressions ++ qualify.child.expressions).flatMap(calls).foreach { call =>
        throw Errors.windowPlace("A query with QUALIFY", place(call))
      }
    case _ =>
  }

  /** Refuses a call that is not in a SELECT list, or inside another call over the same window. */
  def check(plan: LogicalPlan): Unit = plan.expressions.flatMap(calls).foreach { call =>
    plan match {
      case _: Project =>
        calls(call.children.head).foreach { inner =>
          throw Errors.windowPlace("A function over the same window", inner.origin)
        }
      case other =>
        throw Errors.windowPlace(other.nodeName.stripPrefix("Unresolved"), place(call))
    }
  }

  private def calls(e: Expression): Seq[Expression] = e.collect {
    case call @ RowPatternWindow.Call(_, _, _) => call
  }

  private def isOfCall(e: Expression): Boolean = e match {
    case column: AttributeReference => column.name.startsWith(ColumnPrefix)
    case _ => false
  }

  private def place(call: Expression) = {
    val RowPatternWindow.Call(window, _, _) = call: @unchecked
    if (call.origin.line.isDefined) call.origin else window.positions.clause
  }
}
