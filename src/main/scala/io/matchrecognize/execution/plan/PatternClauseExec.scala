package io.matchrecognize.execution.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.SparkPlan

import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.execution.shuffle.TogetherByKeys
import io.matchrecognize.plans.{ClauseWarnings, MatchRecognize, PatternClause}

/** What the operators on tables and on streams share. */
trait PatternClauseExec extends SparkPlan {
  def clause: PatternClause
  def measureOutput: Seq[Attribute]
  def child: SparkPlan

  protected def operatorName: String = MatchRecognize.operatorName(clause)

  // Spark asks for the text of EXPLAIN whenever a query runs.
  @transient protected lazy val warnings: Seq[String] = ClauseWarnings.of(clause)

  protected def warningLines: Seq[(String, String)] = warnings.map("Warning" -> _)

  /** What the clause is compiled from. */
  protected def spec: ClauseSpec = ClauseSpec(clause, measureOutput, child.output, output)

  override def producedAttributes: AttributeSet = AttributeSet(measureOutput)

  @transient override lazy val references: AttributeSet =
    clause.references ++ (AttributeSet(output) -- producedAttributes)

  override def outputPartitioning: Partitioning = child.outputPartitioning match {
    case partitioning: Expression if !partitioning.references.subsetOf(outputSet) =>
      UnknownPartitioning(partitioning.numPartitions)
    case partitioning if TogetherByKeys.mayBeTakenApart(partitioning) =>
      UnknownPartitioning(partitioning.numPartitions)
    case partitioning => partitioning
  }
}
