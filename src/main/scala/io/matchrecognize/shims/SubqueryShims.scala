package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.expressions.{Expression, ScalarSubquery}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Subquery expressions, whose constructors differ between Spark minors. */
object SubqueryShims {
  def scalar(plan: LogicalPlan): Expression = ScalarSubquery(plan)
}
