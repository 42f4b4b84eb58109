package io.matchrecognize.streaming.state

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The entries of one partition's search in the state store, by number, one partition after the
 * other; number 0 is the head. The first byte of an entry is the version of its format, see
 * [[StateLayout]]. Counts the partitions that have state and their bytes.
 */
final class SearchEntries(entries: StateEntries) {
  private var partition: UnsafeRow = _
  // Lengths of the entries of this partition that were read or written, -1 for none.
  private val lengths = mutable.LongMap.empty[Int]
  private var byteChange = 0L
  private var keyChange = 0L

  /** Bytes that were added to the store, less those that were removed. */
  def addedBytes: Long = byteChange

  /** Partitions that gained state, less those that lost it. */
  def addedKeys: Long = keyChange

  def begin(key: UnsafeRow): Unit = {
    partition = key
    lengths.clear()
  }

  /** Null if there is no such entry. */
  def get(number: Long): Array[Byte] = {
    val bytes = entries.get(StateLayout.Search, partition, number)
    lengths.update(number, if (bytes == null) -1 else bytes.length)
    bytes
  }

  def put(number: Long, value: Array[Byte]): Unit = {
    val before = length(number)
    if (number == 0 && before < 0) keyChange += 1
    byteChange += value.length - math.max(before, 0)
    lengths.update(number, value.length)
    entries.put(StateLayout.Search, partition, number, value)
  }

  def remove(number: Long): Unit = {
    val before = length(number)
    if (before >= 0) {
      if (number == 0) keyChange -= 1
      byteChange -= before
      lengths.update(number, -1)
      entries.remove(StateLayout.Search, partition, number)
    }
  }

  private def length(number: Long): Int = {
    if (!lengths.contains(number)) get(number): Unit
    lengths(number)
  }
}
