package io.matchrecognize.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.DataType

import io.matchrecognize.errors.UserText.{nearestOf, quoted}

/** Mistakes that Spark's own conditions describe, raised here with their place in the clause. */
private[errors] trait SparkConditionErrors {
  private def sparkError(condition: String, origin: Origin, parameters: (String, String)*) =
    new MatchRecognizeException(condition, parameters.toMap, origin)

  private def hinted(
      hint: String,
      condition: String,
      origin: Origin,
      parameters: (String, String)*
  ) =
    new MatchRecognizeException(condition, parameters.toMap, origin, hint)

  protected def typeName(dataType: DataType): String = s"\"${dataType.sql}\""

  // What the plugin computes between the clauses of one query.
  private final val HiddenColumns = "__row_pattern_"

  /** @param of those of the input; they are proposed with the qualifier that `name` has */
  def unresolvedColumn(name: Seq[String], of: Seq[String], origin: Origin): Throwable = {
    val columns = of.filterNot(_.startsWith(HiddenColumns))
    val objectName = name.map(quoted).mkString(".")
    val qualifier = if (name.length == 2) s"${quoted(name.head)}." else ""
    val function = if (name.length == 1) ClauseFunctions.meantBy(name.head) else None
    val hint = function.map(f => didYouMean(ClauseFunctions.call(f))).getOrElse("")
    if (columns.isEmpty)
      hinted(hint, "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", origin, "objectName" -> objectName)
    else
      hinted(
        hint,
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        origin,
        "objectName" -> objectName,
        "proposal" -> nearestOf(name.last, columns).map(qualifier + quoted(_)).mkString(", ")
      )
  }

  def nonFoldableOffset(function: String, offset: Expression): Throwable =
    nonFoldable(function.toLowerCase(java.util.Locale.ROOT), "offset", "INT", offset.origin)

  /** A table function that takes the text of a query was called in another way. */
  def nonFoldableQuery(function: String, origin: Origin): Throwable =
    nonFoldable(function, "query", "STRING", origin)

  private def nonFoldable(function: String, parameter: String, dataType: String, origin: Origin) =
    sparkError(
      "NON_FOLDABLE_ARGUMENT",
      origin,
      "funcName" -> quoted(function),
      "paramName" -> quoted(parameter),
      "paramType" -> s"\"$dataType\""
    )

  private def didYouMean(call: String): String = s"Did you mean $call?"

  /** The error of Spark for a function that it does not know, with the function that was meant. */
  def unknownFunction(spark: AnalysisException, call: Expression, meant: String): Throwable = {
    val arguments = UserText.of(call).dropWhile(_ != '(')
    val hint = didYouMean(ClauseFunctions.call(meant, arguments))
    hinted(hint, spark.getCondition, call.origin, spark.messageParameters.toSeq: _*)
  }

  /** @param arguments those of the call */
  def wrongArgumentCount(
      function: String,
      expected: String,
      arguments: Seq[Expression],
      origin: Origin
  ): Throwable =
    hinted(
      ClauseFunctions.usage(function, arguments.map(a => UserText.of(a))),
      "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
      origin,
      "functionName" -> quoted(function.toLowerCase(java.util.Locale.ROOT)),
      "expectedNum" -> expected,
      "actualNum" -> arguments.length.toString,
      "docroot" -> "https://spark.apache.org/docs/latest"
    )

  def nestedAggregate(inner: Expression): Throwable =
    sparkError("NESTED_AGGREGATE_FUNCTION", inner.origin)

  def nonDeterministicAggregate(expression: Expression): Throwable =
    sparkError(
      "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION",
      expression.origin,
      "sqlExpr" -> s"\"${UserText.of(expression)}\""
    )

  def conditionNotBoolean(condition: Expression): Throwable =
    sparkError(
      "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
      condition.origin,
      "sqlExpr" -> s"\"${UserText.of(condition)}\"",
      "filter" -> s"\"${UserText.of(condition)}\"",
      "type" -> typeName(condition.dataType)
    )

  def notOrderable(function: String, expression: Expression, place: Origin): Throwable =
    sparkError(
      "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
      place,
      "sqlExpr" -> s"\"${UserText.of(expression, place)}\"",
      "functionName" -> quoted(function),
      "dataType" -> typeName(expression.dataType)
    )

  def unsupportedExpressions(expressions: Seq[Expression], origin: Origin): Throwable =
    sparkError(
      "UNSUPPORTED_EXPR_FOR_OPERATOR",
      origin,
      "operator" -> "MATCH_RECOGNIZE",
      "invalidExprSqls" -> expressions.map(e => s"\"${UserText.of(e)}\"").mkString(", ")
    )

  def windowSpecOfAggregate(function: Expression): Throwable =
    sparkError(
      "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC",
      function.origin,
      "aggFunc" -> s"\"${UserText.of(function)}\""
    )

  /** What is called over a window and is not a window function. */
  def notOverWindow(function: Expression): Throwable =
    hinted(
      "Over a window an aggregate or a window function is called: write the other function " +
        "around the call, as in abs(last_value(price) OVER w).",
      "UNSUPPORTED_EXPR_FOR_WINDOW",
      function.origin,
      "sqlExpr" -> s"\"${UserText.of(function)}\""
    )

  def recursiveReference(origin: Origin): Throwable =
    sparkError("INVALID_RECURSIVE_REFERENCE.PLACE", origin)

  def generatorInClause(expression: Expression): Throwable =
    sparkError(
      "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
      expression.origin,
      "plan" -> "MATCH_RECOGNIZE"
    )

  /** A type mismatch that Spark found. */
  def typeMismatch(
      expression: Expression,
      subCondition: String,
      parameters: Map[String, String]
  ): Throwable = {
    val all = parameters + ("sqlExpr" -> s"\"${UserText.of(expression)}\"")
    sparkError(s"DATATYPE_MISMATCH.$subCondition", expression.origin, all.toSeq: _*)
  }

  def sqlFunction(name: String, origin: Origin): Throwable =
    sparkError(
      "UNSUPPORTED_SQL_UDF_USAGE",
      origin,
      "functionName" -> name.split('.').map(quoted).mkString("."),
      "nodeName" -> "MATCH_RECOGNIZE"
    )
}
