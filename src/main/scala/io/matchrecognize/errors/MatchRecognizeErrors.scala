package io.matchrecognize.errors

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.UserText.{nearest, quoted, quotedKey}

/** One method for each mistake that analysis finds. */
object MatchRecognizeErrors
    extends SparkConditionErrors
    with QuantifierErrors
    with StreamErrors
    with WindowErrors {
  private def error(condition: String, origin: Origin, parameters: (String, String)*) =
    new MatchRecognizeException(s"MATCH_RECOGNIZE_$condition", parameters.toMap, origin)

  // Names

  def unknownVariable(name: String, variables: Seq[String], origin: Origin): Throwable =
    ofVariable("UNKNOWN", name, variables, origin)

  def inputQualifier(
      name: String,
      column: String,
      variables: Seq[String],
      origin: Origin
  ): Throwable =
    ofVariable("INPUT_QUALIFIER", name, variables, origin, "column" -> quoted(column))

  def notPrimary(name: String, clause: String, variables: Seq[String], origin: Origin): Throwable =
    ofVariable("NOT_PRIMARY", name, variables, origin, "clause" -> clause)

  private def ofVariable(
      condition: String,
      name: String,
      variables: Seq[String],
      origin: Origin,
      parameters: (String, String)*
  ): Throwable = {
    val names = Seq("name" -> quoted(name), "variables" -> nearest(name, variables))
    error(s"INVALID_VARIABLE.$condition", origin, names ++ parameters: _*)
  }

  def duplicateVariable(name: String, first: String, second: String, origin: Origin): Throwable =
    duplicate("VARIABLE", name, origin, "first" -> first, "second" -> second)

  def duplicateOutput(name: String, first: String, second: String, origin: Origin): Throwable =
    duplicate("OUTPUT_COLUMN", name, origin, "first" -> first, "second" -> second)

  def duplicateMeasure(name: String, origin: Origin): Throwable = {
    val measure = s"The measure ${quoted(name)}"
    duplicateOutput(name, measure, measure.replaceFirst("T", "t"), origin)
  }

  def duplicateKey(name: String, key: String, other: String, origin: Origin): Throwable =
    duplicate("PARTITION_KEY", name, origin, "key" -> key, "other" -> other)

  private def duplicate(
      condition: String,
      name: String,
      origin: Origin,
      parameters: (String, String)*
  ): Throwable =
    error(s"DUPLICATE_NAME.$condition", origin, ("name" -> quoted(name)) +: parameters: _*)

  // Clause

  def noOutputColumns(origin: Origin): Throwable =
    error("INVALID_CLAUSE.NO_OUTPUT_COLUMNS", origin)

  def missingOrderBy(by: String, origin: Origin): Throwable =
    error("INVALID_CLAUSE.MISSING_ORDER_BY", origin, "construct" -> by)

  // Size

  def permuteTooLarge(count: Long, limit: Long, config: String, origin: Origin): Throwable =
    tooLarge("PERMUTE", limit, config, origin, "count" -> count.toString)

  /** The full size is unknown, because expansion stops at the limit. */
  def patternTooLarge(limit: Long, config: String, origin: Origin): Throwable =
    tooLarge("POSITIONS", limit, config, origin, "size" -> s"more than $limit")

  private def tooLarge(
      condition: String,
      limit: Long,
      config: String,
      origin: Origin,
      size: (String, String)
  ): Throwable = {
    val name = s"PATTERN_TOO_LARGE.$condition"
    error(name, origin, size, "limit" -> limit.toString, "config" -> config)
  }

  // Expressions

  private def ofFunction(
      condition: String,
      function: Expression,
      parameters: (String, String)*
  ): Throwable =
    error(condition, function.origin, ("function" -> quoted(function)) +: parameters: _*)

  def nesting(inner: Expression, outer: Expression): Throwable = {
    val function = if (outer.isInstanceOf[AggregateExpression]) inner else outer
    error(
      "INVALID_NAVIGATION.NESTING",
      inner.origin,
      "function" -> quoted(function),
      "inner" -> quoted(inner),
      "outer" -> quoted(outer)
    )
  }

  def noColumn(function: Expression): Throwable =
    ofFunction("INVALID_NAVIGATION.NO_COLUMN", function)

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
    ofFunction("INVALID_RUNNING_FINAL.FINAL_IN_DEFINE", function, "keyword" -> keyword)

  def runningFinalFunction(keyword: String, function: Expression): Throwable =
    ofFunction("INVALID_RUNNING_FINAL.FUNCTION", function, "keyword" -> keyword)

  def mixedVariables(expression: Expression, clause: String, variables: Seq[String]): Throwable =
    invalid("MIXED_VARIABLES", expression, clause, "variables" -> variables.mkString(", "))

  def nonDeterministic(expression: Expression, clause: String): Throwable =
    invalid("NON_DETERMINISTIC", expression, clause, "function" -> quoted(expression))

  def measuresOnly(function: String, expression: Expression, clause: String): Throwable =
    invalid("MEASURES_ONLY", expression, clause, "function" -> function)

  def variableExpected(
      function: String,
      expression: Expression,
      clause: String,
      variable: Option[String]
  ): Throwable = {
    val call = s"$function(${variable.mkString})"
    val parameters = Seq("function" -> function, "instead" -> call)
    invalid("VARIABLE_EXPECTED", expression, clause, parameters: _*)
  }

  /** @param column the argument of MATCH_ROWTIME, which is not the first ORDER BY key `key` */
  def rowtimeOfColumn(
      column: Expression,
      key: Expression,
      expression: Expression,
      clause: String,
      variable: Option[String]
  ): Throwable = {
    val instead = s"MATCH_ROWTIME(${variable.mkString}) for the first ORDER BY key " +
      s"${quotedKey(key)}, or LAST(${UserText.of(column)}) for this column"
    val parameters = Seq("function" -> "MATCH_ROWTIME", "instead" -> instead)
    invalid("VARIABLE_EXPECTED", expression, clause, parameters: _*)
  }

  def variableAsColumn(name: Expression, clause: String): Throwable =
    invalid("VARIABLE_AS_COLUMN", name, clause, "variable" -> quoted(name))

  def variableStar(star: Expression, clause: String): Throwable =
    invalid("VARIABLE_STAR", star, clause, "star" -> UserText.of(star))

  def constantKey(key: String, clause: String, instead: String, origin: Origin): Throwable = {
    val parameters = Seq("expr" -> quoted(key), "clause" -> clause, "instead" -> instead)
    error("INVALID_EXPRESSION.CONSTANT_KEY", origin, parameters: _*)
  }

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
  def correlatedSubquery(reference: Expression, clause: String): Throwable = {
    val parameters = Seq("clause" -> clause, "reference" -> quoted(reference))
    error("UNSUPPORTED.CORRELATED_SUBQUERY", reference.origin, parameters: _*)
  }

  def pythonFunction(function: Expression): Throwable = pythonUdf(
    function,
    "apply it to a column in a subquery that the clause reads, or use a SQL, Scala or Java function"
  )

  def pythonAggregate(function: Expression): Throwable = pythonUdf(
    function,
    "in MEASURES collect the values and apply a function of a list, as in f(COLLECT_LIST(price)), " +
      "or use an aggregate of SQL, Scala or Java"
  )

  private def pythonUdf(function: Expression, cure: String): Throwable =
    ofFunction("UNSUPPORTED.PYTHON_UDF", function, "cure" -> cure)

  def sessionWindow(key: Expression, origin: Origin): Throwable =
    error("UNSUPPORTED.SESSION_WINDOW", origin, "key" -> quoted(UserText.of(key, origin)))

  def timeWindow(call: Expression): Throwable =
    error(
      "UNSUPPORTED.TIME_WINDOW",
      call.origin,
      "key" -> quoted(call),
      "call" -> UserText.of(call)
    )

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

  def withinKeyType(key: Expression, place: Origin): Throwable = {
    val text = quoted(UserText.of(key, place))
    error("INVALID_WITHIN.KEY_TYPE", place, "key" -> text, "type" -> typeName(key.dataType))
  }

  def variableList(variables: Seq[Option[String]]): Seq[String] =
    variables.map(_.map(quoted).getOrElse("columns without a variable"))
}
