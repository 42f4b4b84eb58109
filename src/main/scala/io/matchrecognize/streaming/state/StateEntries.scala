package io.matchrecognize.streaming.state

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.execution.streaming.state.StateStore

/** The state store of one task. A row given to it may be changed afterwards. */
trait StateTable {

  /** The value of a key, null if there is none; valid until the next call. */
  def get(key: UnsafeRow): UnsafeRow
  def put(key: UnsafeRow, value: UnsafeRow): Unit
  def remove(key: UnsafeRow): Unit
}

/**
 * The entries of a state store as bytes by kind, partition and number; see [[StateLayout]].
 *
 * @param isPartitioned
 *   whether there is a PARTITION BY
 */
final class StateEntries(table: StateTable, isPartitioned: Boolean) {
  private val numberOrdinal = if (isPartitioned) 2 else 1
  private val keyWriter = new UnsafeRowWriter(numberOrdinal + 1, 64)
  private val valueWriter = new UnsafeRowWriter(1, 1024)
  private var updateCount = 0L
  private var removeCount = 0L

  /** Calls that changed the store. */
  def updates: Long = updateCount
  def removals: Long = removeCount

  /** @param partition null for an entry of no partition */
  def get(kind: Byte, partition: UnsafeRow, number: Long): Array[Byte] = {
    val value = table.get(key(kind, partition, number))
    if (value == null) null else value.getBinary(0)
  }

  def put(kind: Byte, partition: UnsafeRow, number: Long, bytes: Array[Byte]): Unit = {
    updateCount += 1
    valueWriter.reset()
    valueWriter.zeroOutNullBytes()
    valueWriter.write(0, bytes)
    table.put(key(kind, partition, number), valueWriter.getRow)
  }

  def remove(kind: Byte, partition: UnsafeRow, number: Long): Unit = {
    removeCount += 1
    table.remove(key(kind, partition, number))
  }

  private def key(kind: Byte, partition: UnsafeRow, number: Long): UnsafeRow = {
    keyWriter.reset()
    keyWriter.zeroOutNullBytes()
    keyWriter.write(0, kind)
    if (isPartitioned) {
      if (partition == null) keyWriter.setNullAt(1) else keyWriter.write(1, partition)
    }
    keyWriter.write(numberOrdinal, number)
    keyWriter.getRow
  }
}

/** A state store of Spark with one column family. */
final class StoreTable(store: StateStore) extends StateTable {
  private val family = StateStore.DEFAULT_COL_FAMILY_NAME

  override def get(key: UnsafeRow): UnsafeRow = store.get(key, family)
  override def put(key: UnsafeRow, value: UnsafeRow): Unit = store.put(key, value, family)
  override def remove(key: UnsafeRow): Unit = store.remove(key, family)
}
