package io.matchrecognize.streaming.state

import java.util

import org.apache.spark.unsafe.Platform

import io.matchrecognize.execution.task.Memory
import io.matchrecognize.matcher.state.{StateReader, StateWriter}

/**
 * Entries of bytes by time in memory, until they are cut into sorted chunks. Its arrays stay for
 * the next entries and count as memory of the task, up to 32 MiB; those of a larger entry go with
 * it.
 */
final class TimedBuffer(memory: Memory) {
  private var times = new Array[Long](TimedBuffer.FirstEntries)
  private var ends = new Array[Int](TimedBuffer.FirstEntries)
  private var bytes = new Array[Byte](TimedBuffer.FirstBytes)
  private var entries = 0

  def count: Int = entries

  def isFull: Boolean = entries >= TimedBuffer.MaxEntries || length >= TimedBuffer.MaxBytes

  def isEmpty: Boolean = entries == 0

  private def length: Int = if (entries == 0) 0 else ends(entries - 1)

  /** Makes space for some entries and their bytes; false if there is no memory for them. */
  def makeSpace(count: Int, size: Int): Boolean =
    makeSpace(count, size, memory.may)

  private def makeSpace(count: Int, size: Int, acquire: Long => Boolean): Boolean = {
    var isGranted = true
    if (entries + count > times.length) {
      val larger = math.max(entries + count, times.length * 2)
      isGranted = acquire((larger - times.length) * TimedBuffer.EntryBytes)
      if (isGranted) {
        times = util.Arrays.copyOf(times, larger)
        ends = util.Arrays.copyOf(ends, larger)
      }
    }
    if (isGranted && size > bytes.length - length) {
      // The sum of an entry near the largest array and those before it is no length.
      val larger = math.max(Math.addExact(length, size), bytes.length * 2)
      isGranted = acquire(larger.toLong - bytes.length)
      if (isGranted) bytes = util.Arrays.copyOf(bytes, larger)
    }
    isGranted
  }

  /**
   * Adds an entry; false if there is no memory for it beside the others. Then the buffer has to be
   * drained. One that is empty takes it or fails.
   */
  def add(time: Long, source: AnyRef, offset: Long, size: Int): Boolean = {
    val fits = if (isEmpty) makeSpace(1, size, must) else makeSpace(1, size)
    if (fits) put(time, source, offset, size)
    fits
  }

  private def must(bytes: Long): Boolean = {
    memory.must(bytes)
    true
  }

  private def put(time: Long, source: AnyRef, offset: Long, size: Int): Unit = {
    val from = length
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
    if (bytes.length > TimedBuffer.MaxBytes * 2) {
      memory.release(bytes.length.toLong - TimedBuffer.FirstBytes)
      bytes = new Array[Byte](TimedBuffer.FirstBytes)
    }
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
  private final val FirstEntries = 64
  private final val FirstBytes = 4096

  /** Of an entry beside its bytes: its time and end. */
  private final val EntryBytes = 12L

  /** Entries that one buffer takes before it must be drained. */
  final val MaxEntries: Int = 1 << IndexBits
  final val MaxBytes: Int = 1 << 24
  private final val PackedRange = 1L << (63 - IndexBits)
  private final val ChunkEntries = 512
  private final val ChunkBytes = 1 << 20
}

/**
 * Entries of bytes in the order of their times, as one blob: a header, times, where each entry
 * ends, entries. What is stored of it is `packed`.
 */
object TimedChunk {
  private final val Header = 8
  // Of more bytes a second copy would be missed in the memory account.
  private final val MaxPacked = 1 << 22
  private final val AsIs: Byte = 1
  private final val base = Platform.BYTE_ARRAY_OFFSET.toLong

  private def bodyStart(count: Int): Int = Header + count * 8 + ((count * 4 + 7) & ~7)

  /** A chunk of `count` entries that have `length` bytes together. */
  def begin(count: Int, length: Int): Array[Byte] = {
    val chunk = new Array[Byte](bodyStart(count) + length)
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

  /**
   * The chunk as the differences between its entries: of times, of lengths, of their words. A large
   * one stays as it is, with its form in its header.
   */
  def packed(chunk: Array[Byte]): Array[Byte] =
    if (chunk.length > MaxPacked) {
      chunk(0) = StateLayout.Format.toByte
      chunk(1) = AsIs
      chunk
    } else differences(chunk)

  private def differences(chunk: Array[Byte]): Array[Byte] = {
    val out = new StateWriter
    out.putByte(StateLayout.Format)
    out.putByte(0)
    out.putInt(count(chunk))
    out.putInt(chunk.length)
    var time = 0L
    var before = 0
    var length = 0
    for (i <- 0 until count(chunk)) {
      val from = start(chunk, i)
      val size = end(chunk, i) - from
      out.putLong(this.time(chunk, i) - time)
      out.putInt(size - length)
      out.putDifferences(chunk, from, size, chunk, before, length)
      time = this.time(chunk, i)
      before = from
      length = size
    }
    out.toBytes
  }

  def unpacked(stored: Array[Byte]): Array[Byte] = {
    val in = StateLayout.reader(stored)
    if (in.getByte() == AsIs) stored else fromDifferences(in)
  }

  private def fromDifferences(in: StateReader): Array[Byte] = {
    val count = in.getInt()
    val size = in.getInt()
    val chunk = begin(count, size - bodyStart(count))
    var time = 0L
    var from = bodyStart(count)
    var before = from
    var length = 0
    for (i <- 0 until count) {
      time += in.getLong()
      val size = length + in.getInt()
      in.getDifferences(chunk, from, size, chunk, before, length)
      Platform.putLong(chunk, base + Header + i * 8L, time)
      Platform.putInt(chunk, endOffset(chunk, i), from + size)
      before = from
      length = size
      from += size
    }
    chunk
  }
}
