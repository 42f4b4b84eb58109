package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.MemoryAccount

/**
 * One automaton position per row, in as few bytes as the largest position needs. Grows in chunks,
 * so that a long match is never copied; byte `p` of a position is in plane `p`.
 */
private[matcher] final class PositionBuffer(positions: Int, account: MemoryAccount) {
  import PositionBuffer._

  private val width = if (positions <= 0x100) 1 else if (positions <= 0x10000) 2 else 4
  private val planes = Array.fill(width)(new Array[Array[Byte]](4))
  private var chunks = 0

  /** Makes room for rows `0 .. length - 1`. */
  def ensure(length: Long): Unit =
    while ((chunks.toLong << ChunkBits) < length) addChunk()

  def apply(index: Long): Int = {
    val chunk = (index >>> ChunkBits).toInt
    val place = index.toInt & ChunkMask
    var position = planes(0)(chunk)(place) & 0xff
    var plane = 1
    while (plane < width) {
      position |= (planes(plane)(chunk)(place) & 0xff) << (plane * 8)
      plane += 1
    }
    position
  }

  def update(index: Long, position: Int): Unit = {
    val chunk = (index >>> ChunkBits).toInt
    val place = index.toInt & ChunkMask
    planes(0)(chunk)(place) = position.toByte
    var plane = 1
    while (plane < width) {
      planes(plane)(chunk)(place) = (position >>> (plane * 8)).toByte
      plane += 1
    }
  }

  private def addChunk(): Unit = {
    account.charge(width.toLong << ChunkBits)
    var plane = 0
    while (plane < width) {
      if (chunks == planes(plane).length) planes(plane) = Arrays.copyOf(planes(plane), chunks * 2)
      planes(plane)(chunks) = new Array[Byte](1 << ChunkBits)
      plane += 1
    }
    chunks += 1
  }
}

private[matcher] object PositionBuffer {
  private final val ChunkBits = 16
  private final val ChunkMask = (1 << ChunkBits) - 1
}
