package io.matchrecognize.streaming.operator

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.StateStore

import io.matchrecognize.streaming.state.StateTable

/** A state store of Spark with one column family. */
final class StoreTable(store: StateStore) extends StateTable {
  private val family = StateStore.DEFAULT_COL_FAMILY_NAME

  override def get(key: UnsafeRow): UnsafeRow = store.get(key, family)
  override def put(key: UnsafeRow, value: UnsafeRow): Unit = store.put(key, value, family)
  override def remove(key: UnsafeRow): Unit = store.remove(key, family)
}
