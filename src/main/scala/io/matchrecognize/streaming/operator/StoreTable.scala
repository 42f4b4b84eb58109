package io.matchrecognize.streaming.operator

import java.lang.reflect.InvocationTargetException

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}

import io.matchrecognize.streaming.state.StateTable

/** A state store of Spark with one column family. */
final class StoreTable(store: StateStore) extends StateTable {
  private val family = StateStore.DEFAULT_COL_FAMILY_NAME

  override def get(key: UnsafeRow): UnsafeRow = store.get(key, family)
  override def put(key: UnsafeRow, value: UnsafeRow): Unit = store.put(key, value, family)
  override def remove(key: UnsafeRow): Unit = store.remove(key, family)

  // By its name: a patch of 4.0 has changed the type that it returns, with which a call is linked.
  override def keys: Iterator[UnsafeRow] =
    try {
      val pairs = classOf[StateStore].getMethod("iterator", classOf[String]).invoke(store, family)
      pairs.asInstanceOf[Iterator[UnsafeRowPair]].map(_.key)
    } catch { case e: InvocationTargetException => throw e.getCause }
}
