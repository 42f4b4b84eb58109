package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

import io.matchrecognize.expressions.GroupingKey

/**
 * Sorts the rows of a batch that the watermark has reached: they are returned partition by
 * partition, each in ORDER BY order, the partitions in no order.
 *
 * The PARTITION BY keys are numbered, and one long holds the number of a row's key and its time, so
 * that the sort compares longs, or bytes of them, and reads rows only for further ORDER BY keys.
 * Keys beyond the memory for numbers go into a second sort that compares the keys.
 *
 * @param timeOrdinal
 *   of the first ORDER BY key, a time that is never NULL here
 * @param from
 *   no row has an earlier time
 * @param to
 *   no row has a later time
 * @param maxKeys
 *   the number of keys that are numbered
 */
final class ReadyRows(
    input: Seq[Attribute],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    timeOrdinal: Int,
    from: Long,
    to: Long,
    resources: TaskResources,
    maxKeys: Int = ReadyRows.MaxKeys
) {
  private val keys = partitionSpec.map(GroupingKey.normalize)
  private lazy val numbers = new KeyNumbers(maxKeys, ReadyRows.MaxKeyBytes, resources)
  private lazy val keyOf =
    UnsafeProjection.create(keys.map(BindReferences.bindReference(_, input)))
  private val timeBits = {
    val bits = 64 - java.lang.Long.numberOfLeadingZeros(to - from)
    if (to >= from && bits <= ReadyRows.MaxTimeBits) bits else 0
  }
  // The number and time of the row that is being added.
  private var prefix = 0L
  private var numbered: UnsafeExternalRowSorter = _
  private var others: UnsafeExternalRowSorter = _

  def add(row: UnsafeRow): Unit = {
    val number = if (keys.isEmpty) 0 else numbers.of(keyOf(row))
    if (number >= 0) {
      prefix = number.toLong << timeBits
      if (timeBits > 0) prefix |= row.getLong(timeOrdinal) - from
      if (numbered == null) numbered = byNumber()
      numbered.insertRow(row)
    } else {
      prefix = 0
      if (others == null) others = byKey()
      others.insertRow(row)
    }
  }

  /** The rows in order; a row is valid until the next one. */
  def sorted(): Iterator[InternalRow] = {
    if (keys.nonEmpty && (numbered != null || others != null)) numbers.free()
    val first = if (numbered == null) Iterator.empty else numbered.sort()
    if (others == null) first else first ++ others.sort()
  }

  private def byNumber(): UnsafeExternalRowSorter = {
    val left = if (timeBits > 0) orderSpec.tail else orderSpec
    newSorter(left, isPrefixEnough = left.isEmpty)
  }

  private def byKey(): UnsafeExternalRowSorter =
    newSorter(keys.map(SortOrder(_, Ascending)) ++ orderSpec, isPrefixEnough = false)

  /** @param order of rows with the same prefix */
  private def newSorter(order: Seq[SortOrder], isPrefixEnough: Boolean): UnsafeExternalRowSorter = {
    val sorter = UnsafeExternalRowSorter.create(
      DataTypeUtils.fromAttributes(input),
      RowOrdering.create(order, input),
      PrefixComparators.LONG,
      new UnsafeExternalRowSorter.PrefixComputer {
        private val result = new UnsafeExternalRowSorter.PrefixComputer.Prefix
        override def computePrefix(
            row: InternalRow
        ): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
          result.value = prefix
          result
        }
      },
      math.min(resources.memoryManager.pageSizeBytes(), ReadyRows.PageBytes),
      isPrefixEnough
    )
    resources.onCompletion(() => sorter.cleanupResources())
    sorter
  }
}

object ReadyRows {
  private final val MaxKeys = 1 << 20
  private final val MaxKeyBytes = 1 << 26
  // Spark's pages have up to 64 MiB, and the first row takes one: too much for the rows of a batch.
  private final val PageBytes = 1L << 20
  // A key's number has 21 bits and the sign is 0.
  private final val MaxTimeBits = 42
}
