package io.matchrecognize.errors

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.DataType

import io.matchrecognize.errors.UserText.{nearest, nearestOf, quoted, quotedKey, quotedList}

/** One method for each mistake that analysis finds. */
object MatchRecognizeErrors {
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

  private def duplicate(condition: String, name: String, origin: Origin, more: (String, String)*) =
    error(s"DUPLICATE_NAME.$condition", origin, ("name" -> quoted(name)) +: more: _*)

  // Clause

  def noOutputColumns(origin: Origin): Throwable =
    error("INVALID_CLAUSE.NO_OUTPUT_COLUMNS", origin)

  def missingOrderBy(by: String, origin: Origin): Throwable =
    error("INVALID_CLAUSE.MISSING_ORDER_BY", origin, "construct" -> by)

  // Size

  private def tooLarge(condition: String, limit: Long, origin: Origin, more: (String, String)*) =
    error(s"PATTERN_TOO_LARGE.$condition", origin, ("limit" -> limit.toString) +: more: _*)

  def permuteTooLarge(count: Long, limit: Long, origin: Origin): Throwable =
    tooLarge("PERMUTE", limit, origin, "count" -> count.toString)

  /** The full size is unknown, because expansion stops at the limit. */
  def patternTooLarge(kind: String, limit: Long, config: String, origin: Origin): Throwable =
    tooLarge("POSITIONS", limit, origin, "kind" -> kind, "config" -> config)

  def tooManyFollowers(limit: Long, origin: Origin): Throwable =
    tooLarge("FOLLOWERS", limit, origin)

  // Expressions

  private def ofFunction(condition: String, function: Expression, more: (String, String)*) =
    error(condition, function.origin, ("function" -> quoted(function)) +: more: _*)

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

  // Spark's own conditions, raised with their place in the clause

  private def sparkError(condition: String, origin: Origin, parameters: (String, String)*) =
    new MatchRecognizeException(condition, parameters.toMap, origin)

  private def hinted(hint: String, condition: String, origin: Origin, more: (String, String)*) =
    new MatchRecognizeException(condition, more.toMap, origin, hint)

  /** Of an expression, which the message shows as SQL. */
  private def ofSql(condition: String, expression: Expression, more: (String, String)*) =
    sparkError(condition, expression.origin, ("sqlExpr" -> sqlText(expression)) +: more: _*)

  private def sqlText(expression: Expression): String = s"\"${UserText.of(expression)}\""

  private def typeName(dataType: DataType): String = s"\"${dataType.sql}\""

  // What the plugin computes between the clauses of one query.
  private final val HiddenColumns = "__row_pattern_"

  /** @param of those of the input; they are proposed with the qualifier that `name` has */
  def unresolvedColumn(name: Seq[String], of: Seq[String], origin: Origin): Throwable = {
    val columns = of.filterNot(_.startsWith(HiddenColumns))
    val objectName = name.map(quoted).mkString(".")
    val qualifier = if (name.length == 2) s"${quoted(name.head)}." else ""
    if (columns.isEmpty)
      sparkError("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", origin, "objectName" -> objectName)
    else
      sparkError(
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

  /** How a function is called, for a call with too few or too many arguments. */
  private def usage(function: String, arguments: Seq[String]): String =
    (function, arguments) match {
      case ("MATCH_NUMBER" | "MATCH_ROW_NUMBER" | "MATCH_PROCTIME", _) =>
        s"$function takes no arguments: write $function()."
      case ("CLASSIFIER" | "MATCH_ROWTIME", _) =>
        s"$function takes one variable or SUBSET, as in $function(A), or no argument."
      case (_, Seq(value, offset, default)) =>
        s"$function has no default value: write COALESCE($function($value, $offset), $default)."
      case _ =>
        s"$function takes an expression and an optional number of rows, as in $function(price, 1)."
    }

  /** @param arguments those of the call */
  def wrongArgumentCount(
      function: String,
      expected: String,
      arguments: Seq[Expression],
      origin: Origin
  ): Throwable =
    hinted(
      usage(function, arguments.map(a => UserText.of(a))),
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
    ofSql("AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION", expression)

  def conditionNotBoolean(condition: Expression): Throwable =
    ofSql(
      "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
      condition,
      "filter" -> sqlText(condition),
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
      "invalidExprSqls" -> expressions.map(sqlText).mkString(", ")
    )

  def windowSpecOfAggregate(function: Expression): Throwable =
    sparkError(
      "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC",
      function.origin,
      "aggFunc" -> sqlText(function)
    )

  /** What is called over a window and is not a window function. */
  def notOverWindow(function: Expression): Throwable =
    hinted(
      "Over a window an aggregate or a window function is called: write the other function " +
        "around the call, as in abs(last_value(price) OVER w).",
      "UNSUPPORTED_EXPR_FOR_WINDOW",
      function.origin,
      "sqlExpr" -> sqlText(function)
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
  ): Throwable = ofSql(s"DATATYPE_MISMATCH.$subCondition", expression, parameters.toSeq: _*)

  def sqlFunction(name: String, origin: Origin): Throwable =
    sparkError(
      "UNSUPPORTED_SQL_UDF_USAGE",
      origin,
      "functionName" -> name.split('.').map(quoted).mkString("."),
      "nodeName" -> "MATCH_RECOGNIZE"
    )

  // Windows with row patterns

  private def ofWindow(condition: String, origin: Origin, parameters: (String, String)*) =
    error(s"INVALID_WINDOW.$condition", origin, parameters: _*)

  def unknownMeasure(name: String, measures: Seq[String], origin: Origin): Throwable =
    ofWindow(
      "UNKNOWN_MEASURE",
      origin,
      "name" -> quoted(name),
      "measures" -> nearest(name, measures)
    )

  def measureOfPlainWindow(name: String, origin: Origin): Throwable =
    ofWindow("NO_PATTERN", origin, "name" -> quoted(name))

  def frameEnd(end: Expression, origin: Origin): Throwable =
    ofWindow("FRAME_END", origin, "end" -> s"${UserText.of(end)} FOLLOWING")

  def windowPlace(operator: String, origin: Origin): Throwable =
    ofWindow("PLACE", origin, "operator" -> operator)

  def windowOfGroups(origin: Origin): Throwable = ofWindow("GROUPS", origin)

  def windowFunctionOfMatch(function: Expression): Throwable =
    ofWindow("MATCH_NUMBER", function.origin)

  def windowOnStream(origin: Origin): Throwable = error("UNSUPPORTED.STREAM_WINDOW", origin)

  // What a clause on a stream does not allow

  private def inStream(condition: String, origin: Origin, parameters: (String, String)*) =
    error(s"UNSUPPORTED_IN_STREAM.$condition", origin, parameters: _*)

  def endAnchorInStream(origin: Origin): Throwable = inStream("END_ANCHOR", origin)

  def streamKeyType(key: Expression, place: Origin): Throwable =
    inStream("KEY_TYPE", place, "key" -> quotedKey(key), "type" -> typeName(key.dataType))

  def streamLeadingKey(column: String, found: String, origin: Origin): Throwable =
    inStream("LEADING_KEY", origin, "column" -> column, "found" -> found)

  def noWatermark(key: Expression, place: Origin, config: String): Throwable =
    inStream("NO_WATERMARK", place, "key" -> quotedKey(key), "config" -> config)

  /** @param operator what does not keep the order of arrival */
  def arrivalOrder(config: String, operator: String, origin: Origin): Throwable =
    inStream("ARRIVAL_ORDER", origin, "config" -> config, "operator" -> operator)

  /** @param below the operator that carries the watermark that `key` has lost */
  def lostWatermark(key: Expression, place: Origin, below: String): Throwable =
    inStream("LOST_WATERMARK", place, "key" -> quotedKey(key), "below" -> below)

  /** @param below the operator that carries the first watermark */
  def secondWatermark(column: Expression, below: String, origin: Origin): Throwable =
    inStream("SECOND_WATERMARK", origin, "column" -> quotedKey(column), "below" -> below)

  def outputMode(mode: String, operator: String, origin: Origin): Throwable =
    inStream("OUTPUT_MODE", origin, "mode" -> mode, "operator" -> operator)

  def completeMode(origin: Origin): Throwable = inStream("COMPLETE_MODE", origin)

  /** @param reader the operator above the union */
  def mixedWatermarks(time: Expression, reader: String, origin: Origin): Throwable =
    inStream("MIXED_WATERMARKS", origin, "column" -> quotedKey(time), "operator" -> reader)

  def mixedJoin(origin: Origin): Throwable = inStream("MIXED_JOIN", origin)

  def outerJoin(origin: Origin): Throwable = inStream("OUTER_JOIN", origin)

  def oneStatefulOperator(
      upper: String,
      lower: String,
      config: String,
      origin: Origin
  ): Throwable = {
    val operators = Seq("upper" -> upper, "lower" -> lower, "config" -> config)
    inStream("ONE_STATEFUL_OPERATOR", origin, operators: _*)
  }

  // Calls of a function that searches a query

  private def ofCall(condition: String, function: String, origin: Origin, more: (String, String)*) =
    error(condition, origin, more :+ ("function" -> function): _*)

  /** @param parameters what the function takes, after "It takes" */
  def callArgument(
      function: String,
      parameters: String,
      argument: String,
      origin: Origin
  ): Throwable = {
    val texts = Seq("parameters" -> parameters, "argument" -> quoted(argument))
    ofCall("INVALID_TRACE.ARGUMENT", function, origin, texts: _*)
  }

  def callWithoutClause(function: String, origin: Origin): Throwable =
    ofCall("INVALID_TRACE.NO_CLAUSE", function, origin)

  def callOfStatement(function: String, origin: Origin): Throwable =
    ofCall("INVALID_TRACE.NOT_A_QUERY", function, origin)

  /** @param text the object in whose text the clause is, as in "the view `v`" */
  def callOfText(function: String, text: String, origin: Origin): Throwable =
    ofCall("INVALID_TRACE.TEXT_OF_OBJECT", function, origin, "object" -> text)

  /** @param kind of the object in whose text the call is */
  def callInText(function: String, kind: String, origin: Origin): Throwable =
    ofCall("INVALID_TRACE.IN_OBJECT", function, origin, "kind" -> kind)

  def callOfSeveral(function: String, count: Int, origin: Origin): Throwable =
    ofCall("INVALID_TRACE.SEVERAL_CLAUSES", function, origin, "count" -> count.toString)

  def callPartition(
      function: String,
      condition: String,
      keys: Seq[Expression],
      columns: Seq[String],
      origin: Origin
  ): Throwable =
    ofCall(
      "INVALID_TRACE.PARTITION",
      function,
      origin,
      "condition" -> quoted(condition),
      "keys" -> (if (keys.isEmpty) "it has none" else keys.map(quotedKey).mkString(", ")),
      "columns" -> quotedList(columns)
    )

  def callOfStream(function: String, origin: Origin): Throwable =
    ofCall("UNSUPPORTED_IN_STREAM.TRACE", function, origin)
}
