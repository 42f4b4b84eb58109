package io.matchrecognize.execution.rows

import org.apache.spark.sql.matchrecognize.SpillFile

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
