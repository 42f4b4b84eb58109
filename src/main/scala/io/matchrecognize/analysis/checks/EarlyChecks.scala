package io.matchrecognize.analysis.checks

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.DataTypeMismatch
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

import io.matchrecognize.analysis.names.PatternVariables
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.expressions.ResolvingPatternExpression
import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * Reports mistakes before Spark's own rules see them, which would fail with internal conditions,
 * name plan nodes, or blame something else.
 */
object EarlyChecks {

  /** Refuses window functions, with OVER and without. */
  def check(clause: UnresolvedMatchRecognize): Unit =
    clause.expressionsByPart.foreach { case (text, expression) =>
      expression.foreach {
        case window @ (_: WindowExpression | _: UnresolvedWindowExpression | _: WindowFunction) =>
          throw Errors.windowFunction(window, text)
        case _ =>
      }
    }

  private val seen = new TreeNodeTag[Seq[Expression]]("matchRecognizeExpressions")

  /**
   * Refuses wrong types, and subqueries that read a variable, once Spark's rules have not changed
   * the expressions in a whole iteration and so will resolve nothing more.
   */
  def checkStuck(clause: UnresolvedMatchRecognize, variables: PatternVariables): Unit = {
    val expressions = clause.expressions
    if (!clause.getTagValue(seen).contains(expressions)) note(clause)
    else {
      clause.expressionsByPart.foreach { case (text, expression) =>
        expression.foreach {
          case subquery: SubqueryExpression => checkVariables(subquery, variables, text)
          case _ =>
        }
      }
      expressions.foreach(checkTypes)
    }
  }

  /** Remembers the expressions, to detect changes in the next iteration. */
  def note(clause: UnresolvedMatchRecognize): Unit = clause.setTagValue(seen, clause.expressions)

  private def checkVariables(
      subquery: SubqueryExpression,
      variables: PatternVariables,
      clause: String
  ): Unit = subquery.plan.foreach {
    // Before its input is resolved, a name may be one of that: of a relation of WITH with a clause.
    case part if part.childrenResolved =>
      part.expressions.foreach(_.foreach {
        case name: UnresolvedAttribute
            if name.nameParts.length > 1 && variables.find(name.nameParts.head).isDefined =>
          throw Errors.correlatedSubquery(name, clause)
        case _ =>
      })
    case _ =>
  }

  private def checkTypes(expression: Expression): Unit =
    if (!expression.resolved) {
      expression.children.foreach(checkTypes)
      val isTyped = expression match {
        case _: ResolvingPatternExpression => false
        case in: InSubquery => in.values.forall(_.resolved) && in.query.plan.resolved
        case other => other.childrenResolved
      }
      if (isTyped) checkInputTypes(expression)
    }

  /** Refuses a node whose children have types that it does not take. */
  def checkInputTypes(expression: Expression): Unit = expression.checkInputDataTypes() match {
    case DataTypeMismatch(subCondition, parameters) =>
      throw Errors.typeMismatch(expression, subCondition, parameters)
    case _ =>
  }
}
