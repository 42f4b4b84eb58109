package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.expressions.{Ascending, SortOrder}
import org.apache.spark.sql.execution.UnaryExecNode
import org.apache.spark.sql.execution.metric.SQLMetric

import io.matchrecognize.execution.search.MatchMetrics
import io.matchrecognize.execution.sort.SortSpec
import io.matchrecognize.plans.PatternClause

/**
 * An operator that runs a [[WatchedSearch]]. Its metrics are those of the clause's own operator.
 */
private[execution] trait WatchedExec extends UnaryExecNode {
  def clause: PatternClause

  override lazy val metrics: Map[String, SQLMetric] = MatchMetrics.create(sparkContext)

  protected def taskMetrics: MatchMetrics = new MatchMetrics(longMetric)

  protected def sort: SortSpec = SortSpec(
    child.output,
    clause.partitionSpec,
    clause.partitionSpec.map(SortOrder(_, Ascending)),
    clause.orderSpec
  )
}
