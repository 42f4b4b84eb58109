package io.matchrecognize.streaming.state

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The state store of one task. A row given to it may be changed afterwards. */
trait StateTable {

  /** The value of a key, null if there is none; valid until the next call. */
  def get(key: UnsafeRow): UnsafeRow
  def put(key: UnsafeRow, value: UnsafeRow): Unit
  def remove(key: UnsafeRow): Unit

  /** All keys, each valid until the next one; nothing may be changed meanwhile. */
  def keys: Iterator[UnsafeRow]
}
