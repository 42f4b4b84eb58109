package io.matchrecognize.analysis.typing

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  DeclarativeAggregate,
  ImperativeAggregate
}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.matchrecognize.CharComparisons
import org.apache.spark.sql.types.{
  BooleanType,
  ByteType,
  IntegerType,
  LongType,
  NullType,
  ShortType
}

import io.matchrecognize.analysis.names.OuterConstants
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.expressions._

/**
 * Last pass of resolving one expression of MEASURES or DEFINE: names, functions and types are
 * resolved; the remaining nodes of the clause are checked and turned into [[Navigation]] and
 * [[PatternAggregate]] (ISO/IEC 9075-2, row pattern navigation, set functions in row patterns).
 *
 * Invariants of the result: each column is inside exactly one navigation or aggregate; PREV or NEXT
 * around FIRST or LAST is one navigation with a physical offset.
 *
 * @param clause
 *   MEASURES or DEFINE with the variable, for messages
 */
final class ResolveNavigation(clause: String, inDefine: Boolean) {

  def finish(expression: Expression): Expression = {
    checkFunctions(expression)
    padded(convert(expression))
  }

  /**
   * Spark compares a CHAR column as if both sides were padded, but only for bare columns: a
   * navigation to one is presented as a column.
   */
  private def padded(expression: Expression): Expression = {
    val shown = mutable.HashMap.empty[ExprId, Navigation]
    val columns = expression.transformUp {
      case navigation @ Navigation(column: AttributeReference, _)
          if CharComparisons.isChar(column) =>
        val stand = column.newInstance()
        shown += stand.exprId -> navigation
        stand
    }
    if (shown.isEmpty) expression
    else
      CharComparisons.pad(columns).transformUp {
        case stand: AttributeReference if shown.contains(stand.exprId) => shown(stand.exprId)
      }
  }

  /** Like `finish`, for a condition: it must be BOOLEAN; a bare NULL is legal and never TRUE. */
  def finishCondition(condition: Expression): Expression = finish(condition) match {
    case typed if typed.dataType == BooleanType => typed
    case typed if typed.dataType == NullType => Cast(typed, BooleanType)
    case _ => throw Errors.conditionNotBoolean(condition)
  }

  private def checkFunctions(expression: Expression): Unit = expression.foreach {
    // The children of a subquery are its outer references.
    case subquery: SubqueryExpression if subquery.children.nonEmpty =>
      throw Errors.correlatedSubquery(outerName(subquery), clause)
    case outer: OuterReference => throw Errors.outerReference(outer)
    case window: WindowFunction => throw Errors.windowFunction(window, clause)
    // ProjectedFunctions places scalar ones.
    case aggregate: PythonUDAF => throw Errors.pythonAggregate(aggregate)
    case e if inDefine && !e.deterministic && e.children.forall(_.deterministic) =>
      throw Errors.nonDeterministic(e, clause)
    case _ =>
  }

  /**
   * A name that the subquery references outside, with its place in the subquery if that is known.
   */
  private def outerName(subquery: SubqueryExpression): Expression = {
    val names = subquery.plan
      .collect { case plan => plan.expressions }
      .flatten
      .flatMap(_.collect {
        case outer: OuterReference if outer.origin.line.isDefined => outer
      })
    names.headOption.getOrElse(subquery.children.head)
  }

  /** Converts an expression outside navigation and aggregates. */
  private def convert(expression: Expression): Expression =
    CurrentOrigin.withOrigin(expression.origin) {
      expression match {
        case VariableColumn(variable, column) => Navigation(column, lastRunning(variable))
        case classifier: Classifier =>
          Navigation(Classifier(None), lastRunning(classifier.variable))
        case call: NavigationCall => navigation(call, call, isFinal = false)
        case RowtimeCall(variable, key) => Navigation(key, lastRunning(variable))
        case aggregate: AggregateExpression => patternAggregate(aggregate, isFinal = false)
        case mode: CallMode => withMode(mode)
        case rows: VariableRows => throw Errors.variableStar(rows, clause)
        // Spark resolves a name that only a function of the parser produced, such as IDENTIFIER.
        case column: AttributeReference => Navigation(column, lastRunning(None))
        case other => other.mapChildren(convert)
      }
    }

  private def withMode(mode: CallMode): Expression = {
    if (mode.isFinal && inDefine) throw Errors.finalInDefine(mode.keyword, mode.child)
    mode.child match {
      case call @ NavigationCall("FIRST" | "LAST", _, _) => navigation(call, call, mode.isFinal)
      case RowtimeCall(variable, key) =>
        Navigation(key, lastRunning(variable).copy(isFinal = mode.isFinal))
      case aggregate: AggregateExpression => patternAggregate(aggregate, mode.isFinal)
      case other => throw Errors.runningFinalFunction(mode.keyword, other)
    }
  }

  private def lastRunning(variable: Option[String]): NavigationTarget =
    NavigationTarget.LastRow.copy(variable = variable)

  /** `outermost` is the call that messages name. */
  private def navigation(
      call: NavigationCall,
      outermost: Expression,
      isFinal: Boolean
  ): Navigation =
    if (call.function == "FIRST" || call.function == "LAST") {
      val last = argument(call, outermost)
      val fromFirst = call.function == "FIRST"
      val rows = offset(call, default = 0)
      last.copy(target = last.target.copy(fromFirst = fromFirst, offset = rows, isFinal = isFinal))
    } else {
      val rows = offset(call, default = 1)
      val logical = call.child match {
        case inner @ NavigationCall("FIRST" | "LAST", _, _) =>
          navigation(inner, outermost, isFinal = false)
        case mode @ CallMode(innerFinal, inner @ NavigationCall("FIRST" | "LAST", _, _)) =>
          if (innerFinal && inDefine) throw Errors.finalInDefine(mode.keyword, inner)
          navigation(inner, outermost, innerFinal)
        case _ => argument(call, outermost)
      }
      val physicalOffset = if (call.function == "PREV") -rows else rows
      logical.copy(target = logical.target.copy(physicalOffset = physicalOffset))
    }

  /** The argument of a call on the last row of its variable. */
  private def argument(call: NavigationCall, outermost: Expression): Navigation = {
    val (variable, value) = oneVariable(Seq(call.child), call)
    val readsColumn = value.head.exists {
      case _: AttributeReference | _: Classifier => true
      case _ => false
    }
    if (!readsColumn) throw Errors.noColumn(outermost)
    Navigation(value.head, lastRunning(variable))
  }

  private def offset(call: NavigationCall, default: Int): Int = call.offset match {
    case None => default
    case Some(parameter) if OuterConstants.isPlaceholder(parameter) => default
    case Some(expression) =>
      Constants.fold(expression) match {
        case None => throw Errors.nonFoldableOffset(call.function, expression)
        case Some(Literal(n: Number, ByteType | ShortType | IntegerType | LongType))
            if n.longValue >= 0 && n.longValue <= Int.MaxValue =>
          n.intValue
        case _ => throw Errors.invalidOffset(expression, call)
      }
  }

  /**
   * The one variable whose rows the arguments of `function` read, and the arguments with plain
   * columns of the row read.
   */
  private def oneVariable(
      arguments: Seq[Expression],
      function: Expression
  ): (Option[String], Seq[Expression]) = {
    val variables = Seq.newBuilder[Option[String]]
    def strip(e: Expression): Expression = CurrentOrigin.withOrigin(e.origin) {
      e match {
        case VariableColumn(variable, column) =>
          variables += variable
          column
        case Classifier(variable) =>
          variables += variable
          Classifier(None)
        case column: AttributeReference =>
          variables += None
          column
        case VariableRows(variable) =>
          variables += Some(variable)
          Literal(1)
        case _: NavigationCall | _: RowtimeCall | _: CallMode => throw Errors.nesting(e, function)
        case inner: AggregateExpression =>
          function match {
            case _: AggregateExpression => throw Errors.nestedAggregate(inner)
            case _ => throw Errors.nesting(inner, function)
          }
        case other => other.mapChildren(strip)
      }
    }
    val values = arguments.map(strip)
    variables.result().distinct match {
      case Seq() => (None, values)
      case Seq(variable) => (variable, values)
      case several => throw Errors.mixedVariables(function, clause, Errors.variableList(several))
    }
  }

  private def patternAggregate(
      aggregate: AggregateExpression,
      isFinal: Boolean
  ): PatternAggregate = {
    val function = aggregate.aggregateFunction match {
      case known @ (_: DeclarativeAggregate | _: ImperativeAggregate | _: RuntimeReplaceable) =>
        known
      case _ => throw Errors.unsupportedExpressions(Seq(aggregate), aggregate.origin)
    }
    val (variable, values) = oneVariable(function.children ++ aggregate.filter, aggregate)
    values.find(!_.deterministic).foreach(e => throw Errors.nonDeterministicAggregate(e))
    refuseLambdaVariables(values, aggregate)
    val stripped = function.withNewChildren(values.take(function.children.length))
    val filter = values.drop(function.children.length).headOption
    PatternAggregate(stripped, aggregate.isDistinct, filter, variable, isFinal)
  }

  /** An aggregate is computed once, not for each element on which a lambda around it is called. */
  private def refuseLambdaVariables(values: Seq[Expression], aggregate: Expression): Unit = {
    val own = values.flatMap(_.collect { case lambda: LambdaFunction => lambda.arguments }).flatten
    val isOuter = values.exists(_.exists {
      case variable: NamedLambdaVariable => !own.exists(_.exprId == variable.exprId)
      case _ => false
    })
    if (isOuter) throw Errors.unsupportedExpressions(Seq(aggregate), aggregate.origin)
  }
}
