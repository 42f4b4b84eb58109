package io.matchrecognize.analysis.window

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  OuterReference,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.AnalysisHelper

/**
 * Correlated subqueries of a query with GROUP BY whose keys become other columns: its children are
 * the columns that it reads of the query, which its plan has too.
 */
private[window] object OuterKeys {
  def renamed(subquery: SubqueryExpression)(key: Expression => Expression): Expression = {
    val own = subquery.mapChildren(key).asInstanceOf[SubqueryExpression]
    val names = subquery.children
      .zip(own.children)
      .collect { case (a: Attribute, b: Attribute) if a.exprId != b.exprId => a.exprId -> b }
      .toMap
    if (names.isEmpty) own
    else
      own.withNewPlan(AnalysisHelper.allowInvokingTransformsInAnalyzer {
        own.plan.transformAllExpressions {
          case OuterReference(column) if names.contains(column.exprId) =>
            OuterReference(names(column.exprId))
        }
      })
  }
}
