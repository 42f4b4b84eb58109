package io.matchrecognize.errors

import io.matchrecognize.errors.ErrorQuery.clause

/** Mistakes in the expressions of MEASURES and DEFINE. */
object ExpressionErrorQueries {
  private val prefix = "MATCH_RECOGNIZE_"

  private def measure(expression: String, condition: String, at: String) =
    ErrorQuery(clause(measures = s"$expression AS m"), condition, at)

  private def condition(expression: String, condition: String, at: String) =
    ErrorQuery(clause(define = s"B AS $expression"), condition, at)

  private val nesting = {
    val condition = s"${prefix}INVALID_NAVIGATION.NESTING"
    Seq(
      measure("LAST(FIRST(v))", condition, "FIRST(v)"),
      measure("PREV(LAST(v, 2) + 5)", condition, "LAST(v, 2)"),
      measure("PREV(PREV(v))", condition, "PREV(v)"),
      measure("MAX(1 + LAST(v))", condition, "LAST(v)"),
      measure("SUM(MATCH_ROWTIME())", condition, "MATCH_ROWTIME()"),
      measure("LAST(FINAL LAST(v))", condition, "FINAL LAST(v)"),
      this.condition("FIRST(SUM(v)) > 0", condition, "SUM(v)")
    )
  }

  private val navigation = Seq(
    measure("LAST(1)", s"${prefix}INVALID_NAVIGATION.NO_COLUMN", "LAST(1)"),
    measure("PREV('text')", s"${prefix}INVALID_NAVIGATION.NO_COLUMN", "PREV('text')"),
    measure("PREV(LAST(1))", s"${prefix}INVALID_NAVIGATION.NO_COLUMN", "PREV(LAST(1))"),
    measure("PREV(v, -5)", s"${prefix}INVALID_OFFSET", "-5"),
    measure("PREV(v, 1.5)", s"${prefix}INVALID_OFFSET", "1.5"),
    measure("PREV(v, 'text')", s"${prefix}INVALID_OFFSET", "'text'"),
    measure("PREV(v, NULL)", s"${prefix}INVALID_OFFSET", "NULL"),
    measure("PREV(v, 3000000000)", s"${prefix}INVALID_OFFSET", "3000000000"),
    measure("LAST(v, TRUE)", s"${prefix}INVALID_OFFSET", "LAST(v, TRUE)"),
    measure("LAST(v, k)", "NON_FOLDABLE_ARGUMENT", "k"),
    measure("PREV()", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "PREV()"),
    measure("PREV(v, 1, 2)", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "PREV(v, 1, 2)"),
    measure("LAG(v, 1, 0)", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "LAG(v, 1, 0)"),
    measure("MATCH_NUMBER(A)", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "MATCH_NUMBER(A)"),
    measure("CLASSIFIER(A, B)", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "CLASSIFIER(A, B)")
  )

  private val modes = {
    val inDefine = s"${prefix}INVALID_RUNNING_FINAL.FINAL_IN_DEFINE"
    val function = s"${prefix}INVALID_RUNNING_FINAL.FUNCTION"
    Seq(
      condition("FINAL LAST(A.v) > 5", inDefine, "LAST(A.v)"),
      condition("PREV(FINAL LAST(A.v)) > 5", inDefine, "LAST(A.v)"),
      measure("FINAL LOWER(c)", function, "LOWER(c)"),
      measure("FINAL NEXT(v)", function, "NEXT(v)"),
      measure("RUNNING MATCH_NUMBER()", function, "MATCH_NUMBER()"),
      measure("FINAL CLASSIFIER()", function, "CLASSIFIER()")
    )
  }

  private val invalid = {
    val invalid = s"${prefix}INVALID_EXPRESSION"
    Seq(
      measure("LAST(A.v + B.v)", s"$invalid.MIXED_VARIABLES", "LAST(A.v + B.v)"),
      measure("LAST(A.v + v)", s"$invalid.MIXED_VARIABLES", "LAST(A.v + v)"),
      measure("MAX_BY(A.v, v)", s"$invalid.MIXED_VARIABLES", "MAX_BY(A.v, v)"),
      measure(
        "LAST(CLASSIFIER(A) || CLASSIFIER())",
        s"$invalid.MIXED_VARIABLES",
        "LAST(CLASSIFIER(A)"
      ),
      condition("rand() > 0.5", s"$invalid.NON_DETERMINISTIC", "rand()"),
      condition("uuid() = c", s"$invalid.NON_DETERMINISTIC", "uuid()"),
      measure("COUNT(A)", s"$invalid.VARIABLE_AS_COLUMN", "A)"),
      measure("b", s"$invalid.VARIABLE_AS_COLUMN", "b AS m"),
      condition("v > PREV(B)", s"$invalid.VARIABLE_AS_COLUMN", "B)"),
      measure("LOWER(A.*)", s"$invalid.VARIABLE_STAR", "A.*"),
      measure("MIN(A.*)", s"$invalid.VARIABLE_STAR", "A.*"),
      measure("A.*", s"$invalid.VARIABLE_STAR", "A.*"),
      measure("COUNT(DISTINCT A.*)", s"$invalid.VARIABLE_STAR", "A.*"),
      measure("CLASSIFIER(A.v)", s"$invalid.VARIABLE_EXPECTED", "CLASSIFIER(A.v)"),
      measure("MATCH_ROWTIME(1)", s"$invalid.VARIABLE_EXPECTED", "MATCH_ROWTIME(1)"),
      measure("MATCH_ROWTIME(v)", s"$invalid.VARIABLE_EXPECTED", "MATCH_ROWTIME(v)"),
      measure("MATCH_ROWTIME(A.k)", s"$invalid.VARIABLE_EXPECTED", "MATCH_ROWTIME(A.k)"),
      measure("MATCH_ROWTIME(B.v)", s"$invalid.VARIABLE_EXPECTED", "MATCH_ROWTIME(B.v)"),
      measure("MATCH_ROWTIME(Z.v)", s"$invalid.VARIABLE_EXPECTED", "MATCH_ROWTIME(Z.v)"),
      condition("MATCH_PROCTIME() IS NULL", s"$invalid.MEASURES_ONLY", "MATCH_PROCTIME()"),
      condition("MATCH_ROWTIME() > 1", s"$invalid.MEASURES_ONLY", "MATCH_ROWTIME()"),
      measure("MAX(v) OVER ()", s"$invalid.WINDOW_FUNCTION", "MAX(v) OVER ()"),
      measure("LAST(v) OVER ()", s"$invalid.WINDOW_FUNCTION", "LAST(v) OVER ()"),
      measure("SUM(MAX(v) OVER ())", s"$invalid.WINDOW_FUNCTION", "MAX(v) OVER ()"),
      measure("SUM(v) OVER w", s"$invalid.WINDOW_FUNCTION", "SUM(v) OVER w"),
      condition("row_number() OVER (ORDER BY k) > 1", s"$invalid.WINDOW_FUNCTION", "row_number()")
    )
  }

  private val windows = Seq(
    measure("ntile(2)", s"${prefix}INVALID_EXPRESSION.WINDOW_FUNCTION", "ntile(2)"),
    measure("row_number()", s"${prefix}INVALID_EXPRESSION.WINDOW_FUNCTION", "row_number()"),
    condition("ntile(2) > 1", s"${prefix}INVALID_EXPRESSION.WINDOW_FUNCTION", "ntile(2)"),
    measure("window(ts, '1 hour')", "UNSUPPORTED_EXPR_FOR_OPERATOR", "window(ts, '1 hour')"),
    measure("session_window(ts, '1 hour').end", "UNSUPPORTED_EXPR_FOR_OPERATOR", "session_window")
  )

  private val types = Seq(
    condition("B.v + 1", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "B.v + 1"),
    condition("c", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "c"),
    condition("v > array(1)", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "v > array(1)"),
    measure("m + 1", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "m + 1"),
    measure("UPPER(m)", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "UPPER(m)"),
    measure("NOT v", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "NOT v"),
    measure(
      "LAST(c COLLATE UTF8_LCASE) = LAST(c COLLATE UNICODE)",
      "COLLATION_MISMATCH.EXPLICIT",
      ""
    )
  )

  private val aggregates = Seq(
    measure("MAX(MIN(v))", "NESTED_AGGREGATE_FUNCTION", "MIN(v)"),
    measure(
      "SUM(v) FILTER (WHERE MAX(v) > 1)",
      "INVALID_AGGREGATE_FILTER.CONTAINS_AGGREGATE",
      "SUM(v)"
    ),
    measure("SUM(v) FILTER (WHERE v)", "INVALID_AGGREGATE_FILTER.NOT_BOOLEAN", "SUM(v)"),
    measure("SUM(rand())", "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION", "rand()"),
    measure(
      "UPPER(c) FILTER (WHERE v > 1)",
      "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
      "UPPER"
    )
  )

  private val generators = Seq(
    measure("explode(array(v))", "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", "explode(array(v))"),
    measure("1 + explode(arr)", "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", "explode(arr)"),
    measure("stack(2, 1, 2)", "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", "stack(2, 1, 2)"),
    condition("explode(arr) > 1", "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", "explode(arr)"),
    condition("inline(array(s)) > 1", "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", "inline(array(s))"),
    measure("MAX(explode(arr))", "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", "explode(arr)")
  )

  private val odd = Seq(
    measure("x -> x", "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", "x -> x"),
    measure("LAST(y -> y)", "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", "y -> y"),
    measure(
      "transform(arr, (p, q, r) -> p)",
      "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
      "(p, q, r)"
    ),
    measure("INTERVAL 'x' HOUR", "PARSE_SYNTAX_ERROR", ""),
    condition("k > INTERVAL 'x' DAY", "PARSE_SYNTAX_ERROR", ""),
    measure("CAST(v AS nosuch)", "UNSUPPORTED_DATATYPE", "nosuch"),
    measure("DATE'x'", "INVALID_TYPED_LITERAL", "DATE'x'"),
    measure(
      "v IN (SELECT z, z FROM o)",
      "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH",
      "IN (SELECT"
    ),
    measure(
      "(SELECT z, z FROM o)",
      "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
      "(SELECT z, z FROM o)"
    ),
    measure("grouping(v)", "UNSUPPORTED_GROUPING_EXPRESSION", "grouping(v)"),
    measure("*", s"${prefix}INVALID_EXPRESSION.VARIABLE_STAR", "*"),
    measure("struct(*)", s"${prefix}INVALID_EXPRESSION.VARIABLE_STAR", "*"),
    measure("input_file_name() || LAST(nosuch)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "nosuch"),
    measure("DISTINCT v", "PARSE_SYNTAX_ERROR", "v"),
    measure("(v, k", "PARSE_SYNTAX_ERROR", ""),
    measure("SUM(DISTINCT)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "DISTINCT"),
    measure("CASE WHEN v THEN 1", "PARSE_SYNTAX_ERROR", "")
  )

  /** Characters beyond the basic plane, which take two chars of a String, before the mistake. */
  private val wide = Seq(
    measure(
      "'\uD83D\uDE00\uD83D\uDE00' || LAST(1)",
      s"${prefix}INVALID_NAVIGATION.NO_COLUMN",
      "LAST(1)"
    ),
    measure(
      "'\uD83D\uDE00' || FINAL UPPER(c)",
      s"${prefix}INVALID_RUNNING_FINAL.FUNCTION",
      "UPPER(c)"
    ),
    condition(
      "c = '\uD83D\uDE00' OR A.nosuch > 1",
      "UNRESOLVED_COLUMN.WITH_SUGGESTION",
      "A.nosuch"
    ),
    condition("c = '\uD83D\uDE00' OR v + m > 1", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "v + m"),
    condition("'\uD83D\uDE00' || c", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "'\uD83D\uDE00' || c")
  )

  val all: Seq[ErrorQuery] =
    wide ++ nesting ++ navigation ++ modes ++ invalid ++ windows ++ types ++ aggregates ++ generators ++ odd
}
