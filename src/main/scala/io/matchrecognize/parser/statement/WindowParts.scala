package io.matchrecognize.parser.statement

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
    statement: StatementText,
    scanner: WindowScanner,
    specifications: IndexedSeq[WindowSpecDefinition]
) {
  private val measures = scanner.measures.toIndexedSeq

  // The windows of a WINDOW clause; Spark compares their names as they are written.
  private val names: Set[String] = scanner.windows
    .map(window => statement.tokens(window.word - 1))
    .filter(StatementText.isName)
    .map(StatementText.name)
    .toSet

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
   * WITH.
   */
  def substituted(definitions: WithWindowDefinition): LogicalPlan = {
    val patterns = definitions.windowDefinitions.filter { case (_, specification) =>
      specification.partitionSpec.headOption.exists(_.isInstanceOf[RowPatternWindow])
    }
    if (patterns.isEmpty) definitions
    else
      definitions.withNewChildren(Seq(definitions.child.transform { case plan =>
        plan.transformExpressions {
          case call @ UnresolvedWindowExpression(function, WindowSpecReference(name))
              if patterns.contains(name) =>
            CurrentOrigin.withOrigin(call.origin)(WindowExpression(function, patterns(name)))
        }
      }))
  }

  /** Whether an expression is computed over a row pattern window. */
  def isOver(expression: Expression): Boolean = expression.exists {
    case RowPatternWindow.Call(_, _, _) => true
    case UnresolvedWindowExpression(_: WindowMeasure, _) => true
    case UnresolvedWindowExpression(_, WindowSpecReference(name)) => names(name)
    case _ => false
  }

  /** An item of SELECT without a name: it is named by its text, as the user wrote it. */
  def named(item: Expression, place: Origin, masked: MaskedText): Expression =
    (place.startIndex, place.stopIndex) match {
      case (Some(start), Some(stop)) =>
        val text = statement.slice(start, masked.stop(stop)).replaceAll("\\s+", " ")
        CurrentOrigin.withOrigin(place)(Alias(item, text)())
      case _ => item
    }
}
