package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.UserText

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
 *   in the order of the clause's measures
 * @param positions
 *   origins of the parts that are not expressions, for error messages
 * @param inputQualifies
 *   whether the names of the input may qualify columns in MEASURES and DEFINE
 * @param named
 *   the columns of the input as the operator above names them, if that is resolved already
 * @param inputOrder
 *   the order in which the statement wants the rows of a stream searched, if not the session's
 */
final case class UnresolvedMatchRecognize(
    clause: PatternClause,
    measureNames: Seq[String],
    positions: ClausePositions,
    inputQualifies: Boolean,
    child: LogicalPlan,
    named: Option[NamedColumns] = None,
    inputOrder: Option[String] = None
) extends UnaryNode {
  override lazy val resolved: Boolean = false

  /** The expressions of PARTITION BY, each with its origin. */
  def partitionKeys: Seq[(Expression, Origin)] = clause.partitionSpec.zip(positions.partitionKeys)

  /** The expressions of ORDER BY, each with its origin. */
  def orderKeys: Seq[(Expression, Origin)] =
    clause.orderSpec.map(_.child).zip(positions.orderKeys)

  /** The expressions of MEASURES and DEFINE, each with its part of the clause for messages. */
  def expressionsByPart: Seq[(String, Expression)] =
    clause.measures.map("MEASURES" -> _) ++
      clause.definitions.map { case (variable, condition) => defineText(variable) -> condition }

  /** The same node with its measures and conditions changed; `f` gets their part of the clause. */
  def mapByPart(f: (String, Expression) => Expression): UnresolvedMatchRecognize = {
    val (measures, conditions) =
      expressionsByPart.map(f.tupled).splitAt(clause.measures.length)
    copy(clause = clause.copy(measures = measures, conditions = conditions))
  }

  /** What messages call the definition of a variable. */
  def defineText(variable: String): String = s"DEFINE ${UserText.quoted(variable)}"

  override def output: Seq[Attribute] = Nil
  override def metadataOutput: Seq[Attribute] = Nil

  // Spark's messages name an operator by it.
  override def nodeName: String = "MATCH_RECOGNIZE"

  override def simpleString(maxFields: Int): String = s"${statePrefix}MatchRecognize $clause"

  override protected def withNewChildInternal(newChild: LogicalPlan): UnresolvedMatchRecognize =
    copy(child = newChild)
}

/**
 * Keys of PARTITION BY with names, below the clause that has them: as long as this node is in the
 * plan, no rule reads a name in the clause or in the named keys above, which see these ones as
 * columns of their input. None of them may read the name of another.
 *
 * @param keys
 *   each an [[Alias]], which Spark removes if it stays unresolved
 * @param places
 *   of the keys without their names
 */
final case class UnresolvedNamedKeys(
    keys: Seq[Expression],
    places: Seq[Origin],
    child: LogicalPlan
) extends UnaryNode {
  override lazy val resolved: Boolean = false
  override def output: Seq[Attribute] = Nil
  override def metadataOutput: Seq[Attribute] = Nil
  override def nodeName: String = "MATCH_RECOGNIZE"
  override protected def stringArgs: Iterator[Any] = Iterator(keys)
  override protected def withNewChildInternal(newChild: LogicalPlan): UnresolvedNamedKeys =
    copy(child = newChild)
}

/** Columns that stay the same when those of a plan are exchanged. */
final class NamedColumns(val columns: Seq[Attribute]) extends Serializable

/**
 * Origins of the parts of the clause that are not expressions, for the caret of error messages, and
 * of the keys: a key that is an input column has, once resolved, the origin of whatever expression
 * of the statement was resolved first. Sequences are in the order of the clause; a name that is
 * used several times has several entries.
 *
 * @param clause
 *   from MATCH_RECOGNIZE to its closing parenthesis
 * @param orderKeys
 *   without direction and NULLS FIRST or LAST
 * @param pattern
 *   the text between PATTERN's parentheses
 * @param permutations
 *   each PERMUTE of the pattern, with the number of its elements
 * @param subsetMembers
 *   for each subset, its members
 */
final case class ClausePositions(
    clause: Origin,
    partitionKeys: Seq[Origin],
    orderKeys: Seq[Origin],
    pattern: Origin,
    permutations: Seq[(Origin, Int)],
    rowsPerMatch: Origin,
    skipTarget: Origin,
    within: Origin,
    measureNames: Seq[Origin],
    definedVariables: Seq[Origin],
    subsetNames: Seq[Origin],
    subsetMembers: Seq[Seq[Origin]]
) {
  // Part of a plan node, but never of its identity: two equal clauses with different origins must
  // share an exchange.
  override def equals(other: Any): Boolean = other.isInstanceOf[ClausePositions]
  override def hashCode: Int = 0
  override def toString: String = ""
}
