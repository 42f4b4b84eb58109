package io.matchrecognize.execution.plan

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.plans.advice.ClauseWarnings
import io.matchrecognize.plans.{MatchRecognize, PatternClause}

/** What the operators on tables and on streams share. */
trait PatternClauseExec extends SparkPlan {
  def clause: PatternClause
  def measureOutput: Seq[Attribute]
  def child: SparkPlan

  protected def operatorName: String = MatchRecognize.operatorName(clause)

  // Spark asks for the text of EXPLAIN whenever a query runs.
  @transient protected lazy val warnings: Seq[String] = ClauseWarnings.of(clause)

  protected def logWarnings(warnings: Seq[String]): Unit =
    UserText.logLines(warnings).foreach(line => logWarning(line))

  protected def warningLines: Seq[(String, String)] = warnings.map("Warning" -> _)

  /** What the clause is compiled from. */
  protected def spec: ClauseSpec = ClauseSpec(clause, measureOutput, child.output, output)

  override def producedAttributes: AttributeSet = AttributeSet(measureOutput)

  @transient override lazy val references: AttributeSet =
    clause.references ++ (AttributeSet(output) -- producedAttributes)

  override def outputPartitioning: Partitioning = child.outputPartitioning match {
    case partitioning: Expression if !partitioning.references.subsetOf(outputSet) =>
      UnknownPartitioning(partitioning.numPartitions)
    case partitioning if PatternClauseExec.mayBeApart(partitioning) =>
      UnknownPartitioning(partitioning.numPartitions)
    case partitioning => partitioning
  }
}

object PatternClauseExec {
  // Under these settings for joins, the first one with a new name since Spark 4.3.
  private val PartialLayouts = Seq(
    "allowJoinKeysSubsetOfPartitionKeys",
    "allowKeysSubsetOfPartitionKeys",
    "partiallyClusteredDistribution"
  ).map(name => s"spark.sql.sources.v2.bucketing.$name.enabled")

  /**
   * Where the rows of a clause have to be: those of one PARTITION BY in one task. What may have
   * them apart is required to be laid out by all keys, and to have another number of partitions,
   * which only an exchange gives. Spark 4.2.0 does not look at that number where it can group the
   * splits of a table; by all keys it groups them right.
   *
   * @param input
   *   how the rows are now; what has a join in it cannot say that before there are exchanges
   */
  def requiredDistribution(keys: Seq[Expression], input: => Partitioning): Distribution =
    if (keys.isEmpty) AllTuples
    else {
      val wanted = SQLConf.get.numShufflePartitions
      val other = Try(input).toOption.filter(mayBeApart).map { layout =>
        if (layout.numPartitions == wanted) wanted + 1 else wanted
      }
      ClusteredDistribution(keys, requireAllClusterKeys = other.isDefined, other)
    }

  /**
   * Whether rows that a table's layout says are together may be in several tasks. Some patches of
   * Spark take the splits of a value, or of several columns of which the keys are a part, for
   * together where a join below has them apart, or one above takes them apart later.
   */
  private def mayBeApart(partitioning: Partitioning): Boolean =
    PartialLayouts.exists(isOn) && isLayout(partitioning)

  private def isOn(key: String): Boolean =
    SQLConf.get.getConfString(key, "false").trim.equalsIgnoreCase("true")

  private def isLayout(partitioning: Partitioning): Boolean = partitioning match {
    case SinglePartition | _: UnknownPartitioning | _: RangePartitioning => false
    case _: HashPartitioning | _: CoalescedHashPartitioning => false
    case several: PartitioningCollection => several.partitionings.exists(isLayout)
    case _ => true
  }
}
