package io.matchrecognize.analysis.names

import org.apache.spark.sql.catalyst.expressions.VariableReference

import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * Keeps the session variables of a clause as expressions of their own. What must be constant
 * becomes a value, and Spark would not find its variables in the plan: a temporary view may read
 * only those that were in its plan when it was created, a persistent view none.
 */
private[analysis] object SessionVariables {
  def noted(node: UnresolvedMatchRecognize): UnresolvedMatchRecognize = {
    val read = node.clause.collect { case variable: VariableReference => variable }
    if (read.isEmpty) node else node.copy(clause = node.clause.copy(variables = read.distinct))
  }
}
