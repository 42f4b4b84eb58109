package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.trees.Origin

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
