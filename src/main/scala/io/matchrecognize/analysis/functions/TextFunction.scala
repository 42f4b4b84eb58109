package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  ExpressionInfo,
  NamedArgumentExpression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * A table function that gets the text of a query.
 *
 * @param parameters
 *   the names of its parameters, in their order
 * @param usage
 *   what DESCRIBE FUNCTION says of it
 */
private[functions] abstract class TextFunction(name: String, parameters: Seq[String], usage: String) {

  /** For Spark's registry. */
  val description: (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan) = (
    new FunctionIdentifier(name),
    new ExpressionInfo(
      getClass.getName.stripSuffix("$"),
      null,
      name,
      usage,
      "",
      "",
      "",
      "table_funcs",
      "",
      "",
      "built-in"
    ),
    build
  )

  /** The plan of a call. */
  protected def build(arguments: Seq[Expression]): LogicalPlan

  /**
   * The arguments by the names of their parameters.
   *
   * @param wrong
   *   the error for an argument that has no parameter, or the same one as another
   */
  protected def named(arguments: Seq[Expression])(
      wrong: String => Throwable
  ): Map[String, Expression] =
    arguments.zipWithIndex.foldLeft(Map.empty[String, Expression]) { case (found, (argument, i)) =>
      val (parameter, text, value) = argument match {
        case NamedArgumentExpression(key, value) =>
          (parameters.find(_.equalsIgnoreCase(key)), key, value)
        case value => (parameters.lift(i), value.sql, value)
      }
      found + (parameter.filterNot(found.contains).getOrElse(throw wrong(text)) -> value)
    }
}
