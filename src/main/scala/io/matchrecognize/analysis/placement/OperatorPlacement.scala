package io.matchrecognize.analysis.placement

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

import io.matchrecognize.analysis.names.PatternVariables
import io.matchrecognize.analysis.typing.ExpressionRewrite
import io.matchrecognize.plans.{ClauseResult, MatchRecognize}

/**
 * Puts a resolved clause between the Projects that it needs. The one above has aliases, so that
 * self-joins get new ids, and computes what [[ProjectedFunctions]] moved there; the one below, if
 * needed, computes the columns of [[ProjectedFunctions]]. Neither adds a column that the user sees.
 */
final class OperatorPlacement(variables: PatternVariables) {
  def place(node: MatchRecognize): LogicalPlan = {
    val clause = node.clause
    val functions = new ProjectedFunctions(variables, clause.rowsPerMatch, node.stream.isDefined)
    val partitionSpec = clause.partitionSpec.map(functions.key)
    val orderSpec = clause.orderSpec.map(_.mapChildren(functions.key).asInstanceOf[SortOrder])
    val conditions = clause.definitions.map { case (variable, condition) =>
      functions.condition(variable, condition)
    }
    val measures = clause.measures.map(functions.measure).zip(node.measureOutput)
    val (visible, projected) = measures.partitionMap {
      case (Left(measure), attribute) => Left(measure -> attribute)
      case (Right(expression), attribute) => Right(attribute.exprId -> expression)
    }
    val inside = visible ++ functions.hiddenMeasures
    val above = projected.toMap
    val child =
      if (functions.inputColumns.isEmpty) node.child
      else Project(node.child.output ++ functions.inputColumns, node.child)
    val placed = clause.copy(
      partitionSpec = partitionSpec,
      orderSpec = orderSpec,
      measures = inside.map(m => ExpressionRewrite.inOperator(m._1)),
      conditions = conditions.map(ExpressionRewrite.inOperator)
    )
    // The query above a window refers to columns below it.
    def kept(column: Attribute) =
      clause.rowsPerMatch.isEachRow && !node.measureOutput.exists(_.exprId == column.exprId)
    val result = Project(
      node.output.map { c =>
        if (kept(c)) c else Alias(above.getOrElse(c.exprId, c), c.name)()
      },
      node.copy(clause = placed, measureOutput = inside.map(_._2), child = child)
    )
    if (clause.rowsPerMatch.isEachRow) result else ClauseResult(result)
  }
}
