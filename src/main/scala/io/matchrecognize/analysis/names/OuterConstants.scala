package io.matchrecognize.analysis.names

import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Literal, OuterReference}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.types.NullType

import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * Replaces columns of the outer query that have one value, such as the parameters of a SQL function
 * called with constants. Spark takes a correlated query apart only through operators that it knows,
 * so a clause cannot read any other column of the outer query.
 *
 * While a function is created, NULL represents the argument of a parameter without a default: it is
 * tagged, because it says nothing about what must not be NULL.
 */
private[analysis] object OuterConstants {
  def inline(clause: UnresolvedMatchRecognize): UnresolvedMatchRecognize =
    AnalysisContext.get.outerPlan.fold(clause) { outer =>
      clause
        .mapExpressions(_.transformUp { case column: OuterReference =>
          value(column, outer).map(tagged).getOrElse(column)
        })
        .asInstanceOf[UnresolvedMatchRecognize]
    }

  private val placeholder = new TreeNodeTag[Unit]("matchRecognizeParameter")

  /** Whether the expression represents a parameter of a function that is being created. */
  def isPlaceholder(e: Expression): Boolean = e.getTagValue(placeholder).isDefined

  /** Arguments of calls are casts. */
  private def tagged(value: Expression): Expression = value match {
    case Literal(null, dataType) if dataType != NullType =>
      val copy = Literal(null, dataType)
      copy.setTagValue(placeholder, ())
      copy
    case other => other
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
