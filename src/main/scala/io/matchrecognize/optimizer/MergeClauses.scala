package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan, Union}
import org.apache.spark.sql.catalyst.rules.Rule

import io.matchrecognize.plans.MergedUnion

/**
 * Matches a UNION ALL and merges those of its branches that are clauses over the same input with
 * equal PARTITION BY and ORDER BY, with projections and filters above each. The input is then read,
 * distributed and sorted once, and a condition that several of them have is tested once. Each group
 * takes the place of its first branch; other branches stay as they are.
 *
 * It sees a clause before its input is pruned to the columns that the clause reads, see
 * `MatchRecognize.isSettled`, and after Spark has pushed filters into the branches.
 *
 * A query that is nothing but clauses is merged before, by [[MergeQuery]].
 *
 * Not merged: row pattern windows, streams, and what is not deterministic. Nor are filters and
 * projections that a node of their own has to evaluate, as those with subqueries and Python
 * functions. For streams see [[MergeStreams]].
 */
object MergeClauses extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    // Spark has pushed the limit into the branches, where it is of use only to each alone.
    case limit @ LocalLimit(rows, union: Union) =>
      val branches = union.children.map {
        case LocalLimit(same, branch) if same == rows => branch
        case other => other
      }
      val merged = MergedUnion(union.copy(children = branches), isStream = false)
      if (merged.isInstanceOf[Union] && merged.children.length == branches.length) limit
      else limit.copy(child = merged)
    case union: Union => MergedUnion(union, isStream = false)
  }
}
