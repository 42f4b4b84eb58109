package io.matchrecognize.execution.shuffle

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  ClusteredDistribution,
  Distribution,
  Partitioning,
  PartitioningCollection
}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.shims.MinorClass

/** Where the rows of a clause have to be: those of one PARTITION BY in one task. */
object TogetherByKeys {
  private final val Settings = Seq(
    "spark.sql.sources.v2.bucketing.allowJoinKeysSubsetOfPartitionKeys.enabled",
    "spark.sql.sources.v2.bucketing.partiallyClusteredDistribution.enabled"
  )

  /**
   * The distribution that a clause requires of its input.
   *
   * Before Spark 4.2, under settings for joins, the layout of a table passes for one with the rows
   * of a key together although it has them apart: a layout by more columns than the keys, whose
   * splits only a join puts together, and, in the first patches, one whose splits of a value a join
   * has left apart. Another number of partitions is required of these, which only an exchange
   * gives.
   *
   * @param input
   *   how the rows are now; what has a join in it cannot say that before there are exchanges
   */
  def required(keys: Seq[Expression], input: => Partitioning): Distribution =
    if (keys.isEmpty) AllTuples
    else {
      val together = ClusteredDistribution(keys)
      if (!claimsMore) together
      else
        Try(input).toOption
          .filter(now => now.satisfies(together) && !keeps(now, together))
          .fold(together)(now => together.copy(requiredNumPartitions = Some(otherThan(now))))
    }

  private def claimsMore: Boolean = MinorClass.KeyGroupedPartitioning.found.isDefined &&
    Settings.exists(SQLConf.get.getConfString(_, "false").trim.toBoolean)

  private def otherThan(input: Partitioning): Int = {
    val wanted = SQLConf.get.numShufflePartitions
    if (input.numPartitions == wanted) wanted + 1 else wanted
  }

  private def keeps(input: Partitioning, together: ClusteredDistribution): Boolean = input match {
    case several: PartitioningCollection => several.partitionings.exists(keeps(_, together))
    case layout: Expression if MinorClass.KeyGroupedPartitioning.isClassOf(layout) =>
      val columns = layout.children.flatMap(_.collectLeaves())
      columns.forall(column => together.clustering.exists(_.semanticEquals(column))) &&
      valuesOf(layout) == input.numPartitions
    case _ => input.satisfies(together)
  }

  // How many values a layout has, each counted once.
  private def valuesOf(layout: Expression): Int =
    layout.getClass.getMethod("uniquePartitionValues").invoke(layout).asInstanceOf[Seq[_]].length
}
