package io.matchrecognize.execution.sort

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

import io.matchrecognize.execution.rows.RowChunk
import io.matchrecognize.execution.rows.RowChunk.copyWords
import io.matchrecognize.execution.task.HeapArrays

/**
 * Byte strings in arrays of 256 KiB, each with its size before it. An address counts words of eight
 * bytes, so an Int is enough for 16 GiB. The first array starts small; a value that does not fit
 * has an array of its own.
 *
 * @param filled
 *   see [[HeapArrays]]; tests have another heap
 */
final class RowPages(filled: Long => Long = HeapArrays.filled(_)) {
  import RowPages._

  private var pages = new Array[Array[Byte]](8)
  private var count = 0
  private var end = 0
  private var size = 0L

  /** Bytes of all arrays. */
  def bytes: Long = size

  /** Whether there is no address left. */
  def isFull: Boolean = count >= MaxPages

  /** Bytes to be acquired before a value of `length` bytes is appended. */
  def growth(length: Int): Long = {
    val needed = needs(length)
    if (hasSpace(needed)) 0L
    else if (isExtended(needed)) grownSize(needed) - pages(0).length.toLong
    else if (count == 0) math.max(FirstBytes.toLong, roundedUp(needed))
    else math.max(PageBytes.toLong, ownSize(needed))
  }

  // A value's own array may be longer than it, and than addresses reach.
  private def hasSpace(needed: Long): Boolean =
    count > 0 && end < PageBytes && end + needed <= pages(count - 1).length

  private def needs(length: Int): Long = RowChunk.checked(((length + 7L) & ~7L) + HeaderBytes)

  // The first array is small until more is needed.
  private def isExtended(needed: Long): Boolean =
    count == 1 && end + needed <= PageBytes && pages(0).length < PageBytes

  private def grownSize(needed: Long): Long =
    math.min(PageBytes.toLong, math.max(pages(0).length * 2L, roundedUp(end + needed)))

  private def ownSize(needed: Long): Long =
    math.min(filled(needed), RowChunk.MaxBytes)

  private def roundedUp(needed: Long): Long =
    if (needed >= PageBytes) ownSize(needed)
    else math.max(FirstBytes.toLong, java.lang.Long.highestOneBit(needed) * 2)

  /** Makes the space that `growth` asked for. */
  def grow(length: Int): Unit = {
    val more = growth(length)
    if (more > 0) {
      val needed = needs(length)
      if (isExtended(needed)) pages(0) = Arrays.copyOf(pages(0), grownSize(needed).toInt)
      else {
        if (count == pages.length) pages = Arrays.copyOf(pages, count * 2)
        pages(count) = new Array[Byte](more.toInt)
        count += 1
        end = 0
      }
      size += more
    }
  }

  private def padded(length: Int): Int = (length + 7) & ~7

  /**
   * Copies a value, after `grow`, and returns its address. Up to the next multiple of eight bytes
   * the value is followed by zeros, as the fields of an UnsafeRow are.
   */
  def append(base: AnyRef, offset: Long, length: Int): Int = {
    val page = pages(count - 1)
    val at = end
    Platform.putInt(page, Platform.BYTE_ARRAY_OFFSET.toLong + at, length)
    val target = Platform.BYTE_ARRAY_OFFSET.toLong + at + HeaderBytes
    copyWords(base, offset, page, target, padded(length))
    end = at + HeaderBytes + padded(length)
    ((count - 1) << WordsShift) | (at >>> 3)
  }

  def sizeAt(address: Int): Int =
    Platform.getInt(pages(address >>> WordsShift), offsetOf(address))

  def pointTo(address: Int, row: UnsafeRow): Unit = pointTo(address, sizeAt(address), row)

  def pointTo(address: Int, size: Int, row: UnsafeRow): Unit =
    row.pointTo(pages(address >>> WordsShift), offsetOf(address) + HeaderBytes, size)

  /** Copies a value to a byte array. */
  def copy(address: Int, size: Int, target: Array[Byte], at: Int): Unit =
    copyWords(
      pages(address >>> WordsShift),
      offsetOf(address) + HeaderBytes,
      target,
      Platform.BYTE_ARRAY_OFFSET.toLong + at,
      size
    )

  private def offsetOf(address: Int): Long =
    Platform.BYTE_ARRAY_OFFSET.toLong + ((address & WordsMask).toLong << 3)

  /** Whether the value at an address has these bytes. */
  def isEqual(address: Int, base: AnyRef, offset: Long, length: Int): Boolean = {
    val page = pages(address >>> WordsShift)
    sizeAt(address) == length && ByteArrayMethods
      .arrayEquals(page, offsetOf(address) + HeaderBytes, base, offset, length.toLong)
  }

  def clear(): Unit = {
    Arrays.fill(pages.asInstanceOf[Array[AnyRef]], null)
    count = 0
    end = 0
    size = 0
  }
}

object RowPages {

  /** Bytes of a value's size. */
  final val HeaderBytes = 8

  private final val WordsShift = 15
  private final val WordsMask = (1 << WordsShift) - 1
  private final val PageBytes = 8 << WordsShift
  private final val FirstBytes = 1 << 13
  private final val MaxPages = 1 << (32 - WordsShift)
}
