package io.matchrecognize.execution.truth

import java.util.Arrays

import io.matchrecognize.execution.rows.RowChunk
import io.matchrecognize.matcher.MatchInput

/**
 * Memoises the truths of row-local conditions in one partition, as `MatchInput.knownTruths` has
 * them. Arrays are reused between partitions.
 *
 * @param reserve
 *   accounts for bytes before they are allocated
 */
final class TruthBits(conditions: Int, reserve: Long => Unit) {
  private val bytesPerRow = MatchInput.truthBytes(conditions)
  private val chunkBytes = bytesPerRow << RowChunk.Shift
  private var chunks: Array[Array[Byte]] = new Array[Array[Byte]](1)
  private var firstBlock = 0L

  /** Forgets all rows and prepares for those of a partition from `first` on. */
  def reset(first: Long): Unit = firstBlock = first >>> RowChunk.Shift

  /** Adds the rows from `first` to before `end`, of which nothing is known. */
  def add(first: Long, end: Long): Unit = {
    val blocks = ((end + RowChunk.Mask) >>> RowChunk.Shift) - firstBlock
    if (blocks > chunks.length)
      chunks = Arrays.copyOf(chunks, blocks.toInt.max(chunks.length * 2))
    var row = first
    while (row < end) {
      val next = end.min((row | RowChunk.Mask) + 1)
      val block = blockOf(row)
      if (chunks(block) == null) {
        reserve(chunkBytes.toLong)
        chunks(block) = new Array[Byte](chunkBytes)
      } else Arrays.fill(chunks(block), placeOf(row), placeOf(next - 1) + bytesPerRow, 0.toByte)
      row = next
    }
  }

  private def blockOf(row: Long): Int = ((row >>> RowChunk.Shift) - firstBlock).toInt

  private def placeOf(row: Long): Int = (row.toInt & RowChunk.Mask) * bytesPerRow

  /** 0 unknown, 1 known to be not TRUE, 3 known to be TRUE. */
  def get(id: Int, row: Long): Int = {
    val chunk = ofRow(row)
    val at = placeOf(row) + (id >> 2)
    (chunk(at) >> ((id & 3) * 2)) & 3
  }

  def set(id: Int, row: Long, isTrue: Boolean): Unit = {
    val chunk = ofRow(row)
    val at = placeOf(row) + (id >> 2)
    val bits = if (isTrue) 3 else 1
    chunk(at) = (chunk(at) | (bits << ((id & 3) * 2))).toByte
  }

  /**
   * Bit i is set iff the condition `idOf(symbols(i))` is TRUE; negative if one of them is unknown.
   */
  def all(symbols: Array[Int], idOf: Array[Int], row: Long): Long = {
    val chunk = ofRow(row)
    val at = placeOf(row)
    var truths = 0L
    var i = 0
    while (i < symbols.length && truths >= 0) {
      val id = idOf(symbols(i))
      val known = (chunk(at + (id >> 2)) >> ((id & 3) * 2)) & 3
      truths = if (known == 0) -1L else truths | (known >> 1).toLong << i
      i += 1
    }
    truths
  }

  /** The bits of the rows of a row's block. */
  def ofRow(row: Long): Array[Byte] = chunks(blockOf(row))
}
