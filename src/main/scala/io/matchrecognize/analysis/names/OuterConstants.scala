package io.matchrecognize.analysis.names

import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.types.NullType

import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * Replaces columns of the outer query that Projects compute from constants: the parameters of a SQL
 * function. Spark takes a correlated query apart only through operators that it knows, so a clause
 * cannot read any other column of the outer query.
 *
 * While a function is created, NULL represents the argument of a parameter without a default: it is
 * tagged, because it says nothing about what must not be NULL.
 */
private[analysis] object OuterConstants {
  def inline(clause: UnresolvedMatchRecognize): UnresolvedMatchRecognize =
    clause.mapExpressions(inline).asInstanceOf[UnresolvedMatchRecognize]

  def inline(expression: Expression): Expression =
    AnalysisContext.get.outerPlan.fold(expression) { outer =>
      expression.transformUp { case column: OuterReference =>
        constant(column.exprId, outer).map(tagged).getOrElse(column)
      }
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

  /**
   * Nothing but Projects is looked through: other operators add rows with NULLs, drop keys of some
   * groups or combine inputs. A subquery in FROM has an alias, and ends the search as well. So does
   * the plan over which Spark resolves HAVING, whose groups may lack a key.
   */
  private def constant(column: ExprId, plan: LogicalPlan): Option[Expression] = plan match {
    case Project(list, child) =>
      list.collectFirst { case item: Alias if item.exprId == column => item.child } match {
        case Some(value) =>
          val known = value.transform { case a: Attribute =>
            constant(a.exprId, child).getOrElse(a)
          }
          Option.when(known.foldable)(known)
        // A subquery in the list reads the columns below it.
        case None => constant(column, child)
      }
    case _ => None
  }
}
