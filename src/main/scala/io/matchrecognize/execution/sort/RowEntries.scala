package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.expressions.{Attribute, RowOrdering, SortOrder}

/** What is kept beside the bytes of some rows: number of the partition, address, packed key. */
private[sort] final class RowEntries(rows: Int) {
  val groups = new Array[Int](rows)
  val places = new Array[Int](rows)
  val keys = new Array[Long](rows)

  /** The packed keys of the partitions, if these are not numbered. */
  var partitionKeys: Array[Long] = _
}

/** Compares rows by their addresses. */
private[sort] final class RowOrder(
    orders: Seq[SortOrder],
    columns: Seq[Attribute],
    held: HeldRows
) extends ItemOrder {
  private val ordering = RowOrdering.create(orders, columns)
  private val left = held.cursor()
  private val right = held.cursor()

  override def compare(a: Int, b: Int): Int = ordering.compare(left.at(a), right.at(b))

  /** Compares items that have addresses. */
  def by(place: Int => Int): ItemOrder = (a, b) => compare(place(a), place(b))
}
