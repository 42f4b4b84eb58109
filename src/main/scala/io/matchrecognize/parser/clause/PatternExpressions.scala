package io.matchrecognize.parser.clause

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, First, Last}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.{MatchRecognizeErrors, UserText}
import io.matchrecognize.expressions.{ColumnReference, PatternFunctionCall, VariableStar}
import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}

/**
 * Turns an expression of Spark's parser into one of MEASURES or DEFINE: column references, stars
 * and the functions of the clause become our own nodes before Spark's rules can resolve them as
 * something else. `first` and `last` are navigation, not Spark's aggregates.
 *
 * Left alone: parameters of lambdas inside their bodies, plans of subqueries, other functions.
 * Every node keeps its place in the text.
 */
private[clause] final class PatternExpressions(statement: StatementText) {
  import PatternExpressions._

  def convert(expression: Expression): Expression = {
    refuseLambda(expression, expression.prettyName)
    convert(expression, Nil)
  }

  private def convert(expression: Expression, lambdaNames: Seq[String]): Expression =
    expression match {
      case a: UnresolvedAttribute => at(a)(ColumnReference(a.nameParts))
      case v: UnresolvedNamedLambdaVariable =>
        if (lambdaNames.exists(SQLConf.get.resolver(_, v.nameParts.head))) v
        else at(v)(ColumnReference(v.nameParts))
      case star: UnresolvedStar =>
        refuseLiteral(star)
        at(star)(VariableStar(star.target.getOrElse(Nil)))
      case field @ UnresolvedExtractValue(_: Literal, _) =>
        refuseLiteral(field)
        children(field, lambdaNames)
      case lambda: LambdaFunction =>
        val names = lambda.arguments.collect { case v: UnresolvedNamedLambdaVariable =>
          v.nameParts.head
        } ++ lambdaNames
        val body = convert(lambda.function, names)
        at(lambda)(new LambdaFunction(body, lambda.arguments, lambda.hidden))
      case f: UnresolvedFunction if f.nameParts.length == 1 && Names(upper(f.nameParts.head)) =>
        call(f, lambdaNames)
      case f: UnresolvedFunction
          if f.nameParts.length == 1 && TimeWindows.isName(f.nameParts.head) =>
        refuseTimeWindow(f)
      case e: AggregateExpression =>
        e.aggregateFunction match {
          case first: First => ofAggregate("FIRST", first.child, first.ignoreNulls, e, lambdaNames)
          case last: Last => ofAggregate("LAST", last.child, last.ignoreNulls, e, lambdaNames)
          case _ => children(e, lambdaNames)
        }
      case e: ExpressionWithUnresolvedIdentifier =>
        val builder = e.exprBuilder
        at(e)(
          new ExpressionWithUnresolvedIdentifier(
            convert(e.identifierExpr, lambdaNames),
            e.otherExprs.map(convert(_, lambdaNames)),
            (parts: Seq[String], others: Seq[Expression]) =>
              convert(builder(parts, others), lambdaNames)
          )
        )
      case e => children(e, lambdaNames)
    }

  /** `NULL.price` is a field of NULL to Spark: its value would silently be NULL. */
  private def refuseLiteral(e: Expression): Unit = {
    val i = statement.tokens.indexOf(statement.tokenAt(e.origin.startIndex.getOrElse(0)))
    if (statement.tokens.lift(i + 1).exists(_.getText == "."))
      SyntaxErrors.refuseLiteral(statement, statement.tokens(i))
  }

  private def children(e: Expression, lambdaNames: Seq[String]): Expression = {
    refuseLambdas(e)
    e.mapChildren(convert(_, lambdaNames))
  }

  private def call(f: UnresolvedFunction, lambdaNames: Seq[String]): Expression = {
    val name = upper(f.nameParts.head)
    val ignoresNulls = (f.ignoreNulls: Any) match {
      case ignore: Boolean => ignore
      case Some(ignore: Boolean) => ignore
      case _ => false
    }
    if (f.isDistinct) unsupported(f, name, "DISTINCT")
    if (f.filter.nonEmpty) unsupported(f, name, "FILTER CLAUSE")
    if (ignoresNulls) unsupported(f, name, "IGNORE NULLS")
    if (f.orderingWithinGroup.nonEmpty) unsupported(f, name, "WITHIN GROUP (ORDER BY ...)")
    f.arguments.foreach {
      case named: NamedArgumentExpression =>
        fail(named, "NAMED_PARAMETERS_NOT_SUPPORTED", Map("functionName" -> UserText.quoted(name)))
      case argument => refuseLambda(argument, name)
    }
    at(f)(PatternFunctionCall(name, f.arguments.map(convert(_, lambdaNames))))
  }

  private def ofAggregate(
      name: String,
      child: Expression,
      ignoresNulls: Boolean,
      e: AggregateExpression,
      lambdaNames: Seq[String]
  ): Expression = {
    if (ignoresNulls) unsupported(e, name, "IGNORE NULLS")
    if (e.isDistinct) unsupported(e, name, "DISTINCT")
    refuseLambda(child, name)
    at(e)(PatternFunctionCall(name, Seq(convert(child, lambdaNames))))
  }

  /** Refuses lambdas outside functions in an expression that only Spark parses. */
  def checkLambdas(expression: Expression): Unit = {
    refuseLambda(expression, expression.prettyName)
    expression.foreach(refuseLambdas)
  }

  private def refuseLambdas(e: Expression): Unit =
    if (!e.isInstanceOf[UnresolvedFunction]) e.children.foreach(refuseLambda(_, e.prettyName))

  /** Outside a higher-order function a lambda causes an internal error in Spark. */
  private def refuseLambda(e: Expression, function: => String): Unit =
    if (e.isInstanceOf[LambdaFunction]) {
      val condition = "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION"
      fail(e, condition, Map("class" -> function))
    }

  /** Spark would compute it in a Project below, where variables have no meaning. */
  private def refuseTimeWindow(e: Expression): Nothing = fail(
    e,
    "UNSUPPORTED_EXPR_FOR_OPERATOR",
    Map("operator" -> "MATCH_RECOGNIZE", "invalidExprSqls" -> s"\"${UserText.of(e)}\"")
  )

  private def unsupported(e: Expression, name: String, syntax: String): Nothing =
    fail(
      e,
      "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
      Map("prettyName" -> UserText.quoted(name.toLowerCase(Locale.ROOT)), "syntax" -> syntax)
    )

  private def fail(e: Expression, condition: String, parameters: Map[String, String]): Nothing = {
    val token = statement.tokenAt(e.origin.startIndex.getOrElse(0))
    throw SyntaxErrors.spark(statement, token, condition, parameters)
  }

  private def at(e: Expression)(node: => Expression): Expression =
    CurrentOrigin.withOrigin(e.origin)(node)
}

private[clause] object PatternExpressions {
  private def upper(name: String): String = name.toUpperCase(Locale.ROOT)

  private val Names = StatementText.words(
    "PREV NEXT FIRST LAST CLASSIFIER MATCH_NUMBER MATCH_ROWTIME MATCH_PROCTIME " +
      "LAG LEAD MATCH_ROW_NUMBER"
  )
}

/**
 * Spark's functions of time windows. Spark computes one in a Project below the operator that calls
 * it, together with a Filter that drops the rows without a time: the operator's input is another.
 */
private[clause] object TimeWindows {
  private val Names = StatementText.words("WINDOW SESSION_WINDOW WINDOW_TIME")

  def isName(name: String): Boolean = Names(name.toUpperCase(Locale.ROOT))

  /** Refuses them in a key of a clause, which would show the column and miss the rows. */
  def refuse(key: Expression): Unit = key.foreach {
    case call: UnresolvedFunction if isBuiltin(call.nameParts) && isName(call.nameParts.last) =>
      if (call.nameParts.last.equalsIgnoreCase("SESSION_WINDOW"))
        throw MatchRecognizeErrors.sessionWindow(call, call.origin)
      throw MatchRecognizeErrors.timeWindow(call)
    case _ =>
  }

  /** Whether a name has no qualifier, or that of Spark's own functions. */
  private def isBuiltin(nameParts: Seq[String]): Boolean =
    nameParts.length == 1 || nameParts(nameParts.length - 2).equalsIgnoreCase("BUILTIN")
}
