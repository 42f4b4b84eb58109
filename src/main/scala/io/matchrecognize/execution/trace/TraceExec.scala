package io.matchrecognize.execution.trace

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, Distribution}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.plans.{MatchRecognize, PatternClause, TraceMatchRecognize}

/** Matches [[TraceMatchRecognize]] and produces [[TraceExec]]. */
object TraceStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case TraceMatchRecognize(clause, rowLimit, output, child) =>
      TraceExec(clause, rowLimit, output, planLater(child)) :: Nil
    case _ => Nil
  }
}

/**
 * Runs the search of a clause in one task and returns its steps: the clause is compiled as for a
 * query, and the general engine searches. Rows: by partition, and within it its rows, then the
 * steps in the order in which they were made.
 */
final case class TraceExec(
    clause: PatternClause,
    rowLimit: Int,
    output: Seq[Attribute],
    child: SparkPlan
) extends WatchedExec {
  override def producedAttributes: AttributeSet = AttributeSet(output)

  @transient override lazy val references: AttributeSet = clause.references ++ child.outputSet

  override def requiredChildDistribution: Seq[Distribution] = AllTuples :: Nil

  override protected def doExecute(): RDD[InternalRow] = {
    val program = TraceProgram.of(ClauseSpec(clause, Nil, child.output, child.output))
    val (sorted, counts) = (sort, taskMetrics)
    val (limit, types) = (rowLimit, output.map(_.dataType).toArray)
    child.execute().mapPartitions { rows =>
      TraceIterator(program, sorted, rows, limit, counts, UnsafeProjection.create(types))
    }
  }

  override def simpleString(maxFields: Int): String =
    s"Trace${MatchRecognize.operatorName(clause)} ${clause.line}"

  override protected def withNewChildInternal(newChild: SparkPlan): TraceExec =
    copy(child = newChild)
}
