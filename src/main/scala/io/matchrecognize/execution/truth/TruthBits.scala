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
  private var used = 0

  /** Forgets all and prepares for a partition of `rows` rows. */
  def reset(rows: Long): Unit = {
    val needed = ((rows + RowChunk.Mask) >>> RowChunk.Shift).toInt
    if (needed > chunks.length) chunks = Arrays.copyOf(chunks, math.max(needed, chunks.length * 2))
    var i = 0
    while (i < needed) {
      if (chunks(i) == null) {
        reserve(chunkBytes.toLong)
        chunks(i) = new Array[Byte](chunkBytes)
      } else if (i < used) {
        val last = if (i == needed - 1) rowsIn(rows) * bytesPerRow else chunkBytes
        Arrays.fill(chunks(i), 0, last, 0.toByte)
      }
      i += 1
    }
    used = math.max(used, needed)
  }

  private def rowsIn(rows: Long): Int = (((rows - 1) & RowChunk.Mask) + 1).toInt

  /** 0 unknown, 1 known to be not TRUE, 3 known to be TRUE. */
  def get(id: Int, row: Long): Int = {
    val chunk = ofRow(row)
    val at = (row.toInt & RowChunk.Mask) * bytesPerRow + (id >> 2)
    (chunk(at) >> ((id & 3) * 2)) & 3
  }

  def set(id: Int, row: Long, isTrue: Boolean): Unit = {
    val chunk = ofRow(row)
    val at = (row.toInt & RowChunk.Mask) * bytesPerRow + (id >> 2)
    val bits = if (isTrue) 3 else 1
    chunk(at) = (chunk(at) | (bits << ((id & 3) * 2))).toByte
  }

  /**
   * Bit i is set iff the condition `idOf(symbols(i))` is TRUE; negative if one of them is unknown.
   */
  def all(symbols: Array[Int], idOf: Array[Int], row: Long): Long = {
    val chunk = ofRow(row)
    val at = (row.toInt & RowChunk.Mask) * bytesPerRow
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
  def ofRow(row: Long): Array[Byte] = chunks((row >>> RowChunk.Shift).toInt)
}
