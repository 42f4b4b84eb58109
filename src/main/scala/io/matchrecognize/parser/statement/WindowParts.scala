package io.matchrecognize.parser.statement

import org.apache.spark.sql.catalyst.analysis.UnresolvedAlias
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Expression,
  UnresolvedWindowExpression,
  WindowExpression,
  WindowSpecDefinition,
  WindowSpecReference
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WithWindowDefinition}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

import io.matchrecognize.plans.{RowPatternWindow, WindowMeasure}

/** What replaces the placeholders of row pattern windows and of their measures. */
private[parser] final class WindowParts(
    masked: MaskedText,
    specifications: IndexedSeq[WindowSpecDefinition]
) {
  import masked.{measures, statement}

  def specification(window: Int): WindowSpecDefinition = specifications(window)

  /** The name of a measure as its call spells it. */
  def name(measure: Int): String = StatementText.name(statement.tokens(measures(measure).name))

  def measure(number: Int): Expression = {
    val found = measures(number)
    val token = statement.tokens(found.name)
    val call = CurrentOrigin.withOrigin(statement.origin(token, token))(WindowMeasure(name(number)))
    CurrentOrigin.withOrigin(statement.origin(token, statement.tokens(found.last))) {
      found.window match {
        case Left(window) => UnresolvedWindowExpression(call, WindowSpecReference(window))
        case Right(window) => WindowExpression(call, specifications(window))
      }
    }
  }

  /**
   * Replaces references to row pattern windows of a WINDOW clause, as Spark does later for the
   * others: before that it does not see subqueries in the definitions, which may name queries of
   * WITH. Like Spark, it leaves a query inside alone that has windows of its own, and replaces only
   * in the stage of a pipe that the WINDOW clause belongs to. The definitions go: Spark does not
   * look for them in views that an extension resolves, such as Iceberg's.
   */
  def substituted(definitions: WithWindowDefinition): LogicalPlan = {
    val patterns = definitions.windowDefinitions.filter { case (_, specification) =>
      specification.partitionSpec.headOption.exists(_.isInstanceOf[RowPatternWindow])
    }
    def isReference(e: Expression): Boolean = e match {
      case UnresolvedWindowExpression(_, WindowSpecReference(name)) => patterns.contains(name)
      case _ => false
    }
    def inOperator(plan: LogicalPlan): LogicalPlan = plan.transformExpressions {
      case UnresolvedAlias(child, None) if child.exists(isReference) =>
        named(child, child.origin)
      case call @ UnresolvedWindowExpression(function, WindowSpecReference(name))
          if isReference(call) =>
        CurrentOrigin.withOrigin(call.origin)(WindowExpression(function, patterns(name)))
    }
    def inQuery(plan: LogicalPlan): LogicalPlan = plan match {
      case inner: WithWindowDefinition => inner
      case other => inOperator(other.mapChildren(inQuery))
    }
    val replace: LogicalPlan => LogicalPlan = if (definitions.forPipeSQL) inOperator else inQuery
    if (patterns.isEmpty) definitions
    else {
      val child = replace(definitions.child)
      val others = definitions.windowDefinitions -- patterns.keys
      if (others.isEmpty) child else definitions.copy(windowDefinitions = others, child = child)
    }
  }

  /** Whether an expression is computed over a row pattern window that it does not only name. */
  def isOver(expression: Expression): Boolean = expression.exists {
    case RowPatternWindow.Call(_, _, _) => true
    case UnresolvedWindowExpression(_: WindowMeasure, _) => true
    case _ => false
  }

  /** An item of SELECT without a name: it is named by its text, as the user wrote it. */
  def named(item: Expression, place: Origin): Expression =
    (place.startIndex, place.stopIndex) match {
      case (Some(start), Some(stop)) =>
        val text = statement.words(start, masked.stop(stop))
        CurrentOrigin.withOrigin(place)(Alias(item, text)())
      case _ => item
    }
}
