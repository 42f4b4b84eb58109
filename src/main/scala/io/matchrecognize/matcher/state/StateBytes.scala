package io.matchrecognize.matcher.state

import java.util.Arrays

import io.matchrecognize.matcher.MemoryAccount

/** Appends numbers and bytes to an array that grows and is reused. */
final class StateWriter {
  private var bytes = new Array[Byte](256)
  private var count = 0

  /** Bytes written since the last `clear`. */
  def length: Int = count

  def clear(): Unit = count = 0

  def toBytes: Array[Byte] = Arrays.copyOf(bytes, count)

  def putByte(value: Int): Unit = {
    ensure(1)
    bytes(count) = value.toByte
    count += 1
  }

  def putBoolean(value: Boolean): Unit = putByte(if (value) 1 else 0)

  /** Eight bytes. */
  def putFixed(value: Long): Unit = {
    ensure(8)
    StateBytes.setWord(bytes, count, value)
    count += 8
  }

  /** A zigzag varint: one byte for a small number, negative or not, ten at most. */
  def putLong(value: Long): Unit = {
    ensure(10)
    var rest = (value << 1) ^ (value >> 63)
    while ((rest & ~0x7fL) != 0) {
      bytes(count) = (rest | 0x80).toByte
      count += 1
      rest >>>= 7
    }
    bytes(count) = rest.toByte
    count += 1
  }

  def putInt(value: Int): Unit = putLong(value.toLong)

  /** Bytes without their length. */
  def putRaw(source: Array[Byte], from: Int, size: Int): Unit = {
    ensure(size)
    System.arraycopy(source, from, bytes, count, size)
    count += size
  }

  /**
   * A small number, see `StateBytes.isShort`: as `putLong`, or a thousandth of it if that is a
   * whole number, as of most times.
   */
  def putShort(value: Long): Unit = putLong(StateBytes.shortened(value))

  /**
   * Words of eight bytes, as their differences from those of other bytes unless these take more,
   * with a byte for each eight words that says which are; and the bytes after the last word.
   *
   * @param length
   *   of the other bytes; a word beyond it is 0
   */
  def putDifferences(
      bytes: Array[Byte],
      from: Int,
      size: Int,
      others: Array[Byte],
      start: Int,
      length: Int
  ): Unit = {
    var mask = 0
    var at = 0
    while (at + 8 <= size) {
      if ((at & 63) == 0) {
        mask = skip(1)
        array(mask) = 0
      }
      val word = StateBytes.word(bytes, from + at)
      val difference = word - (if (at + 8 <= length) StateBytes.word(others, start + at) else 0L)
      if (StateBytes.isShort(difference)) putShort(difference)
      else {
        array(mask) = (array(mask) | 1 << (at >> 3 & 7)).toByte
        putFixed(word)
      }
      at += 8
    }
    putRaw(bytes, from + at, size - at)
  }

  /** Bytes after their length. */
  def putBytes(source: Array[Byte]): Unit = {
    putInt(source.length)
    putRaw(source, 0, source.length)
  }

  /**
   * Leaves room for `size` bytes, which the caller fills, and returns where in `array` it begins.
   */
  def skip(size: Int): Int = {
    ensure(size)
    val at = count
    count += size
    at
  }

  /** Removes and returns the bytes written since the writer was `from` bytes long. */
  def cut(from: Int): Array[Byte] = {
    val taken = Arrays.copyOfRange(bytes, from, count)
    count = from
    taken
  }

  /** The array written to, until the next call of any other method. */
  def array: Array[Byte] = bytes

  private def ensure(size: Int): Unit =
    if (bytes.length - count < size) {
      val needed = count.toLong + size
      if (needed > MemoryAccount.MaxArray)
        throw new IllegalStateException("the state of one partition exceeds two gigabytes")
      bytes = Arrays.copyOf(
        bytes,
        (bytes.length * 2L).max(needed).min(MemoryAccount.MaxArray.toLong).toInt
      )
    }
}

/**
 * Reads back what a `StateWriter` wrote.
 *
 * @param from
 *   where the bytes begin
 */
final class StateReader(bytes: Array[Byte], from: Int = 0) {
  private var at = from

  def getByte(): Int = {
    at += 1
    bytes(at - 1).toInt
  }

  def getBoolean(): Boolean = getByte() != 0

  def getFixed(): Long = {
    at += 8
    StateBytes.word(bytes, at - 8)
  }

  def getLong(): Long = {
    var value = 0L
    var shift = 0
    var next = bytes(at)
    at += 1
    while (next < 0) {
      value |= (next & 0x7fL) << shift
      shift += 7
      next = bytes(at)
      at += 1
    }
    value |= next.toLong << shift
    (value >>> 1) ^ -(value & 1)
  }

  def getInt(): Int = getLong().toInt

  def getBytes(): Array[Byte] = {
    val size = getInt()
    at += size
    Arrays.copyOfRange(bytes, at - size, at)
  }

  def getShort(): Long = StateBytes.restored(getLong())

  /** Reads what `putDifferences` wrote, beside the same other bytes. */
  def getDifferences(
      to: Array[Byte],
      from: Int,
      size: Int,
      others: Array[Byte],
      start: Int,
      length: Int
  ): Unit = {
    var mask = 0
    var at = 0
    while (at + 8 <= size) {
      if ((at & 63) == 0) mask = getByte()
      val isWhole = (mask >> (at >> 3 & 7) & 1) != 0
      val known = if (!isWhole && at + 8 <= length) StateBytes.word(others, start + at) else 0L
      StateBytes.setWord(to, from + at, known + (if (isWhole) getFixed() else getShort()))
      at += 8
    }
    System.arraycopy(bytes, skip(size - at), to, from + at, size - at)
  }

  /** Skips `size` bytes and returns where they begin. */
  def skip(size: Int): Int = {
    at += size
    at - size
  }
}

object StateBytes {

  /** The lowest byte first, whatever the machine. */
  private[state] def word(bytes: Array[Byte], at: Int): Long = {
    var value = 0L
    var i = 8
    while (i > 0) {
      i -= 1
      value = value << 8 | bytes(at + i) & 0xffL
    }
    value
  }

  private[state] def setWord(bytes: Array[Byte], at: Int, value: Long): Unit = {
    var i = 0
    while (i < 8) {
      bytes(at + i) = (value >>> i * 8).toByte
      i += 1
    }
  }

  /** Whether `putShort` writes a value in at most eight bytes. */
  def isShort(value: Long): Boolean = ((value << 1) ^ (value >> 63)) >>> 55 == 0

  /** Bytes that `putShort` takes for a value. */
  def size(value: Long): Int = {
    val written = shortened(value)
    (70 - java.lang.Long.numberOfLeadingZeros((written << 1) ^ (written >> 63) | 1L)) / 7
  }

  // The lowest bit says which: a number of thousands, or of ones.
  private[state] def shortened(value: Long): Long =
    if (value % 1000 == 0) value / 1000 << 1 | 1L else value << 1

  private[state] def restored(written: Long): Long =
    if ((written & 1) != 0) (written >> 1) * 1000 else written >> 1
}

/** Writes fold values (see `MatchInput.initialFold`) as bytes and reads them back. */
trait FoldCodec {

  /** Whether the value can be written: not one that remembers a failure. */
  def canWrite(fold: Int, value: AnyRef): Boolean
  def write(fold: Int, value: AnyRef, out: StateWriter): Unit
  def read(fold: Int, in: StateReader): AnyRef
}
