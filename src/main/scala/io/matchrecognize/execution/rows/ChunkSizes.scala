package io.matchrecognize.execution.rows

/**
 * How many rows and bytes the chunks of a store have.
 *
 * @param shift
 *   a full chunk has two to this power of rows
 */
private[rows] final class ChunkSizes(schema: StoreSchema, shift: Int) {

  /** Rows of a chunk that is not small. */
  val chunkRows: Int = 1 << shift

  /**
   * Rows of the chunk after `last`, which may be null. Wide rows leave most of a chunk's arrays
   * empty, so the next ones are smaller.
   */
  def next(last: RowChunk): Int =
    if (last == null || last.length == chunkRows) chunkRows
    else math.min(chunkRows, Integer.highestOneBit(last.length) * 4)

  /** Bytes of a chunk that is to be filled row by row. */
  def empty(rows: Int): Long = RowChunk.size(schema, rows, RowChunk.FirstBytes.toLong)
}
