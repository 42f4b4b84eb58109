package io.matchrecognize.streaming.task

import java.util

import org.apache.spark.sql.catalyst.expressions.{UnsafeRow, XXH64}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

/**
 * Numbers keys in the order in which they first appear, in a limited amount of memory; later keys
 * have no number.
 *
 * @param maxBytes
 *   of the keys themselves
 */
final class KeyNumbers(maxKeys: Int, maxBytes: Int) {
  private var slots = Array.fill(1024)(-1)
  private var hashes = new Array[Long](512)
  private var ends = new Array[Int](512)
  private var bytes = new Array[Byte](1 << 14)
  private var count = 0

  /** The number of `key`, -1 if it has none. */
  def of(key: UnsafeRow): Int = {
    val hash = XXH64.hashUnsafeWords(key.getBaseObject, key.getBaseOffset, key.getSizeInBytes, 42L)
    var slot = hash.toInt & (slots.length - 1)
    while (slots(slot) >= 0 && !isAt(slots(slot), key, hash)) slot = (slot + 1) & (slots.length - 1)
    if (slots(slot) >= 0) slots(slot) else add(key, hash, slot)
  }

  private def start(number: Int): Int = if (number == 0) 0 else ends(number - 1)

  private def isAt(number: Int, key: UnsafeRow, hash: Long): Boolean = {
    val from = start(number)
    val size = key.getSizeInBytes
    hashes(number) == hash && ends(number) - from == size && ByteArrayMethods.arrayEquals(
      key.getBaseObject,
      key.getBaseOffset,
      bytes,
      Platform.BYTE_ARRAY_OFFSET + from.toLong,
      size.toLong
    )
  }

  private def add(key: UnsafeRow, hash: Long, slot: Int): Int = {
    val from = if (count == 0) 0 else ends(count - 1)
    val size = key.getSizeInBytes
    if (count >= maxKeys || from.toLong + size > maxBytes) -1
    else {
      if (count == hashes.length) {
        hashes = util.Arrays.copyOf(hashes, count * 2)
        ends = util.Arrays.copyOf(ends, count * 2)
      }
      if (from + size > bytes.length)
        bytes = util.Arrays.copyOf(bytes, math.max(bytes.length * 2, from + size))
      val to = Platform.BYTE_ARRAY_OFFSET + from.toLong
      Platform.copyMemory(key.getBaseObject, key.getBaseOffset, bytes, to, size.toLong)
      hashes(count) = hash
      ends(count) = from + size
      slots(slot) = count
      count += 1
      if (count * 2 > slots.length) grow()
      count - 1
    }
  }

  private def grow(): Unit = {
    slots = Array.fill(slots.length * 2)(-1)
    for (number <- 0 until count) {
      var slot = hashes(number).toInt & (slots.length - 1)
      while (slots(slot) >= 0) slot = (slot + 1) & (slots.length - 1)
      slots(slot) = number
    }
  }
}
