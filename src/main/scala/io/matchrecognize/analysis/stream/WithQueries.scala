package io.matchrecognize.analysis.stream

import org.apache.spark.sql.catalyst.plans.logical.{CTERelationRef, LogicalPlan, WithCTE}

/**
 * The queries of WITH in a statement. During analysis a reference to one of them is a leaf of the
 * plan: who looks for what is below a clause has to look in the query too.
 *
 * @param plan
 *   of the whole statement
 */
final class WithQueries(plan: LogicalPlan) {
  private lazy val byId: Map[Long, LogicalPlan] =
    plan
      .collect { case w: WithCTE => w.cteDefs.map(query => query.id -> query.child) }
      .flatten
      .toMap

  /** What a node reads: its children, or the query that it refers to. */
  def below(node: LogicalPlan): Seq[LogicalPlan] = node match {
    case reference: CTERelationRef => byId.get(reference.cteId).toSeq
    case other => other.children
  }
}
