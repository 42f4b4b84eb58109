package io.matchrecognize.execution.sort

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The rows of a [[SortingBuffer]] in memory, each at an address. */
trait HeldRows {

  /** Whether all addresses are in use, so that no row can be added. */
  def isFull: Boolean

  def cursor(): RowCursor

  /**
   * The rows in an order.
   *
   * @param places
   *   their addresses
   * @param ends
   *   where the partitions end in `places`; null if that is not known
   */
  def inOrder(places: Array[Int], ends: Array[Int]): MemoryRows

  /** Forgets all rows. */
  def clear(): Unit
}

/** Shows one row at a time, with the columns that the keys of a sort are bound to. */
trait RowCursor {
  def at(address: Int): UnsafeRow
}
