package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}

/**
 * Puts the alias above a clause that Spark puts above a derived table without one. An alias of the
 * user goes above it.
 *
 * If a name is unknown above an operator with one child, Spark looks for it below that operator, as
 * in `SELECT a FROM t ORDER BY b`, and stops at an alias only. Without it a column of the clause's
 * input, or a hidden one, would be found there before a column of an outer query.
 */
object ClauseResult {
  // Spark leaves this qualifier out of what it suggests for an unknown name.
  private final val Name = "__auto_generated_subquery_name"

  def apply(result: LogicalPlan): LogicalPlan = SubqueryAlias(Name, result)
}
