package io.matchrecognize.analysis.names

import org.apache.spark.sql.catalyst.analysis.{
  SQLFunctionExpression,
  SQLScalarFunction,
  UnresolvedAlias
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.expressions.SqlFunctionCall

/**
 * Inlines SQL functions. Spark does that for its own operators, by Projects below them, where a
 * navigation has no value. So Spark's rules get the call in a separate subquery, over a column for
 * each argument; the resulting Projects are folded to one expression, in which the arguments
 * replace the columns.
 *
 * Spark's Projects contain the casts of arguments and results to the declared types and the
 * defaults of missing arguments. A non-deterministic argument that is used more than once becomes a
 * common expression. A body that is more than Projects is refused as Spark refuses it.
 */
object SqlFunctions {
  def expand(expression: Expression): Expression = {
    expression.foreach {
      case lambda: LambdaFunction => lambda.foreach(refuseInLambda)
      case _ =>
    }
    expression.transformUp {
      case f: SQLFunctionExpression if f.inputs.forall(_.resolved) =>
        CurrentOrigin.withOrigin(f.origin)(shown(f))
      case call: SqlFunctionCall if call.argumentsResolved && isResolved(call.body) =>
        CurrentOrigin.withOrigin(call.origin)(inlined(call))
    }
  }

  /** Later Spark minors refuse it themselves. */
  private def refuseInLambda(e: Expression): Unit = e match {
    case f: SQLFunctionExpression => throw Errors.sqlFunction(f.name, f.origin)
    case _ =>
  }

  private def shown(f: SQLFunctionExpression): SqlFunctionCall = {
    val parameters = f.inputs.zipWithIndex.map { case (input, i) =>
      AttributeReference(s"argument_$i", input.dataType, input.nullable)()
    }
    // Unresolved, so that Spark's rules do not skip it.
    val call = UnresolvedAlias(f.withNewChildren(parameters), None)
    val relation = LocalRelation(parameters, Nil, false, None)
    SqlFunctionCall(f.name, f.inputs, parameters, ScalarSubquery(Project(Seq(call), relation)))
  }

  private def isResolved(body: Expression): Boolean = body match {
    case subquery: SubqueryExpression =>
      subquery.plan.resolved &&
      !subquery.plan.exists(_.expressions.exists(_.exists(_.isInstanceOf[SQLFunctionExpression])))
    case _ => false
  }

  private def inlined(call: SqlFunctionCall): Expression = {
    val plan = call.body.asInstanceOf[SubqueryExpression].plan
    val arguments = call.parameters.zip(call.arguments).map { case (p, a) => p.exprId -> a }.toMap
    val folded = folding(plan.output.head, plan, arguments)
      .getOrElse(throw Errors.sqlFunction(call.name, call.origin))
    folded.transformUp { case function: SQLScalarFunction => function.child }
  }

  /** `value` over the plan's output as an expression over the arguments. */
  private def folding(
      value: Expression,
      plan: LogicalPlan,
      arguments: Map[ExprId, Expression]
  ): Option[Expression] = plan match {
    case Project(list, child) =>
      val columns = list.collect { case a: Alias => a.exprId -> a.child }.toMap
      folding(substituted(value, columns), child, arguments)
    case _: LocalRelation => Some(substituted(value, arguments))
    case _ => None
  }

  private def substituted(value: Expression, columns: Map[ExprId, Expression]): Expression = {
    val uses = value.collect { case a: Attribute if columns.contains(a.exprId) => a.exprId }
    val common = uses.distinct
      .filter(id => !columns(id).deterministic && uses.count(_ == id) > 1)
      .map(id => id -> CommonExpressionDef(columns(id)))
    val definitions = common.toMap
    val child = value.transformUp {
      case a: Attribute if definitions.contains(a.exprId) =>
        new CommonExpressionRef(definitions(a.exprId))
      case a: Attribute if columns.contains(a.exprId) => columns(a.exprId)
    }
    if (common.isEmpty) child else With(child, common.map(_._2))
  }
}
