package io.matchrecognize.analysis.window

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Expression,
  NamedExpression,
  WindowExpression,
  WindowSpecDefinition
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}

import io.matchrecognize.plans.RowPatternWindow

/**
 * Splits a query with GROUP BY that has a row pattern window: an Aggregate computes the groups and
 * the aggregates over them, a Project above it the windows. So PARTITION BY, ORDER BY and functions
 * read groups and aggregates, and DEFINE and MEASURES the columns of GROUP BY.
 */
private[window] object WindowsOverGroups {

  /**
   * @param having
   *   what filters the groups, over the Aggregate
   */
  def split(aggregate: Aggregate, having: LogicalPlan => LogicalPlan): LogicalPlan = {
    val grouping = aggregate.groupingExpressions
    val columns = mutable.ArrayBuffer.empty[NamedExpression]
    columns ++= grouping.collect { case a: Attribute => a }.distinctBy(_.exprId)

    def column(e: Expression): Attribute = {
      val known = columns.find {
        case Alias(child, _) => child.semanticEquals(e)
        case other => other.semanticEquals(e)
      }
      known.getOrElse {
        val alias = Alias(e, s"_group_${columns.length}")()
        columns += alias
        alias
      }.toAttribute
    }

    def overGroups(e: Expression): Expression = e match {
      case WindowExpression(function, spec) =>
        val own = function match {
          // The function of the window itself; those inside it are of the groups.
          case of: AggregateExpression => of.mapChildren(_.mapChildren(overGroups))
          case other => other.mapChildren(overGroups)
        }
        WindowExpression(own, spec.mapChildren(overGroups).asInstanceOf[WindowSpecDefinition])
      case window: RowPatternWindow => window
      case of: AggregateExpression => column(of)
      case key if grouping.exists(_.semanticEquals(key)) => column(key)
      case other => other.mapChildren(overGroups)
    }

    val list = aggregate.aggregateExpressions.map(overGroups(_).asInstanceOf[NamedExpression])
    Project(list, having(aggregate.copy(aggregateExpressions = columns.toSeq)))
  }

  /** Whether everything but the windows is resolved. */
  def isReady(aggregate: Aggregate): Boolean =
    aggregate.child.resolved && aggregate.groupingExpressions.forall(_.resolved) &&
      aggregate.aggregateExpressions.forall(isReady)

  private def isReady(e: Expression): Boolean = e match {
    case call @ RowPatternWindow.Call(_, partitionSpec, orderSpec) =>
      ResolveRowPatternWindows.isFunctionReady(call.asInstanceOf[WindowExpression]) &&
      (partitionSpec ++ orderSpec).forall(_.resolved)
    case other => other.resolved || (other.children.nonEmpty && other.children.forall(isReady))
  }
}
