package io.matchrecognize.execution.trace

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, Distribution}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy, UnaryExecNode}

import io.matchrecognize.execution.search.MatchMetrics
import io.matchrecognize.execution.sort.SortSpec
import io.matchrecognize.plans.{MatchRecognize, PatternClause, TraceMatchRecognize}

/** Matches [[TraceMatchRecognize]] and produces [[TraceExec]]. */
object TraceStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case TraceMatchRecognize(clause, isExplained, rowLimit, output, child) =>
      TraceExec(clause, isExplained, rowLimit, output, planLater(child)) :: Nil
    case _ => Nil
  }
}

/**
 * Runs the search of a clause in one task and returns its steps, or what it found in sentences. The
 * clause is compiled as for a query, and the general engine searches. Steps: by partition, and
 * within it its rows, then the steps in the order in which they were made.
 */
final case class TraceExec(
    clause: PatternClause,
    isExplained: Boolean,
    rowLimit: Int,
    output: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode {

  /** Those of the clause's own operator. */
  override lazy val metrics: Map[String, SQLMetric] = MatchMetrics.create(sparkContext)

  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def requiredChildDistribution: Seq[Distribution] = AllTuples :: Nil

  override protected def doExecute(): RDD[InternalRow] = {
    val program = TraceProgram.of(clause, isExplained, rowLimit, child.output)
    val sort = SortSpec(
      child.output,
      clause.partitionSpec,
      clause.partitionSpec.map(SortOrder(_, Ascending)),
      clause.orderSpec
    )
    val (counts, types) = (new MatchMetrics(longMetric), output.map(_.dataType).toArray)
    val input = child.execute()
    // The input of a clause may have no partition of Spark at all, which an explanation says.
    val all = if (input.getNumPartitions > 0) input else sparkContext.parallelize(Nil, 1)
    all.mapPartitions(TraceSearch(program, sort, _, counts, UnsafeProjection.create(types)))
  }

  override def simpleString(maxFields: Int): String =
    s"${TraceMatchRecognize.verb(isExplained)}${MatchRecognize.operatorName(clause)} ${clause.line}"

  override protected def withNewChildInternal(newChild: SparkPlan): TraceExec =
    copy(child = newChild)
}
