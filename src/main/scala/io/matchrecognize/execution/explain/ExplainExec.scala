package io.matchrecognize.execution.explain

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, Distribution}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy, UnaryExecNode}
import org.apache.spark.sql.types.{BinaryType, DataType}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.execution.plan.PatternClauseExec
import io.matchrecognize.execution.trace.WatchedExec
import io.matchrecognize.plans.{ExplainMatchRecognize, MatchRecognize, PatternClause}

/** Matches [[ExplainMatchRecognize]] and produces [[SentencesExec]] over [[FindingsExec]]. */
object ExplainStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ExplainMatchRecognize(clause, output, child) =>
      val findings = AttributeReference("findings", BinaryType, nullable = false)()
      SentencesExec(output, FindingsExec(clause, findings, planLater(child))) :: Nil
    case _ => Nil
  }
}

/**
 * Searches the partitions of a clause, distributed as for a query, and returns what each task found
 * as one row: counts of all its rows and attempts, and a few examples.
 */
final case class FindingsExec(clause: PatternClause, findings: Attribute, child: SparkPlan)
    extends WatchedExec {
  override def output: Seq[Attribute] = Seq(findings)

  override def producedAttributes: AttributeSet = AttributeSet(findings)

  @transient override lazy val references: AttributeSet = clause.references

  override def requiredChildDistribution: Seq[Distribution] =
    PatternClauseExec.requiredDistribution(clause.partitionSpec, child.outputPartitioning) :: Nil

  override protected def doExecute(): RDD[InternalRow] = {
    val program = ExplainProgram.of(ClauseSpec(clause, Nil, child.output, Nil))
    val (sorted, counts) = (sort, taskMetrics)
    child.execute().mapPartitions { rows =>
      if (!rows.hasNext) Iterator.empty
      else
        Iterator(rows).map { all =>
          val found = ExplainSearch(program, sorted, all, counts).run()
          counts.outputRows += 1
          UnsafeProjection.create(Array[DataType](BinaryType)).apply(InternalRow(found.toBytes))
        }
    }
  }

  override def simpleString(maxFields: Int): String =
    s"Explain${MatchRecognize.operatorName(clause)} ${clause.line}"

  override protected def withNewChildInternal(newChild: SparkPlan): FindingsExec =
    copy(child = newChild)
}

/** Merges what the tasks found, and says it in sentences. */
final case class SentencesExec(output: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def requiredChildDistribution: Seq[Distribution] = AllTuples :: Nil

  override protected def doExecute(): RDD[InternalRow] = {
    val types = output.map(_.dataType).toArray
    val found = child.execute()
    // The input of a clause may have no partition of Spark at all.
    val all = if (found.getNumPartitions > 0) found else sparkContext.parallelize(Nil, 1)
    all.mapPartitions { rows =>
      val merged = rows.map(row => Findings.ofBytes(row.getBinary(0))).reduceOption { (a, b) =>
        a.merge(b)
        a
      }
      val toUnsafe = UnsafeProjection.create(types)
      ExplainSentences.of(merged).iterator.zipWithIndex.map { case (sentence, i) =>
        toUnsafe(InternalRow(i + 1, UTF8String.fromString(sentence)))
      }
    }
  }

  override def simpleString(maxFields: Int): String = "ExplainSentences"

  override protected def withNewChildInternal(newChild: SparkPlan): SentencesExec =
    copy(child = newChild)
}
