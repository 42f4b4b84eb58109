package io.matchrecognize.execution.shuffle

import java.nio.ByteOrder
import java.util.Arrays

import org.apache.spark.unsafe.Platform

/** Hashes of the rows of a block, column by column: their sum is the same in any order of rows. */
private[shuffle] final class RowHashes(rows: Int) {
  import RowHashes._

  private val hashes = new Array[Long](rows)

  def begin(length: Int): Unit = Arrays.fill(hashes, 0, length, 0L)

  /**
   * Adds numbers to the hashes of the first `length` rows; rows with a byte other than 0 are NULL.
   */
  def addNumbers(values: Array[Long], nulls: Array[Byte], nullCount: Int, length: Int): Unit = {
    var i = 0
    if (nullCount == 0)
      while (i < length) {
        hashes(i) = mixed(hashes(i), values(i))
        i += 1
      }
    else
      while (i < length) {
        hashes(i) = mixed(hashes(i), if (nulls(i) != 0) Null else values(i))
        i += 1
      }
  }

  /** Adds a value to the hash of a row; a word can be read at its end. */
  def addBytes(row: Int, bytes: Array[Byte], start: Int, size: Int): Unit = {
    var hash = hashes(row)
    val from = Platform.BYTE_ARRAY_OFFSET.toLong + start
    val words = size & ~7
    var i = 0
    while (i < words) {
      hash = mixed(hash, Platform.getLong(bytes, from + i))
      i += 8
    }
    if (i < size) hash = mixed(hash, firstBytes(Platform.getLong(bytes, from + i), size - i))
    hashes(row) = hash
  }

  def sum(length: Int): Long = {
    var sum = 0L
    var i = 0
    while (i < length) {
      sum += spread(hashes(i))
      i += 1
    }
    sum
  }
}

private[shuffle] object RowHashes {
  private final val Null = 0x6b8e9cd3f2a17045L
  private final val isLittleEndian = ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  /** The hash of some values and one more: for given ones another for each next one. */
  private def mixed(hash: Long, value: Long): Long =
    java.lang.Long.rotateLeft(hash ^ (value * 0x9e3779b97f4a7c15L), 27) * 0xc2b2ae3d27d4eb4fL + 1

  /** Lets each bit of a hash depend on all others, so that a sum of hashes tells rows apart. */
  private def spread(hash: Long): Long = {
    val first = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL
    val second = (first ^ (first >>> 33)) * 0xc4ceb9fe1a85ec53L
    second ^ (second >>> 33)
  }

  private def firstBytes(word: Long, count: Int): Long =
    if (isLittleEndian) word & (-1L >>> (64 - 8 * count)) else word & (-1L << (64 - 8 * count))
}
