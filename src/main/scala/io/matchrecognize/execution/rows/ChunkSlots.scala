package io.matchrecognize.execution.rows

import java.util.ArrayList

import org.apache.spark.sql.matchrecognize.SpillFile

/**
 * The slots of a store in the order of their rows.
 *
 * @param shift
 *   binary logarithm of the rows of a chunk, unless its rows are wide
 */
private[rows] final class ChunkSlots(shift: Int) {
  private val slots = new ArrayList[ChunkSlot]
  // Whether all chunks but the last one have 2^shift rows.
  private var areFull = true

  def size: Int = slots.size

  def first: ChunkSlot = slots.get(0)

  /** Whether the rows of a number's block are those of one chunk. */
  def areEven: Boolean = areFull

  /** Adds a slot for a chunk whose first row has a number. */
  def add(chunk: RowChunk, first: Long): ChunkSlot = {
    areFull &= (first & ((1L << shift) - 1)) == 0 && first >>> shift == slots.size
    val slot = new ChunkSlot(first)
    chunk.first = first
    slot.chunk = chunk
    slots.add(slot)
    slot
  }

  def of(row: Long): ChunkSlot = slots.get(if (areFull) (row >>> shift).toInt else indexOf(row))

  // The last slot that begins with this row or an earlier one.
  private def indexOf(row: Long): Int = {
    var (from, until) = (0, slots.size)
    while (until - from > 1) {
      val middle = (from + until) >>> 1
      if (slots.get(middle).first <= row) from = middle else until = middle
    }
    from
  }

  def clear(): Unit = {
    slots.clear()
    areFull = true
  }
}

/**
 * A chunk of a store in memory, on disk, or both.
 *
 * @param first
 *   the number in the partition of its first row
 */
private[rows] final class ChunkSlot(val first: Long) {
  @volatile var chunk: RowChunk = _
  var lastUse: Long = 0L

  /** Whether the chunk in memory is in the space that stays reserved. */
  var isInSpare = false

  // Of a chunk on disk: where, its rows, and the bytes of their values of variable length.
  var position: Long = -1L
  var rows = 0
  var bytes = 0

  /** Bytes of the chunk when it is read again. */
  def size(schema: StoreSchema): Long = RowChunk.size(schema, rows, bytes.toLong)

  /** Writes the chunk to a file; returns how many bytes it takes there. */
  def write(file: SpillFile): Long = {
    val before = file.length
    position = file.write(chunk.write)
    rows = chunk.length
    bytes = chunk.usedBytes
    file.length - before
  }

  /** Reads the chunk again, into one that was made for it. */
  def read(file: SpillFile, into: RowChunk): Unit = {
    file.read(position)(into.read)
    into.first = first
    chunk = into
  }
}
