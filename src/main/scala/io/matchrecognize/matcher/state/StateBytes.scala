package io.matchrecognize.matcher.state

import java.lang.invoke.MethodHandles
import java.nio.ByteOrder
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
    StateBytes.Longs.set(bytes, count, value)
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

  /** Words of eight bytes, each after a byte that says which of its bytes are not 0, and those. */
  def putSparse(source: Array[Byte], from: Int, size: Int): Unit = {
    ensure(size + size / 8)
    var at = from
    while (at < from + size) {
      val mask = count
      bytes(mask) = 0
      count += 1
      var i = 0
      while (i < 8) {
        val value = source(at + i)
        if (value != 0) {
          bytes(mask) = (bytes(mask) | 1 << i).toByte
          bytes(count) = value
          count += 1
        }
        i += 1
      }
      at += 8
    }
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

  def array: Array[Byte] = bytes

  def getByte(): Int = {
    at += 1
    bytes(at - 1).toInt
  }

  def getBoolean(): Boolean = getByte() != 0

  def getFixed(): Long = {
    at += 8
    StateBytes.Longs.get(bytes, at - 8).asInstanceOf[Long]
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

  /** Reads what `putSparse` wrote. */
  def getSparse(to: Array[Byte], from: Int, size: Int): Unit = {
    var place = from
    while (place < from + size) {
      val mask = bytes(at)
      at += 1
      var i = 0
      while (i < 8) {
        val isPresent = (mask >> i & 1) != 0
        to(place + i) = if (isPresent) bytes(at) else 0
        if (isPresent) at += 1
        i += 1
      }
      place += 8
    }
  }

  /** Skips `size` bytes and returns where they begin. */
  def skip(size: Int): Int = {
    at += size
    at - size
  }
}

private object StateBytes {
  val Longs = MethodHandles.byteArrayViewVarHandle(classOf[Array[Long]], ByteOrder.LITTLE_ENDIAN)
}

/** Writes fold values (see `MatchInput.initialFold`) as bytes and reads them back. */
trait FoldCodec {

  /** Whether the value can be written: not one that remembers a failure. */
  def canWrite(fold: Int, value: AnyRef): Boolean
  def write(fold: Int, value: AnyRef, out: StateWriter): Unit
  def read(fold: Int, in: StateReader): AnyRef
}
