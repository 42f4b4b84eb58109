package io.matchrecognize.errors

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.DataType

import io.matchrecognize.errors.UserText.{nearest, quoted}

/** One method for each mistake that analysis finds. */
object MatchRecognizeErrors {
  private def error(condition: String, origin: Origin, parameters: (String, String)*) =
    new MatchRecognizeException(s"MATCH_RECOGNIZE_$condition", parameters.toMap, origin)

  /** A condition of Spark's own catalogue. */
  private def sparkError(condition: String, origin: Origin, parameters: (String, String)*) =
    new MatchRecognizeException(condition, parameters.toMap, origin)

  // Names

  def unknownVariable(name: String, variables: Seq[String], origin: Origin): Throwable =
    error(
      "INVALID_VARIABLE.UNKNOWN",
      origin,
      "name" -> quoted(name),
      "variables" -> nearest(name, variables)
    )

  def inputQualifier(
      name: String,
      column: String,
      variables: Seq[String],
      origin: Origin
  ): Throwable =
    error(
      "INVALID_VARIABLE.INPUT_QUALIFIER",
      origin,
      "name" -> quoted(name),
      "column" -> quoted(column),
      "variables" -> nearest(name, variables)
    )

  def notPrimary(
      name: String,
      clause: String,
      variables: Seq[String],
      origin: Origin
  ): Throwable =
    error(
      "INVALID_VARIABLE.NOT_PRIMARY",
      origin,
      "name" -> quoted(name),
      "clause" -> clause,
      "variables" -> nearest(name, variables)
    )

  def duplicateVariable(name: String, first: String, second: String, origin: Origin): Throwable =
    error(
      "DUPLICATE_NAME.VARIABLE",
      origin,
      "name" -> quoted(name),
      "first" -> first,
      "second" -> second
    )

  def duplicateOutput(name: String, first: String, second: String, origin: Origin): Throwable =
    error(
      "DUPLICATE_NAME.OUTPUT_COLUMN",
      origin,
      "name" -> quoted(name),
      "first" -> first,
      "second" -> second
    )

  def unresolvedColumn(name: Seq[String], proposal: Seq[String], origin: Origin): Throwable = {
    val objectName = name.map(quoted).mkString(".")
    if (proposal.isEmpty)
      sparkError("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", origin, "objectName" -> objectName)
    else
      sparkError(
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        origin,
        "objectName" -> objectName,
        "proposal" -> nearest(name.last, proposal)
      )
  }

  // Clause

  def noOutputColumns(origin: Origin): Throwable =
    error("INVALID_CLAUSE.NO_OUTPUT_COLUMNS", origin)

  def missingOrderBy(construct: String, origin: Origin): Throwable =
    error("INVALID_CLAUSE.MISSING_ORDER_BY", origin, "construct" -> construct)

  def permuteTooLarge(count: Long, limit: Long, config: String, origin: Origin): Throwable =
    error(
      "PATTERN_TOO_LARGE.PERMUTE",
      origin,
      "count" -> count.toString,
      "limit" -> limit.toString,
      "config" -> config
    )

  def patternTooLarge(size: Long, limit: Long, config: String, origin: Origin): Throwable =
    error(
      "PATTERN_TOO_LARGE.POSITIONS",
      origin,
      "size" -> size.toString,
      "limit" -> limit.toString,
      "config" -> config
    )

  def notYet(feature: String, origin: Origin): Throwable =
    error("UNSUPPORTED.NOT_YET", origin, "feature" -> feature)

  // Expressions

  def nesting(inner: Expression, outer: Expression): Throwable =
    error(
      "INVALID_NAVIGATION.NESTING",
      inner.origin,
      "function" -> quoted(outer),
      "inner" -> quoted(inner),
      "outer" -> quoted(outer)
    )

  def noColumn(function: Expression): Throwable =
    error("INVALID_NAVIGATION.NO_COLUMN", function.origin, "function" -> quoted(function))

  def invalidOffset(offset: Expression, function: Expression): Throwable =
    error(
      "INVALID_OFFSET",
      // TRUE and FALSE are shared constants without a place in the text.
      if (offset.origin.line.isDefined) offset.origin else function.origin,
      "offset" -> quoted(offset),
      "function" -> quoted(function)
    )

  def nonFoldableOffset(function: String, offset: Expression): Throwable =
    sparkError(
      "NON_FOLDABLE_ARGUMENT",
      offset.origin,
      "funcName" -> quoted(function.toLowerCase(java.util.Locale.ROOT)),
      "paramName" -> quoted("offset"),
      "paramType" -> "\"INT\""
    )

  def wrongArgumentCount(
      function: String,
      expected: String,
      actual: Int,
      origin: Origin
  ): Throwable =
    sparkError(
      "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
      origin,
      "functionName" -> quoted(function.toLowerCase(java.util.Locale.ROOT)),
      "expectedNum" -> expected,
      "actualNum" -> actual.toString,
      "docroot" -> "https://spark.apache.org/docs/latest"
    )

  def finalInDefine(keyword: String, function: Expression): Throwable =
    error(
      "INVALID_RUNNING_FINAL.FINAL_IN_DEFINE",
      function.origin,
      "keyword" -> keyword,
      "function" -> quoted(function)
    )

  def runningFinalFunction(keyword: String, function: Expression): Throwable =
    error(
      "INVALID_RUNNING_FINAL.FUNCTION",
      function.origin,
      "keyword" -> keyword,
      "function" -> quoted(function)
    )

  def mixedVariables(expression: Expression, clause: String, variables: Seq[String]): Throwable =
    invalid(
      "MIXED_VARIABLES",
      expression,
      clause,
      "variables" -> variables.mkString(", ")
    )

  def nonDeterministic(expression: Expression, clause: String): Throwable =
    invalid("NON_DETERMINISTIC", expression, clause, "function" -> quoted(expression))

  def measuresOnly(function: String, expression: Expression, clause: String): Throwable =
    invalid("MEASURES_ONLY", expression, clause, "function" -> function)

  def variableExpected(function: String, expression: Expression, clause: String): Throwable =
    invalid("VARIABLE_EXPECTED", expression, clause, "function" -> function)

  def variableStar(star: Expression, clause: String): Throwable =
    invalid("VARIABLE_STAR", star, clause, "star" -> UserText.of(star))

  def windowFunction(expression: Expression, clause: String): Throwable =
    invalid("WINDOW_FUNCTION", expression, clause)

  private def invalid(
      condition: String,
      expression: Expression,
      clause: String,
      parameters: (String, String)*
  ): Throwable = {
    val all = Seq("expr" -> quoted(expression), "clause" -> clause) ++ parameters
    error(s"INVALID_EXPRESSION.$condition", expression.origin, all: _*)
  }

  def nestedAggregate(inner: Expression): Throwable =
    sparkError("NESTED_AGGREGATE_FUNCTION", inner.origin)

  def nonDeterministicAggregate(expression: Expression): Throwable =
    sparkError(
      "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION",
      expression.origin,
      "sqlExpr" -> s"\"${UserText.of(expression)}\""
    )

  def correlatedSubquery(reference: String, clause: String, origin: Origin): Throwable =
    error(
      "UNSUPPORTED.CORRELATED_SUBQUERY",
      origin,
      "clause" -> clause,
      "reference" -> quoted(reference)
    )

  def pythonFunction(function: Expression): Throwable =
    error("UNSUPPORTED.PYTHON_UDF", function.origin, "function" -> quoted(function))

  def sqlFunction(name: String, origin: Origin): Throwable =
    sparkError(
      "UNSUPPORTED_SQL_UDF_USAGE",
      origin,
      "functionName" -> name.split('.').map(quoted).mkString("."),
      "nodeName" -> "MATCH_RECOGNIZE"
    )

  def outerReference(expression: Expression): Throwable =
    error("UNSUPPORTED.OUTER_REFERENCE", expression.origin, "reference" -> quoted(expression))

  def conditionNotBoolean(condition: Expression): Throwable =
    sparkError(
      "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
      condition.origin,
      "sqlExpr" -> s"\"${UserText.of(condition)}\"",
      "filter" -> s"\"${UserText.of(condition)}\"",
      "type" -> typeName(condition.dataType)
    )

  /** A mismatch of types that Spark found. */
  def typeMismatch(
      expression: Expression,
      subCondition: String,
      parameters: Map[String, String]
  ): Throwable = {
    val all = parameters + ("sqlExpr" -> s"\"${UserText.of(expression)}\"")
    sparkError(s"DATATYPE_MISMATCH.$subCondition", expression.origin, all.toSeq: _*)
  }

  def notOrderable(function: String, expression: Expression): Throwable =
    sparkError(
      "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
      expression.origin,
      "sqlExpr" -> s"\"${UserText.of(expression)}\"",
      "functionName" -> quoted(function),
      "dataType" -> typeName(expression.dataType)
    )

  def unsupportedInKeys(expressions: Seq[Expression], origin: Origin): Throwable =
    sparkError(
      "UNSUPPORTED_EXPR_FOR_OPERATOR",
      origin,
      "operator" -> "MATCH_RECOGNIZE",
      "invalidExprSqls" -> expressions.map(e => s"\"${UserText.of(e)}\"").mkString(", ")
    )

  def generatorInClause(expression: Expression): Throwable =
    sparkError(
      "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
      expression.origin,
      "plan" -> "MATCH_RECOGNIZE"
    )

  // WITHIN

  /** @param origin the place of the bound, which Spark does not keep for every literal */
  def withinBound(
      bound: Expression,
      key: Expression,
      expected: String,
      origin: Origin
  ): Throwable =
    error(
      "INVALID_WITHIN.BOUND",
      origin,
      "bound" -> quoted(UserText.of(origin).getOrElse(bound.sql)),
      "key" -> quoted(key),
      "type" -> typeName(key.dataType),
      "expected" -> expected
    )

  def withinDirection(key: Expression): Throwable =
    error("INVALID_WITHIN.DIRECTION", key.origin, "key" -> quoted(key))

  def withinKeyType(key: Expression): Throwable =
    error(
      "INVALID_WITHIN.KEY_TYPE",
      key.origin,
      "key" -> quoted(key),
      "type" -> typeName(key.dataType)
    )

  private def typeName(dataType: DataType): String = s"\"${dataType.sql}\""

  def variableList(variables: Seq[Option[String]]): Seq[String] =
    variables.map(_.map(quoted).getOrElse("columns without a variable"))
}
