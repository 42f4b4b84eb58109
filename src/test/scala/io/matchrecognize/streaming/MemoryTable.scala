package io.matchrecognize.streaming

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.streaming.state.StateTable

/** A state store in memory that counts its calls. */
final class MemoryTable extends StateTable {
  private val rows = mutable.HashMap.empty[UnsafeRow, UnsafeRow]
  var reads = 0
  var writes = 0

  def size: Int = rows.size

  override def get(key: UnsafeRow): UnsafeRow = {
    reads += 1
    rows.get(key).orNull
  }

  override def put(key: UnsafeRow, value: UnsafeRow): Unit = {
    writes += 1
    rows.update(key.copy(), value.copy())
  }

  override def remove(key: UnsafeRow): Unit = rows.remove(key): Unit
}
