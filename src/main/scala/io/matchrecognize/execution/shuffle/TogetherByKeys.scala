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

/**
 * Where the rows of a clause have to be: those of one PARTITION BY in one task.
 *
 * Under settings for joins, Spark takes the layout of a table for one with the rows of a key
 * together although it has them apart:
 *
 *   - a layout by more columns than the keys, whose splits only a join puts together (before Spark
 *     4.2.1, and not used since either);
 *   - one whose splits of a value a join has left apart (first patches of 4.0 and 4.1);
 *   - one whose splits a join above the clause leaves apart after the clause has been planned
 *     (first patches of 4.0).
 */
object TogetherByKeys {
  // The same setting, and its name since Spark 4.3.
  private final val FewerKeys =
    Seq("allowJoinKeysSubsetOfPartitionKeys", "allowKeysSubsetOfPartitionKeys")
  private final val SplitsApart = Seq("partiallyClusteredDistribution")

  /**
   * The distribution that a clause requires of its input. Of a layout that has rows of a key apart
   * exactly PARTITION BY is required, and another number of partitions: what only an exchange
   * gives.
   *
   * @param input
   *   how the rows are now; what has a join in it cannot say that before there are exchanges
   */
  def required(keys: Seq[Expression], input: => Partitioning): Distribution =
    if (keys.isEmpty) AllTuples
    else {
      val together = ClusteredDistribution(keys)
      if (!isOn(FewerKeys) && !leavesApart) together
      else
        Try(input).toOption
          .filter(isLayout)
          .filterNot(members(_).exists(keeps(_, together)))
          .fold(together) { layout =>
            val other = Option.when(leavesApart)(otherThan(layout))
            together.copy(requireAllClusterKeys = true, requiredNumPartitions = other)
          }
    }

  /** Whether a join above the operator that has this partitioning may take its splits apart. */
  def mayBeTakenApart(partitioning: Partitioning): Boolean = leavesApart && isLayout(partitioning)

  private def isOn(names: Seq[String]): Boolean = names.exists { name =>
    val key = s"spark.sql.sources.v2.bucketing.$name.enabled"
    SQLConf.get.getConfString(key, "false").trim.equalsIgnoreCase("true")
  }

  // Since Spark 4.2 a layout knows whether its values are unique.
  private def leavesApart: Boolean =
    MinorClass.KeyGroupedPartitioning.found.isDefined && isOn(SplitsApart)

  private def otherThan(input: Partitioning): Int = {
    val wanted = SQLConf.get.numShufflePartitions
    if (input.numPartitions == wanted) wanted + 1 else wanted
  }

  private def members(partitioning: Partitioning): Seq[Partitioning] = partitioning match {
    case several: PartitioningCollection => several.partitionings.flatMap(members)
    case one => Seq(one)
  }

  private def isLayout(partitioning: Partitioning): Boolean = members(partitioning).exists { one =>
    MinorClass.KeyGroupedPartitioning.isClassOf(one) || MinorClass.KeyedPartitioning.isClassOf(one)
  }

  private def keeps(input: Partitioning, together: ClusteredDistribution): Boolean = input match {
    case layout: Expression if isLayout(input) =>
      val columns = layout.children.flatMap(_.collectLeaves())
      columns.forall(column => together.clustering.exists(_.semanticEquals(column))) &&
      (!leavesApart || valuesOf(layout) == input.numPartitions)
    case _ => input.satisfies(together)
  }

  // How many values a layout has, each counted once.
  private def valuesOf(layout: Expression): Int =
    layout.getClass.getMethod("uniquePartitionValues").invoke(layout).asInstanceOf[Seq[_]].length
}
