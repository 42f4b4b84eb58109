package io.matchrecognize.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

import io.matchrecognize.expressions.GroupingKey

/**
 * The rows of a batch that the watermark has reached: they go in as they come and out partition by
 * partition, in ORDER BY order. They are sorted by a hash of the PARTITION BY keys, which most
 * comparisons are decided by, then by the keys and by ORDER BY.
 */
final class ReadyRows(
    input: Seq[Attribute],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    resources: TaskResources
) {
  private val keys = partitionSpec.map(GroupingKey.normalize)
  private var sorter: UnsafeExternalRowSorter = _

  def add(row: UnsafeRow): Unit = {
    if (sorter == null) sorter = newSorter()
    sorter.insertRow(row)
  }

  /** The rows in order; a row is valid until the next one. */
  def sorted(): Iterator[InternalRow] = if (sorter == null) Iterator.empty else sorter.sort()

  private def newSorter(): UnsafeExternalRowSorter = {
    val order = keys.map(SortOrder(_, Ascending)) ++ orderSpec
    val sorter = UnsafeExternalRowSorter.create(
      DataTypeUtils.fromAttributes(input),
      RowOrdering.create(order, input),
      PrefixComparators.LONG,
      hash(),
      resources.memoryManager.pageSizeBytes(),
      false
    )
    resources.onCompletion(() => sorter.cleanupResources())
    sorter
  }

  private def hash(): UnsafeExternalRowSorter.PrefixComputer = {
    val projection = UnsafeProjection.create(
      Seq(BindReferences.bindReference[Expression](new XxHash64(keys), input))
    )
    new UnsafeExternalRowSorter.PrefixComputer {
      private val result = new UnsafeExternalRowSorter.PrefixComputer.Prefix

      override def computePrefix(
          row: InternalRow
      ): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
        if (keys.nonEmpty) result.value = projection(row).getLong(0)
        result
      }
    }
  }
}
