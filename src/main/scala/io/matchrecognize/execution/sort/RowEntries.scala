package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.expressions.{Attribute, RowOrdering, SortOrder}

import io.matchrecognize.matcher.WorkMeter

/** Per-row metadata, apart from the row bytes: number of the partition, address, packed key. */
private[sort] final class RowEntries(rows: Int) {
  val groups = new Array[Int](rows)
  val places = new Array[Int](rows)
  val keys = new Array[Long](rows)

  /** The packed keys of the partitions, if these are not numbered. */
  var partitionKeys: Array[Long] = _
}

private[sort] object RowEntries {
  final val ChunkShift = 12
  final val ChunkRows: Int = 1 << ChunkShift
  final val ChunkMask: Int = ChunkRows - 1

  /** Of a row: its entry in a chunk, which makes way for the sort's own, and its sorted entry. */
  final val EntryBytes: Long = 16L + KeyedSort.EntryBytes

  /** Of a row with its PARTITION BY keys: these, two entries of their sort, a partition's end. */
  final val KeyBytes: Long = 12L + 2 * KeyedSort.EntryBytes

  /** Of a partition: key, first row, place among the others, start, end, and the sort's entry. */
  final val GroupBytes: Long = 24L + KeyedSort.EntryBytes
}

/** Compares rows by their addresses. */
private[sort] final class RowOrder(
    orders: Seq[SortOrder],
    columns: Seq[Attribute],
    held: HeldRows,
    work: WorkMeter
) extends ItemOrder {
  private val ordering = RowOrdering.create(orders, columns)
  private val left = held.cursor()
  private val right = held.cursor()

  override def compare(a: Int, b: Int): Int = {
    work.add(1)
    ordering.compare(left.at(a), right.at(b))
  }

  /** Compares items that have addresses. */
  def by(place: Int => Int): ItemOrder = (a, b) => compare(place(a), place(b))
}
