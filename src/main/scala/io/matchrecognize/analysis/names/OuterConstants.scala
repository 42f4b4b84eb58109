package io.matchrecognize.analysis.names

import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, OuterReference}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * Replaces columns of the outer query that have one value, such as the parameters of a SQL function
 * called with constants. Spark takes a correlated query apart only through operators that it knows,
 * so a clause cannot read any other column of the outer query.
 */
private[analysis] object OuterConstants {
  def inline(clause: UnresolvedMatchRecognize): UnresolvedMatchRecognize =
    AnalysisContext.get.outerPlan.fold(clause) { outer =>
      clause
        .mapExpressions(_.transformUp { case column: OuterReference =>
          value(column, outer).getOrElse(column)
        })
        .asInstanceOf[UnresolvedMatchRecognize]
    }

  /** The constant that a Project of the outer query gives the column. */
  private def value(column: OuterReference, outer: LogicalPlan): Option[Expression] =
    outer.collectFirst(Function.unlift { (plan: LogicalPlan) =>
      plan match {
        case Project(list, _) =>
          list.collectFirst {
            case alias: Alias if alias.exprId == column.exprId && alias.child.foldable =>
              alias.child
          }
        case _ => None
      }
    })
}
