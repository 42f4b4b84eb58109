package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, ClusteredDistribution, Distribution}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.shims.MinorClass

/** Where the rows of a clause have to be: those of one PARTITION BY in one task. */
object TogetherByKeys {
  private final val Subset =
    "spark.sql.sources.v2.bucketing.allowJoinKeysSubsetOfPartitionKeys.enabled"

  /**
   * The distribution that a clause requires.
   *
   * Before Spark 4.2, under a setting for joins, a table that is partitioned by more columns passes
   * for one with its rows together by some of them, although only a join puts its splits together.
   * The exact keys are required there, which it does not have.
   */
  def required(keys: Seq[Expression]): Distribution =
    if (keys.isEmpty) AllTuples
    else {
      val distribution = ClusteredDistribution(keys)
      if (acceptsSplits) distribution.copy(requireAllClusterKeys = true) else distribution
    }

  private def acceptsSplits: Boolean =
    MinorClass.KeyGroupedPartitioning.found.isDefined &&
      SQLConf.get.getConfString(Subset, "false").trim.toBoolean
}
