package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.trees.Origin

/**
 * Where the pieces of the clause that are no expressions are in the user's text, for the caret of
 * error messages, and the keys: a key that is a column of the input has, once resolved, the place
 * of whatever expression of the statement was resolved first. Names are given in the user's
 * spelling; a name that is used in several places has several entries.
 *
 * @param clause
 *   from MATCH_RECOGNIZE to its closing parenthesis
 * @param partitionKeys
 *   place by place
 * @param orderKeys
 *   place by place, without direction and NULLS FIRST or LAST
 * @param pattern
 *   the text between PATTERN's parentheses
 * @param permutations
 *   each PERMUTE of the pattern, with the number of its elements
 * @param measureNames
 *   place by place
 * @param definedVariables
 *   place by place
 * @param subsetNames
 *   place by place
 * @param subsetMembers
 *   for each subset, place by place
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
  // Part of a plan node, but never of its identity: two equal clauses at different places of a
  // statement must share an exchange.
  override def equals(other: Any): Boolean = other.isInstanceOf[ClausePositions]
  override def hashCode: Int = 0
  override def toString: String = ""
}
