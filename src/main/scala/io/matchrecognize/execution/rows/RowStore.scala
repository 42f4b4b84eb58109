package io.matchrecognize.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.matcher.state.{StateReader, StateWriter}

/**
 * The rows of one partition, readable in any order. One task has one store and clears it between
 * partitions, keeping its first chunk, so that a small partition allocates nothing.
 *
 * Rows are appended to the last chunk; full ones may spill, see [[StoredChunks]].
 *
 * Edge cases: a row larger than the byte area makes it grow; `clear` forgets the file's content;
 * the task's completion frees everything, also when a LIMIT stops early.
 *
 * @param spillThreshold
 *   rows in memory beyond which the store spills on its own
 */
final class RowStore(schema: StoreSchema, resources: TaskResources, spillThreshold: Int)
    extends StoredChunks(schema, resources, spillThreshold)
    with Rows {
  private val variableRow = new UnsafeRow(schema.variable.length)
  // The row that `variableRow` shows, whose bytes it keeps alive.
  private var variableAt = -1L

  override def length: Long = rows

  def append(row: UnsafeRow): Unit = {
    if (active == null || active.length == chunkRows) addChunk()
    val growth = active.growth(row)
    if (growth > 0) {
      reserve(growth.toLong)
      active.grow(growth)
    }
    active.append(row)
    rows += 1
  }

  /** The last chunk, which has room for a row, for a caller that writes to its arrays. */
  def open(): RowChunk = {
    if (active == null || active.length == chunkRows) addChunk()
    active
  }

  /** Says how many rows of the last chunk are written. */
  def written(length: Int): Unit = if (active != null) {
    rows += length - active.length
    active.setLength(length)
  }

  /** Writes the variable-length columns of the row after the last one, which is not written yet. */
  def putVariable(columns: UnsafeRow): Unit = {
    val growth = active.growthOf(columns)
    if (growth > 0) {
      reserve(growth.toLong)
      active.grow(growth)
    }
    active.putVariable(columns)
  }

  /** Writes a row for `load`. */
  def save(row: Long, out: StateWriter): Unit = chunkOf(row).save(row.toInt & mask, out)

  /** Appends a row that `save` wrote. */
  def load(in: StateReader): Unit = {
    if (active == null || active.length == chunkRows) addChunk()
    active.load(in, reserve)
    rows += 1
  }

  override def fixed(column: Int, row: Long): Long =
    chunkOf(row).longs(column)(row.toInt & mask)

  override def isNullFixed(column: Int, row: Long): Boolean = {
    val nulls = chunkOf(row).nulls(column)
    nulls != null && nulls(row.toInt & mask) != 0
  }

  override def variable(row: Long): UnsafeRow = {
    if (row != variableAt) {
      chunkOf(row).pointTo(row.toInt & mask, variableRow)
      variableAt = row
    }
    variableRow
  }

  override def chunk(row: Long): RowChunk = if (shift == RowChunk.Shift) chunkOf(row) else null

  override def pinned(read: Array[RowChunk] => Unit): Boolean = pin(read)

  override def clear(): Unit = {
    variableAt = -1L
    super.clear()
  }
}
