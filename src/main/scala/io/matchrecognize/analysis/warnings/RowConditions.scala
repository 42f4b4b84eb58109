package io.matchrecognize.analysis.warnings

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, StringType}

import io.matchrecognize.errors.{UserText, Wording}
import io.matchrecognize.expressions.{Classifier, Navigation}
import io.matchrecognize.plans.Subset

/**
 * An operand of the outermost ANDs of a condition, which is known for each row.
 *
 * @param written
 *   as in DEFINE
 * @param condition
 *   the same over [[ClauseRows]]
 * @param truth
 *   NULL where its evaluation fails
 */
private[warnings] final case class RowCondition(written: Expression, condition: Expression) {
  val truth: Expression = Tried(condition)
  def text: String = Written.of(written)
}

/** `<`, `>`, `<=` or `>=` of texts, of which `value` is a column. */
private[warnings] final case class TextComparison(text: String, name: String, value: Expression)

private[warnings] object RowConditions extends PredicateHelper {

  /** Those operands of a condition that can be evaluated for each row of the input by itself. */
  def of(rows: ClauseRows, variable: String, condition: Expression): Seq[RowCondition] =
    splitConjunctivePredicates(condition)
      .filterNot(part => part.foldable || TypeWarnings.comparesWithNull(part))
      .flatMap(part => overRow(rows, variable, part).map(RowCondition(part, _)))
      .distinctBy(_.condition.canonicalized)

  private def overRow(rows: ClauseRows, variable: String, part: Expression): Option[Expression] = {
    val subsets = rows.node.clause.subsets
    val isKnown = part.dataType == BooleanType && part.deterministic && !part.exists {
      case Navigation(value, target) =>
        val isTested = Subset.isTestedRow(target.copy(physicalOffset = 0), variable, subsets)
        !isTested || value.exists(isUnevaluable) ||
        (target.physicalOffset != 0 && !rows.hasOrder)
      case _: Classifier | _: SubqueryExpression | _: OuterReference | _: PythonUDF => true
      case other => isUnevaluable(other)
    }
    Option.when(isKnown)(part.transformUp { case Navigation(value, target) =>
      if (target.physicalOffset == 0) value else rows.neighbour(value, target.physicalOffset)
    })
  }

  private def isUnevaluable(part: Expression): Boolean = part match {
    case _: Attribute | _: Navigation => false
    case other => other.isInstanceOf[Unevaluable]
  }

  /** Comparisons by order in which both sides are texts, and one is a column of some row. */
  def textComparisons(condition: Expression): Seq[TextComparison] = condition
    .collect {
      case comparison @ (_: LessThan | _: LessThanOrEqual | _: GreaterThan |
          _: GreaterThanOrEqual) =>
        comparison.children
          .collectFirst { case read @ Navigation(value: Attribute, _) =>
            (read, value)
          }
          .filter(_._2.dataType.isInstanceOf[StringType])
          .map { case (_, value) =>
            TextComparison(Written.of(comparison), UserText.quotedIfNeeded(value.name), value)
          }
    }
    .flatten
    .distinctBy(_.value.canonicalized)
}

private[warnings] object Written {

  /** What the user wrote, on one line, in backticks. */
  def of(expression: Expression): String =
    Wording.code(Wording.oneLine(UserText.of(expression)))
}
