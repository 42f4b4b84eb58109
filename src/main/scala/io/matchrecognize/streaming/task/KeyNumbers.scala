package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.map.BytesToBytesMap

/**
 * Numbers keys in the order in which they first appear, in a limited amount of memory; later keys
 * have no number.
 *
 * @param maxBytes
 *   of the keys themselves
 */
final class KeyNumbers(maxKeys: Int, maxBytes: Int, resources: TaskResources) {
  private val numbers =
    new BytesToBytesMap(resources.memoryManager, KeyNumbers.FirstKeys, KeyNumbers.PageBytes)
  private val value = new Array[Long](1)
  private var bytes = 0L
  private var isFull = false
  resources.onCompletion(() => free())

  /** The number of `key`, -1 if it has none. */
  def of(key: UnsafeRow): Int = {
    val (base, offset, size) = (key.getBaseObject, key.getBaseOffset, key.getSizeInBytes)
    val place = numbers.lookup(base, offset, size)
    if (place.isDefined) Platform.getLong(place.getValueBase, place.getValueOffset).toInt
    else if (isFull || numbers.numKeys >= maxKeys || bytes + size > maxBytes) -1
    else {
      value(0) = numbers.numKeys.toLong
      // A key without memory for it must not get a number later, when memory is free again.
      isFull = !place.append(base, offset, size, value, Platform.LONG_ARRAY_OFFSET, 8)
      bytes += size
      if (isFull) -1 else value(0).toInt
    }
  }

  /** Gives the memory back; no key has a number any more. */
  def free(): Unit = numbers.free()
}

private object KeyNumbers {
  private final val FirstKeys = 1024
  private final val PageBytes = 1L << 18
}
