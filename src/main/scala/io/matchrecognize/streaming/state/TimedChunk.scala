package io.matchrecognize.streaming.state

import org.apache.spark.unsafe.Platform

/**
 * Entries of bytes in the order of their times, as one blob: version, count, times, where each
 * entry ends, entries.
 */
object TimedChunk {
  private final val Header = 8
  private final val base = Platform.BYTE_ARRAY_OFFSET.toLong

  /** Bytes of a chunk of `count` entries that have `length` bytes together. */
  def size(count: Int, length: Int): Int = bodyStart(count) + length

  private def bodyStart(count: Int): Int = Header + count * 8 + ((count * 4 + 7) & ~7)

  def begin(count: Int, length: Int): Array[Byte] = {
    val chunk = new Array[Byte](size(count, length))
    chunk(0) = StateLayout.Format.toByte
    Platform.putInt(chunk, base + 4, count)
    chunk
  }

  /** Writes entry `i` after the one before it. */
  def set(chunk: Array[Byte], i: Int, time: Long, source: Array[Byte], at: Int, n: Int): Unit = {
    val from = start(chunk, i)
    Platform.putLong(chunk, base + Header + i * 8L, time)
    Platform.putInt(chunk, endOffset(chunk, i), from + n)
    System.arraycopy(source, at, chunk, from, n)
  }

  def count(chunk: Array[Byte]): Int = Platform.getInt(chunk, base + 4)

  def time(chunk: Array[Byte], i: Int): Long = Platform.getLong(chunk, base + Header + i * 8L)

  /** Where entry `i` begins. */
  def start(chunk: Array[Byte], i: Int): Int =
    if (i == 0) bodyStart(count(chunk)) else Platform.getInt(chunk, endOffset(chunk, i - 1))

  /** Where entry `i` ends. */
  def end(chunk: Array[Byte], i: Int): Int = Platform.getInt(chunk, endOffset(chunk, i))

  private def endOffset(chunk: Array[Byte], i: Int): Long =
    base + Header + count(chunk) * 8L + i * 4L
}
