package io.matchrecognize.streaming.state

import java.util

import org.apache.spark.unsafe.Platform

/** Entries of bytes by time in memory, until they are cut into sorted chunks. */
final class TimedBuffer {
  private var times = new Array[Long](64)
  private var ends = new Array[Int](64)
  private var bytes = new Array[Byte](4096)
  private var entries = 0

  def count: Int = entries

  def isFull: Boolean = entries >= TimedBuffer.MaxEntries || length >= TimedBuffer.MaxBytes

  def isEmpty: Boolean = entries == 0

  private def length: Int = if (entries == 0) 0 else ends(entries - 1)

  def add(time: Long, source: AnyRef, offset: Long, size: Int): Unit = {
    val from = length
    if (entries == times.length) {
      times = util.Arrays.copyOf(times, entries * 2)
      ends = util.Arrays.copyOf(ends, entries * 2)
    }
    if (size > bytes.length - from)
      bytes = util.Arrays.copyOf(bytes, math.max(from + size, bytes.length * 2))
    Platform.copyMemory(source, offset, bytes, Platform.BYTE_ARRAY_OFFSET + from.toLong, size)
    times(entries) = time
    ends(entries) = from + size
    entries += 1
  }

  /** Passes on all entries as chunks with ascending times, and empties the buffer. */
  def drain(consume: Array[Byte] => Unit): Unit = {
    val order = sorted()
    var from = 0
    while (from < entries) {
      val to = chunkEnd(order, from)
      consume(chunk(order, from, to))
      from = to
    }
    entries = 0
  }

  private def start(i: Int): Int = if (i == 0) 0 else ends(i - 1)

  private def size(i: Int): Int = ends(i) - start(i)

  private def chunkEnd(order: Array[Int], from: Int): Int = {
    var to = from + 1
    var total = size(order(from))
    while (to < entries && to - from < TimedBuffer.ChunkEntries && total < TimedBuffer.ChunkBytes) {
      total += size(order(to))
      to += 1
    }
    to
  }

  private def chunk(order: Array[Int], from: Int, to: Int): Array[Byte] = {
    var total = 0
    for (i <- from until to) total += size(order(i))
    val result = TimedChunk.begin(to - from, total)
    for (i <- from until to) {
      val entry = order(i)
      TimedChunk.set(result, i - from, times(entry), bytes, start(entry), size(entry))
    }
    result
  }

  /** The numbers of the entries by time. */
  private def sorted(): Array[Int] = {
    var (least, greatest) = (Long.MaxValue, Long.MinValue)
    for (i <- 0 until entries) {
      least = math.min(least, times(i))
      greatest = math.max(greatest, times(i))
    }
    val range = greatest - least
    if (range >= 0 && range < TimedBuffer.PackedRange) sortedPacked(least)
    else Array.range(0, entries).sortBy(times(_))
  }

  // Time and number in one long: sorting them needs no comparator.
  private def sortedPacked(least: Long): Array[Int] = {
    val packed = new Array[Long](entries)
    for (i <- 0 until entries) packed(i) = (times(i) - least) << TimedBuffer.IndexBits | i
    util.Arrays.sort(packed)
    val order = new Array[Int](entries)
    for (i <- 0 until entries) order(i) = (packed(i) & (TimedBuffer.MaxEntries - 1)).toInt
    order
  }
}

object TimedBuffer {
  private final val IndexBits = 16

  /** Entries that one buffer takes before it must be drained. */
  final val MaxEntries: Int = 1 << IndexBits
  final val MaxBytes: Int = 1 << 24
  private final val PackedRange = 1L << (63 - IndexBits)
  private final val ChunkEntries = 512
  private final val ChunkBytes = 1 << 20
}
