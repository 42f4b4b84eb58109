package io.matchrecognize.execution.plan

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.compile.{ClauseSpec, TaskProgram}
import io.matchrecognize.plans.advice.ClauseWarnings
import io.matchrecognize.plans.{ClauseBranch, MatchRecognize, PatternClause}

/** What the operators on tables and on streams share. */
trait PatternClauseExec extends SparkPlan {

  /** The clauses, with equal PARTITION BY and ORDER BY. */
  def branches: Seq[ClauseBranch]
  def child: SparkPlan

  def measureOutput: Seq[Attribute] = branches.flatMap(_.measureOutput)

  /** The only one, or the first one. */
  lazy val clause: PatternClause = branches.head.clause

  protected def operatorName: String = MatchRecognize.operatorName(clause)

  // Spark asks for the text of EXPLAIN whenever a query runs.
  @transient protected lazy val warnings: Seq[String] =
    branches.flatMap(branch => ClauseWarnings.of(branch.clause)).distinct

  protected def logWarnings(warnings: Seq[String]): Unit =
    UserText.logLines(warnings).foreach(line => logWarning(line))

  protected def isUnion: Boolean = branches.length > 1

  /** What the clauses are compiled from. */
  @transient protected lazy val specs: Seq[ClauseSpec] = branches.zipWithIndex.map {
    case (branch, i) =>
      val name =
        s"pattern ${i + 1}" + branch.label.map(label => s" ('${UserText.cut(label)}')").mkString
      ClauseSpec(
        branch.clause,
        branch.measureOutput,
        child.output,
        branch.columns.zip(branch.names).map {
          case (column: Attribute, _) => column
          case (column, name) => Alias(column, name)()
        },
        branch.filter,
        Option.when(isUnion)(name)
      )
  }

  // More metrics would fill the node's box in the web UI.
  protected def counted: Seq[String] = specs.flatMap(_.name).take(20)

  protected def compiled: TaskProgram

  /** What the clauses share. */
  @transient protected lazy val sharing: String = {
    val conditions = compiled.clauses.map(_.conditions.bySymbol.count(_.isDefined)).sum
    val distinct = compiled.conditions.byId.length
    val shared = compiled.conditions.idOf.map(_.count(_ >= 0)).sum - distinct
    val lookedUp = compiled.conditions.lookedUp.size
    s"of ${branches.length} patterns, $conditions conditions, ${conditions - shared} distinct" +
      (if (lookedUp > 0) s", $lookedUp looked up" else "")
  }

  /**
   * The clauses part by part, for EXPLAIN FORMATTED.
   *
   * @param more
   *   further lines of a clause by its number
   */
  protected def clauseLines(more: Int => Seq[(String, String)]): String = specs.indices
    .take(SQLConf.get.maxToStringFields)
    .map { i =>
      branches(i).clause.lines(
        specs(i).name.fold(formattedNodeName)(name => s"$formattedNodeName $sharing: $name"),
        child.output,
        branches(i).measureOutput.map(_.name),
        more(i)
      )
    }
    .mkString

  override def producedAttributes: AttributeSet =
    AttributeSet(measureOutput)

  @transient override lazy val references: AttributeSet =
    AttributeSet.fromAttributeSets(branches.map(_.inputReferences))

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
