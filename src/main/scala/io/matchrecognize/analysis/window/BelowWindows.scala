package io.matchrecognize.analysis.window

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.expressions.ContextFunctions
import io.matchrecognize.plans.RowPatternWindow

/**
 * Moves the non-deterministic parts of a SELECT list below its row pattern windows, where Spark
 * computes them for ordinary windows. There the name of a file and the numbers of a task are those
 * of the task that reads the row; above a window they would be those of the task that sorts it, to
 * which no file belongs.
 *
 * An item of which all can be computed there moves as a whole. Of any other, such as one with a
 * window, only those functions of the task move: the rest may be guarded by what stays above, as in
 * `CASE WHEN count(*) OVER w < 4 THEN 10 / k + rand(1) END`. Spark itself computes such an item
 * above its own windows, where `input_file_name()` is empty.
 *
 * @param input
 *   of the windows
 */
private[window] final class BelowWindows(input: LogicalPlan) {
  private val columns = mutable.ArrayBuffer.empty[Alias]

  /** The input with a column for each part that was moved. */
  def plan: LogicalPlan =
    if (columns.isEmpty) input else Project(input.output ++ columns, input)

  /** An item of the list over `plan`. */
  def lowered(item: NamedExpression): Expression =
    item.mapChildren(part => if (isOfRow(part)) column(part) else withoutFunctions(part))

  private def withoutFunctions(e: Expression): Expression = e match {
    case call @ RowPatternWindow.Call(_, _, _) => call
    case function if isOfTask(function) => column(function)
    case other => other.mapChildren(withoutFunctions)
  }

  private def column(part: Expression): Attribute = {
    val column = CurrentOrigin.withOrigin(part.origin) {
      Alias(part, s"$Prefix${columns.length}")()
    }
    columns += column
    column.toAttribute
  }

  private def isOfTask(e: Expression): Boolean =
    ContextFunctions.isOfFile(e) || e.isInstanceOf[SparkPartitionID]

  private def isOfRow(e: Expression): Boolean =
    e.resolved && !e.deterministic && e.references.subsetOf(input.outputSet) && !e.exists {
      case _: WindowExpression | _: WindowSpecDefinition | _: SortOrder | _: WindowFunction => true
      case _: AggregateExpression | _: AggregateFunction | _: Generator => true
      case _: LateralColumnAliasReference | _: OuterReference | _: SubqueryExpression => true
      case _: CommonExpressionDef | _: CommonExpressionRef => true
      case _ => false
    } && !hasFreeVariable(e)

  /** Whether it is a part of a lambda. */
  private def hasFreeVariable(e: Expression): Boolean = e match {
    case _: LambdaFunction => false
    case _: NamedLambdaVariable => true
    case other => other.children.exists(hasFreeVariable)
  }

  private final val Prefix = "__row_pattern_row_"
}
