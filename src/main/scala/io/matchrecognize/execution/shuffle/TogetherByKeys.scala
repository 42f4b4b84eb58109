package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.physical._

import io.matchrecognize.shims.MinorClass

/** Where the rows of a clause have to be: those of one PARTITION BY in one task. */
object TogetherByKeys {

  /**
   * The distribution that a clause requires.
   *
   * Before Spark 4.2, under `v2.bucketing.allowJoinKeysSubsetOfPartitionKeys.enabled`, a table that
   * is partitioned by more columns passes for one with its rows together by some of them, although
   * only a join puts its splits together. The exact keys are required there, which it does not
   * have.
   *
   * @param present
   *   how the rows are now
   */
  def required(keys: Seq[Expression], present: Partitioning): Distribution =
    if (keys.isEmpty) AllTuples
    else {
      val distribution = ClusteredDistribution(keys)
      if (splits(present, AttributeSet(keys))) distribution.copy(requireAllClusterKeys = true)
      else distribution
    }

  private def splits(present: Partitioning, keys: AttributeSet): Boolean = present match {
    case both: PartitioningCollection => both.partitionings.exists(splits(_, keys))
    case table: Expression =>
      MinorClass.KeyGroupedPartitioning.isClassOf(table) && !table.references.subsetOf(keys)
    case _ => false
  }
}
