package io.matchrecognize.execution.rows

import java.util.{ArrayList, LinkedList}

import scala.jdk.CollectionConverters._

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.{SpillFile, TaskResources}

import io.matchrecognize.matcher.state.{StateReader, StateWriter}

/**
 * The rows of one partition, readable in any order. One task has one store and clears it between
 * partitions, keeping its first chunk, so that a small partition allocates nothing.
 *
 * Rows are appended to the last chunk. When Spark's memory manager refuses memory, or another
 * operator of the task asks for some, the oldest full chunks go to a file; few spilled chunks that
 * are read again are in memory at a time. `spill` may be called by any thread of the task: a
 * chunk's arrays are never written once it is full, so a reader that still holds them can continue.
 *
 * Edge cases: a row larger than the byte area makes it grow; `clear` forgets the file's content;
 * the task's completion frees everything, also when a LIMIT stops early.
 *
 * @param spillThreshold
 *   rows in memory beyond which the store spills on its own
 */
final class RowStore(
    schema: StoreSchema,
    resources: TaskResources,
    spillThreshold: Int
) extends MemoryConsumer(
      resources.memoryManager,
      resources.memoryManager.pageSizeBytes,
      MemoryMode.ON_HEAP
    )
    with Rows {

  /** A chunk in memory, on disk, or both. */
  private final class Slot {
    @volatile var chunk: RowChunk = _
    var position: Long = -1L
    var lastUse: Long = 0L
  }

  private val shift = RowChunk.shift(spillThreshold)
  private val chunkRows = 1 << shift
  private val mask = chunkRows - 1

  private val slots = new ArrayList[Slot]
  // Slots with a chunk, in the order in which they got it.
  private val resident = new LinkedList[Slot]
  private var active: RowChunk = _
  private var rows = 0L
  private var file: SpillFile = _
  private var clock = 0L
  private var loaded = 0
  private var residentRows = 0L
  private var peak = 0L
  private val variableRow = new UnsafeRow(schema.variable.length)
  // The row that `variableRow` shows, whose bytes it keeps alive.
  private var variableAt = -1L

  // The chunk read last: most reads stay in one chunk.
  private var recentIndex = -1
  private var recent: RowChunk = _

  override def length: Long = rows

  /** Largest number of bytes held at a time. */
  def peakMemory: Long = peak

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

  /** Rows of the last chunk. */
  def lastLength: Int = if (active == null) 0 else active.length

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

  private def addChunk(): Unit = synchronized {
    if (residentRows + chunkRows > spillThreshold && !slots.isEmpty) {
      active = null
      spillChunks(Long.MaxValue)
    }
    active = null
    reserve(RowChunk.firstSize(schema, chunkRows))
    val slot = new Slot
    slot.chunk = new RowChunk(schema, chunkRows)
    slots.add(slot)
    resident.add(slot)
    active = slot.chunk
    residentRows += chunkRows
  }

  /** Acquires memory of the task, spilling rows if necessary. */
  override def reserve(bytes: Long): Unit = if (bytes > 0) {
    val got = acquireMemory(bytes)
    if (got < bytes) {
      freeMemory(got)
      spillChunks(bytes)
      val again = acquireMemory(bytes)
      if (again < bytes) {
        freeMemory(again)
        throw new RowStoreFull(getUsed + bytes)
      }
    }
    peak = math.max(peak, getUsed)
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

  private def chunkOf(row: Long): RowChunk = {
    val index = (row >>> shift).toInt
    val chunk = recent
    // Another thread's spill may have dropped it in between.
    if (index == recentIndex && chunk != null) chunk else findChunk(index)
  }

  private def findChunk(index: Int): RowChunk = {
    val slot = slots.get(index)
    clock += 1
    slot.lastUse = clock
    val inMemory = slot.chunk
    val chunk = if (inMemory != null) inMemory else load(slot)
    recentIndex = index
    recent = chunk
    chunk
  }

  private def load(slot: Slot): RowChunk = synchronized {
    if (loaded >= RowStore.LoadedChunks) dropLeastUsed()
    reserve(RowChunk.firstSize(schema, chunkRows))
    val chunk = new RowChunk(schema, chunkRows)
    file.read(slot.position)(chunk.read)
    val extra = chunk.size - RowChunk.firstSize(schema, chunkRows)
    if (extra > 0) reserve(extra)
    slot.chunk = chunk
    resident.add(slot)
    loaded += 1
    residentRows += chunkRows
    chunk
  }

  private def dropLeastUsed(): Unit =
    resident.asScala.filter(_.position >= 0).minByOption(_.lastUse).foreach { least =>
      resident.remove(least)
      release(least): Unit
    }

  /** Frees the chunk of a slot that is no longer `resident`. */
  private def release(slot: Slot): Long = {
    val bytes = slot.chunk.size
    if (recent eq slot.chunk) {
      recent = null
      recentIndex = -1
    }
    slot.chunk = null
    if (loaded > 0) loaded -= 1
    residentRows -= chunkRows
    freeMemory(bytes)
    bytes
  }

  override def spill(size: Long, trigger: MemoryConsumer): Long = spillChunks(size)

  /** Moves full chunks to the file until `wanted` bytes are free; returns the bytes freed. */
  private def spillChunks(wanted: Long): Long = synchronized {
    var freed = 0L
    var written = 0L
    val candidates = resident.iterator
    while (candidates.hasNext && freed < wanted) {
      val slot = candidates.next()
      val chunk = slot.chunk
      if (chunk ne active) {
        if (slot.position < 0) {
          if (file == null) file = resources.createSpillFile(RowChunk.Rows * 8)
          val before = file.length
          slot.position = file.write(chunk.write)
          written += file.length - before
          loaded += 1 // balanced by release
        }
        candidates.remove()
        freed += release(slot)
      }
    }
    if (written > 0) resources.recordSpill(freed, written)
    freed
  }

  /** Forgets all rows. The first chunk stays for the next partition. */
  def clear(): Unit = synchronized {
    variableAt = -1L
    if (slots.size == 1 && slots.get(0).position < 0 && active != null && active.isSmall) {
      active.clear()
      rows = 0
    } else clearChunks()
  }

  private def clearChunks(): Unit = {
    recent = null
    recentIndex = -1
    var keep: Slot = null
    resident.forEach { slot =>
      if (keep == null && slot.chunk.isSmall) keep = slot
      else {
        freeMemory(slot.chunk.size)
        slot.chunk = null
      }
    }
    slots.clear()
    resident.clear()
    loaded = 0
    residentRows = 0
    rows = 0
    active = null
    if (file != null) file.clear()
    if (keep != null) {
      keep.position = -1L
      keep.chunk.clear()
      slots.add(keep)
      resident.add(keep)
      active = keep.chunk
      residentRows = chunkRows
    }
  }

  /** Frees memory and file. */
  def free(): Unit = synchronized {
    clear()
    slots.clear()
    resident.clear()
    active = null
    freeMemory(getUsed)
    if (file != null) file.close()
    file = null
  }
}

object RowStore {

  /** Spilled chunks that are kept in memory after being read again. */
  private final val LoadedChunks = 8
}
