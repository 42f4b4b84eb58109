package io.matchrecognize.execution.rows

import java.util.{ArrayList, LinkedList}

import scala.jdk.CollectionConverters._

import org.apache.spark.memory.MemoryConsumer
import org.apache.spark.sql.matchrecognize.{SpillFile, TaskResources}

/**
 * The chunks of a [[RowStore]], of which the last one is being written.
 *
 * When Spark's memory manager refuses memory, or another operator of the task asks for some, the
 * oldest full chunks go to a file; few spilled chunks that are read again are in memory at a time.
 * `spill` may be called by any thread of the task: a chunk's arrays are never written once it is
 * full, so a reader that still holds them can continue. The memory manager calls it under a lock
 * that every request for memory takes, so none is made while the store's own is held.
 *
 * @param spillThreshold
 *   rows in memory beyond which the store spills on its own
 */
abstract class StoredChunks(schema: StoreSchema, resources: TaskResources, spillThreshold: Int)
    extends RowMemory(resources) {

  /** A chunk in memory, on disk, or both. */
  private final class Slot {
    @volatile var chunk: RowChunk = _
    var position: Long = -1L
    var lastUse: Long = 0L
  }

  protected val shift: Int = RowChunk.shift(spillThreshold)
  protected val chunkRows: Int = 1 << shift
  protected val mask: Int = chunkRows - 1

  private val slots = new ArrayList[Slot]
  // Slots with a chunk, in the order in which they got it.
  private val resident = new LinkedList[Slot]
  protected var active: RowChunk = _
  protected var rows = 0L
  private var file: SpillFile = _
  private var clock = 0L
  private var loaded = 0
  private var residentRows = 0L
  private var isPinned = false

  // The chunk read last: most reads stay in one chunk.
  private var recentIndex = -1
  private var recent: RowChunk = _

  protected def addChunk(): Unit = {
    checkCancelled()
    val isFull = synchronized {
      active = null
      residentRows + chunkRows > spillThreshold && !slots.isEmpty
    }
    if (isFull) spillChunks(Long.MaxValue)
    reserve(RowChunk.firstSize(schema, chunkRows))
    synchronized(add(new RowChunk(schema, chunkRows)))
  }

  private def add(chunk: RowChunk): Unit = {
    val slot = new Slot
    slot.chunk = chunk
    slots.add(slot)
    resident.add(slot)
    active = chunk
    residentRows += chunkRows
  }

  /**
   * Acquires memory for chunks that the caller makes by `newChunk`, fills and gives to `addFilled`.
   *
   * @param bytes
   *   for each chunk those of its values of variable length
   * @return
   *   false if there is no memory for all of them
   */
  def reserveChunks(bytes: Array[Long]): Boolean =
    residentRows + bytes.length.toLong * chunkRows <= spillThreshold &&
      bytes.forall(_ <= RowChunk.MaxBytes) && acquire(bytes.map(sizeOf).sum)

  /** Gives the memory back. */
  def releaseChunks(bytes: Array[Long]): Unit = freeMemory(bytes.map(sizeOf).sum)

  /** Whether a chunk has as many rows as threads read at a time, and the last one has no room. */
  def takesChunks: Boolean = shift == RowChunk.Shift && lastLength == chunkRows

  private def sizeOf(bytes: Long): Long =
    RowChunk.firstSize(schema, chunkRows) + math.max(0L, bytes - RowChunk.FirstBytes)

  /** An empty chunk of the store; by any thread. */
  def newChunk(bytes: Long): RowChunk = {
    val chunk = new RowChunk(schema, chunkRows)
    if (bytes > RowChunk.FirstBytes) chunk.grow((bytes - RowChunk.FirstBytes).toInt)
    chunk
  }

  /** Appends the rows of chunks for which memory was acquired. Only the last one may have room. */
  def addFilled(chunks: Array[RowChunk]): Unit = synchronized {
    chunks.foreach { chunk =>
      add(chunk)
      rows += chunk.length
    }
  }

  /** See [[Rows.pinned]]. */
  protected def pin(read: Array[RowChunk] => Unit): Boolean = {
    val chunks = synchronized {
      val found = slots.asScala.map(_.chunk).toArray
      isPinned = shift == RowChunk.Shift && !found.contains(null)
      if (isPinned) found else null
    }
    if (chunks != null)
      try read(chunks)
      finally synchronized { isPinned = false }
    chunks != null
  }

  /** Rows of the last chunk. */
  def lastLength: Int = if (active == null) 0 else active.length

  /** Acquires memory of the task, spilling rows if necessary. */
  def reserve(bytes: Long): Unit = if (bytes > 0 && !acquire(bytes)) {
    spillChunks(bytes)
    if (!acquire(bytes)) throw new RowStoreFull(getUsed + bytes)
  }

  protected def chunkOf(row: Long): RowChunk = {
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

  private def load(slot: Slot): RowChunk = {
    synchronized(if (loaded >= StoredChunks.LoadedChunks) dropLeastUsed())
    reserve(RowChunk.firstSize(schema, chunkRows))
    val chunk = new RowChunk(schema, chunkRows)
    synchronized(file.read(slot.position)(chunk.read))
    val extra = chunk.size - RowChunk.firstSize(schema, chunkRows)
    if (extra > 0) reserve(extra)
    synchronized {
      slot.chunk = chunk
      resident.add(slot)
      loaded += 1
      residentRows += chunkRows
    }
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

  override def spill(size: Long, trigger: MemoryConsumer): Long = synchronized {
    if (isPinned) 0L else spillChunks(size)
  }

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
          checkCancelled()
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

private object StoredChunks {

  /** Spilled chunks that are kept in memory after being read again. */
  private final val LoadedChunks = 8
}
