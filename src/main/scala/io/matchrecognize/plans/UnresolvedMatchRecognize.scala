package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.UserText
import io.matchrecognize.pattern.{AfterMatchSkip, RowPattern}

/**
 * MATCH_RECOGNIZE as the parser leaves it (ISO/IEC 9075-2, row pattern recognition clause).
 * `ResolveMatchRecognize` replaces it once its child and all its expressions are resolved.
 *
 * In `measures` and `conditions` every column reference is a
 * [[io.matchrecognize.expressions.ColumnReference]] and every function that only the clause has a
 * [[io.matchrecognize.expressions.PatternFunctionCall]], so that Spark's own rules cannot read them
 * as something else. PARTITION BY and ORDER BY hold ordinary Spark expressions.
 *
 * @param measureNames
 *   names of `measures`, place by place
 * @param definedVariables
 *   variables of `conditions`, place by place, as DEFINE spells them
 * @param within
 *   the bound of WITHIN: an expression
 * @param positions
 *   where the pieces that are no expressions stand, for error messages
 */
final case class UnresolvedMatchRecognize(
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    measures: Seq[Expression],
    measureNames: Seq[String],
    rowsPerMatch: RowsPerMatch,
    afterMatchSkip: AfterMatchSkip[String],
    pattern: RowPattern,
    within: Option[Expression],
    subsets: Seq[Subset],
    definedVariables: Seq[String],
    conditions: Seq[Expression],
    positions: ClausePositions,
    child: LogicalPlan
) extends UnaryNode {
  override lazy val resolved: Boolean = false

  /** The expressions of PARTITION BY, each with its place in the statement. */
  def partitionKeys: Seq[(Expression, Origin)] = placed(partitionSpec, positions.partitionKeys)

  /** The expressions of ORDER BY, each with its place in the statement. */
  def orderKeys: Seq[(Expression, Origin)] = placed(orderSpec.map(_.child), positions.orderKeys)

  private def placed(keys: Seq[Expression], places: Seq[Origin]): Seq[(Expression, Origin)] =
    keys.zipWithIndex.map { case (key, i) => key -> places.applyOrElse(i, (_: Int) => key.origin) }

  /** The expressions of MEASURES and DEFINE, each with its part of the clause for messages. */
  def labelledExpressions: Seq[(String, Expression)] =
    measures.map("MEASURES" -> _) ++ definedVariables.map(defineText).zip(conditions)

  /** How messages call the definition of a variable. */
  def defineText(variable: String): String = s"DEFINE ${UserText.quoted(variable)}"

  override def output: Seq[Attribute] = Nil
  override def metadataOutput: Seq[Attribute] = Nil

  // Messages of Spark name an operator by it.
  override def nodeName: String = "MATCH_RECOGNIZE"

  override def simpleString(maxFields: Int): String = statePrefix +
    ClauseSummary(partitionSpec, orderSpec, rowsPerMatch, afterMatchSkip, pattern)

  override protected def withNewChildInternal(newChild: LogicalPlan): UnresolvedMatchRecognize =
    copy(child = newChild)
}
