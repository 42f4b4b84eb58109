package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}

/**
 * How rows are ordered.
 *
 * @param partitionOrder
 *   the order of the partitions: an order of each of the different keys of `partitionSpec`, in any
 *   sequence
 * @param orderSpec
 *   the order of the rows of a partition
 */
final case class SortSpec(
    columns: Seq[Attribute],
    partitionSpec: Seq[Expression],
    partitionOrder: Seq[SortOrder],
    orderSpec: Seq[SortOrder]
)
