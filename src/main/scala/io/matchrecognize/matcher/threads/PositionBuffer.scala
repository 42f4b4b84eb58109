package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.MemoryAccount

/**
 * One automaton position per row, in as few bytes as the largest position needs, the lowest first.
 * Grows in chunks, so that a long match is never copied.
 */
private[matcher] final class PositionBuffer(positions: Int, account: MemoryAccount) {
  private val width = if (positions <= 0x100) 1 else if (positions <= 0x10000) 2 else 4
  private var chunks = new Array[Array[Byte]](4)
  private var used = 0

  /** Makes room for rows `0 .. length - 1`. */
  def ensure(length: Long): Unit = while ((used.toLong << ChunkBits) < length) {
    account.charge(width.toLong << ChunkBits)
    if (used == chunks.length) chunks = Arrays.copyOf(chunks, used * 2)
    chunks(used) = new Array[Byte](width << ChunkBits)
    used += 1
  }

  def apply(index: Long): Int = {
    val chunk = chunks((index >>> ChunkBits).toInt)
    val place = (index.toInt & ChunkMask) * width
    var position = chunk(place) & 0xff
    var i = 1
    while (i < width) {
      position |= (chunk(place + i) & 0xff) << (i * 8)
      i += 1
    }
    position
  }

  def update(index: Long, position: Int): Unit = {
    val chunk = chunks((index >>> ChunkBits).toInt)
    if (width == 1) chunk(index.toInt & ChunkMask) = position.toByte
    else {
      val place = (index.toInt & ChunkMask) * width
      var i = 0
      while (i < width) {
        chunk(place + i) = (position >>> (i * 8)).toByte
        i += 1
      }
    }
  }

  private final val ChunkBits = 16
  private final val ChunkMask = (1 << ChunkBits) - 1
}
