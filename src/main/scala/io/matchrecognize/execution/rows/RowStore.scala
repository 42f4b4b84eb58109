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
 * everything is freed after the last partition, and by the task's completion when a LIMIT stops
 * early.
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
  private val before = new SavedRow(schema.fixed.length)

  override def length: Long = rows

  def append(row: UnsafeRow): Unit = {
    makeSpace(RowChunk.bytesOf(schema, row))
    put(row)
  }

  /** Appends a row to the last chunk, which has space for it. */
  def put(row: UnsafeRow): Unit = {
    active.append(row)
    rows += 1
  }

  /** The last chunk, which has room for a row, for a caller that writes to its arrays. */
  def open(): RowChunk = {
    makeSpace(0L)
    active
  }

  override def tryReserve(bytes: Long): Boolean = memory.may(bytes)

  override def release(bytes: Long): Unit = memory.release(bytes)

  override def checkCancelled(): Unit = memory.checkCancelled()

  /** Says how many rows of the last chunk are written. */
  def written(length: Int): Unit = if (active != null) {
    rows += length - active.length
    active.setLength(length)
  }

  /** Makes space for a row, and for bytes of variable length, in the last chunk. */
  def makeSpace(bytes: Long): Unit =
    if (active == null || !active.hasSpace(bytes)) makeRoom(bytes)

  /** Writes the rows from `from` to before `end` for `load`. */
  def save(from: Long, end: Long, out: StateWriter): Unit = {
    before.clear()
    var row = from
    while (row < end) {
      val chunk = chunkOf(row)
      chunk.save(chunk.indexOf(row), before, out)
      row += 1
    }
  }

  /** Appends so many rows that `save` wrote. */
  def load(count: Int, in: StateReader): Unit = {
    before.clear()
    (0 until count).foreach { _ =>
      makeSpace(0L)
      active.load(in, before, grow)
      rows += 1
    }
  }

  override def fixed(column: Int, row: Long): Long = {
    val chunk = chunkOf(row)
    chunk.longs(column)(chunk.indexOf(row))
  }

  override def isNullFixed(column: Int, row: Long): Boolean = {
    val chunk = chunkOf(row)
    val nulls = chunk.nulls(column)
    nulls != null && nulls(chunk.indexOf(row)) != 0
  }

  override def putFixed(
      row: Long,
      columns: Array[Int],
      to: UnsafeRow,
      ordinals: Array[Int]
  ): Unit = {
    val chunk = chunkOf(row)
    chunk.putFixed(chunk.indexOf(row), columns, to, ordinals)
  }

  override def variable(row: Long): UnsafeRow = {
    if (row != variableAt) {
      val chunk = chunkOf(row)
      chunk.pointTo(chunk.indexOf(row), variableRow)
      variableAt = row
    }
    variableRow
  }

  override def chunk(row: Long): RowChunk = if (areEven) chunkOf(row) else null

  override def clear(): Unit = {
    forgetRow()
    super.clear()
  }

  // Its chunk may be large, and what comes next needs the space.
  private def forgetRow(): Unit = {
    variableAt = -1L
    variableRow.pointTo(Array.emptyByteArray, 0)
  }
}
