package io.matchrecognize.errors

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.UserText.{nearest, quoted}

/** One method for each mistake that analysis finds. */
object MatchRecognizeErrors extends SparkConditionErrors {
  private def error(condition: String, origin: Origin, parameters: (String, String)*) =
    new MatchRecognizeException(s"MATCH_RECOGNIZE_$condition", parameters.toMap, origin)

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

  def duplicateKey(name: String, key: String, other: String, origin: Origin): Throwable =
    error(
      "DUPLICATE_NAME.PARTITION_KEY",
      origin,
      "name" -> quoted(name),
      "key" -> key,
      "other" -> other
    )

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

  /** The full size is unknown, because expansion stops at the limit. */
  def patternTooLarge(limit: Long, config: String, origin: Origin): Throwable =
    error(
      "PATTERN_TOO_LARGE.POSITIONS",
      origin,
      "size" -> s"more than $limit",
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
      "function" -> quoted(if (outer.isInstanceOf[AggregateExpression]) inner else outer),
      "inner" -> quoted(inner),
      "outer" -> quoted(outer)
    )

  def noColumn(function: Expression): Throwable =
    error("INVALID_NAVIGATION.NO_COLUMN", function.origin, "function" -> quoted(function))

  def invalidOffset(offset: Expression, function: Expression): Throwable = {
    // TRUE and FALSE are shared constants: their origin is missing or of another statement.
    val isPlaced = offset.origin.line.isDefined && offset.origin.sqlText == function.origin.sqlText
    error(
      "INVALID_OFFSET",
      if (isPlaced) offset.origin else function.origin,
      "offset" -> (if (isPlaced) quoted(offset) else quoted(offset.sql)),
      "function" -> quoted(function)
    )
  }

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

  /** @param reference the name that the subquery reads */
  def correlatedSubquery(reference: Expression, clause: String): Throwable =
    error(
      "UNSUPPORTED.CORRELATED_SUBQUERY",
      reference.origin,
      "clause" -> clause,
      "reference" -> quoted(reference)
    )

  def pythonFunction(function: Expression): Throwable =
    error("UNSUPPORTED.PYTHON_UDF", function.origin, "function" -> quoted(function))

  def outerReference(expression: Expression): Throwable =
    error("UNSUPPORTED.OUTER_REFERENCE", expression.origin, "reference" -> quoted(expression))

  // WITHIN

  /**
   * @param place
   *   that of the key
   * @param origin
   *   that of the bound, which Spark does not keep for every literal
   */
  def withinBound(
      bound: Expression,
      key: Expression,
      place: Origin,
      expected: String,
      origin: Origin
  ): Throwable =
    error(
      "INVALID_WITHIN.BOUND",
      origin,
      "bound" -> quoted(UserText.of(bound, origin)),
      "key" -> quoted(UserText.of(key, place)),
      "type" -> typeName(key.dataType),
      "expected" -> expected
    )

  def withinDirection(key: Expression, place: Origin): Throwable =
    error("INVALID_WITHIN.DIRECTION", place, "key" -> quoted(UserText.of(key, place)))

  def withinKeyType(key: Expression, place: Origin): Throwable =
    error(
      "INVALID_WITHIN.KEY_TYPE",
      place,
      "key" -> quoted(UserText.of(key, place)),
      "type" -> typeName(key.dataType)
    )

  // Streams

  def endAnchorInStream(origin: Origin): Throwable =
    error("UNSUPPORTED_IN_STREAM.END_ANCHOR", origin)

  def streamKeyType(key: Expression, place: Origin): Throwable =
    error(
      "UNSUPPORTED_IN_STREAM.KEY_TYPE",
      place,
      "key" -> UserText.quotedKey(key),
      "type" -> typeName(key.dataType)
    )

  def streamLeadingKey(column: String, found: String, origin: Origin): Throwable =
    error("UNSUPPORTED_IN_STREAM.LEADING_KEY", origin, "column" -> column, "found" -> found)

  def noWatermark(key: Expression, place: Origin, config: String): Throwable =
    error(
      "UNSUPPORTED_IN_STREAM.NO_WATERMARK",
      place,
      "key" -> UserText.quotedKey(key),
      "config" -> config
    )

  /** @param below the operator that carries the watermark that `key` has lost */
  def lostWatermark(key: Expression, place: Origin, below: String): Throwable =
    error(
      "UNSUPPORTED_IN_STREAM.LOST_WATERMARK",
      place,
      "key" -> UserText.quotedKey(key),
      "below" -> below
    )

  /** @param below the operator that carries the first watermark */
  def secondWatermark(column: Expression, below: String, origin: Origin): Throwable =
    error(
      "UNSUPPORTED_IN_STREAM.SECOND_WATERMARK",
      origin,
      "column" -> UserText.quotedKey(column),
      "below" -> below
    )

  def outputMode(mode: String, operator: String, origin: Origin): Throwable =
    error("UNSUPPORTED_IN_STREAM.OUTPUT_MODE", origin, "mode" -> mode, "operator" -> operator)

  def completeMode(origin: Origin): Throwable =
    error("UNSUPPORTED_IN_STREAM.COMPLETE_MODE", origin)

  /** @param reader the operator above the union */
  def mixedWatermarks(time: Expression, reader: String, origin: Origin): Throwable =
    error(
      "UNSUPPORTED_IN_STREAM.MIXED_WATERMARKS",
      origin,
      "column" -> UserText.quotedKey(time),
      "operator" -> reader
    )

  def outerJoin(origin: Origin): Throwable = error("UNSUPPORTED_IN_STREAM.OUTER_JOIN", origin)

  def oneStatefulOperator(
      upper: String,
      lower: String,
      config: String,
      origin: Origin
  ): Throwable =
    error(
      "UNSUPPORTED_IN_STREAM.ONE_STATEFUL_OPERATOR",
      origin,
      "upper" -> upper,
      "lower" -> lower,
      "config" -> config
    )

  def variableList(variables: Seq[Option[String]]): Seq[String] =
    variables.map(_.map(quoted).getOrElse("columns without a variable"))
}
