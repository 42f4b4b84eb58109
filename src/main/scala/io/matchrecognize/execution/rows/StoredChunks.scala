package io.matchrecognize.execution.rows

import java.util.LinkedList

import scala.jdk.CollectionConverters._

import org.apache.spark.memory.MemoryConsumer
import org.apache.spark.sql.matchrecognize.{SpillFile, TaskResources}

import io.matchrecognize.execution.task.{HeapArrays, RowMemory}

/**
 * The chunks of a [[RowStore]], of which the last one is being written.
 *
 * When Spark's memory manager refuses memory, or another operator of the task asks for some, the
 * oldest full chunks go to a file; few spilled chunks that are read again are in memory at a time.
 * Memory for one of them stays reserved, so that reading never fails for want of memory. `spill`
 * may be called by any thread of the task: a chunk's arrays are never written once it is full, so a
 * reader that still holds them can continue. The memory manager calls it under a lock that every
 * request for memory takes, so none is made while the store's own is held.
 *
 * @param spillThreshold
 *   rows in memory beyond which the store spills on its own
 */
abstract class StoredChunks(schema: StoreSchema, resources: TaskResources, spillThreshold: Int)
    extends RowMemory(resources) {

  private val shift: Int = RowChunk.shift(spillThreshold)
  private val sizes = new ChunkSizes(schema, shift)
  import sizes.chunkRows

  private val slots = new ChunkSlots(shift)
  // Slots with a chunk, in the order in which they got it.
  private[rows] val resident = new LinkedList[ChunkSlot]
  protected var active: RowChunk = _
  protected var rows = 0L
  private var file: SpillFile = _
  private var clock = 0L
  private var loaded = 0
  private var residentRows = 0L
  private[rows] val accounts = new ChunkAccounts

  // The chunk read last: most reads stay in one chunk.
  private var recent: RowChunk = _

  protected def addChunk(): Unit = {
    checkCancelled()
    val capacity = sizes.next(active)
    val isFull = synchronized {
      active = null
      residentRows + capacity > spillThreshold && slots.size > 0
    }
    if (isFull) spillChunks(Long.MaxValue)
    reserve(sizes.empty(capacity))
    synchronized(add(new RowChunk(schema, capacity, RowChunk.FirstBytes), rows))
  }

  private def add(chunk: RowChunk, first: Long): Unit = {
    resident.add(slots.add(chunk, first))
    active = chunk
    residentRows += chunk.capacity
  }

  /** Makes the byte area of the last chunk larger. */
  protected def grow(size: Int): Unit = {
    // Until it is copied, there are two of them.
    val before = HeapArrays.filled(active.byteArea.toLong)
    reserve(size.toLong)
    active.grow(size)
    synchronized(giveBack(before): Unit)
  }

  /** Whether each chunk has the rows that loops read at a time. */
  protected def hasBlocks: Boolean = shift == RowChunk.Shift && slots.areEven

  /** Rows of the last chunk. */
  def lastLength: Int = if (active == null) 0 else active.length

  /** Acquires memory of the task, spilling rows if necessary. */
  def reserve(bytes: Long): Unit = if (bytes > 0 && !acquire(bytes)) {
    spillChunks(bytes)
    if (!acquire(bytes) && !synchronized(accounts.lend(bytes)))
      throw new RowStoreFull(getUsed + bytes)
  }

  /** Acquires memory for a cache; none while rows have some of what caches hold. */
  def tryReserve(bytes: Long): Boolean = !accounts.owes && acquireForCache(bytes) && synchronized {
    accounts.addCached(bytes)
    true
  }

  def release(bytes: Long): Unit = synchronized {
    accounts.dropCached(bytes)
    giveBack(bytes): Unit
  }

  /** Frees memory, after what was lent is made up for; returns the bytes freed. */
  private def giveBack(bytes: Long): Long = {
    val freed = accounts.settle(bytes)
    freeMemory(freed)
    freed
  }

  protected def chunkOf(row: Long): RowChunk = {
    // Another thread's spill may drop it meanwhile.
    val chunk = recent
    if (chunk != null && chunk.contains(row)) chunk else findChunk(row)
  }

  private def findChunk(row: Long): RowChunk = {
    val slot = slots.of(row)
    clock += 1
    slot.lastUse = clock
    val inMemory = slot.chunk
    val chunk = if (inMemory != null) inMemory else load(slot)
    recent = chunk
    chunk
  }

  private def load(slot: ChunkSlot): RowChunk = {
    synchronized(if (loaded >= StoredChunks.LoadedChunks) dropLeastUsed())
    val hasMemory = acquire(slot.size(schema)) || {
      spillChunks(slot.size(schema))
      acquire(slot.size(schema))
    }
    val chunk = new RowChunk(schema, slot.rows, slot.bytes)
    synchronized {
      if (!hasMemory) takeSpare(slot)
      slot.read(file, chunk)
      resident.add(slot)
      loaded += 1
      residentRows += chunk.capacity
    }
    chunk
  }

  /** Puts a slot in the place of the one whose chunk is in the reserved space. */
  private def takeSpare(slot: ChunkSlot): Unit = {
    resident.asScala.find(_.isInSpare).foreach(drop)
    slot.isInSpare = true
  }

  private def dropLeastUsed(): Unit =
    resident.asScala.filter(_.position >= 0).minByOption(_.lastUse).foreach(drop)

  private def drop(slot: ChunkSlot): Unit = {
    resident.remove(slot)
    release(slot): Unit
  }

  /** Frees the chunk of a slot that is no longer `resident`; returns the bytes freed. */
  private def release(slot: ChunkSlot): Long = {
    val chunk = slot.chunk
    if (recent eq chunk) recent = null
    slot.chunk = null
    if (loaded > 0) loaded -= 1
    residentRows -= chunk.capacity
    val unused = if (slot.isInSpare) 0L else chunk.size - accounts.keepSpare(slot.size(schema))
    slot.isInSpare = false
    giveBack(unused)
  }

  override def spill(size: Long, trigger: MemoryConsumer): Long = synchronized {
    if (isForCache(trigger)) 0L
    else {
      val freed = spillChunks(size)
      freed + (if (trigger.isInstanceOf[RowMemory] && (trigger ne this)) lendTo(size - freed)
               else 0L)
    }
  }

  /** What caches hold, for rows that another consumer of the clause has. */
  private def lendTo(missing: Long): Long = {
    val bytes = accounts.lendUpTo(missing)
    freeMemory(bytes)
    bytes
  }

  /** Moves full chunks to the file until `wanted` bytes are free; returns the bytes freed. */
  private def spillChunks(wanted: Long): Long = synchronized {
    var freed = 0L
    var written = 0L
    val candidates = resident.iterator
    while (candidates.hasNext && freed < wanted) {
      val slot = candidates.next()
      if ((slot.chunk ne active) && !slot.isInSpare) {
        if (slot.position < 0) {
          checkCancelled()
          if (file == null) file = resources.createSpillFile(RowChunk.MaxRows * 8)
          written += slot.write(file)
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
    if (slots.size == 1 && slots.first.position < 0 && active != null && active.isSmall) {
      active.clear()
      rows = 0
    } else clearChunks()
  }

  private def clearChunks(): Unit = {
    recent = null
    var keep: RowChunk = null
    resident.forEach { slot =>
      val chunk = slot.chunk
      val isKept = keep == null && chunk.isSmall && chunk.capacity == chunkRows && !slot.isInSpare
      if (isKept) keep = chunk
      else if (!slot.isInSpare) giveBack(chunk.size): Unit
      slot.chunk = null
    }
    giveBack(accounts.dropSpare()): Unit
    slots.clear()
    resident.clear()
    loaded = 0
    residentRows = 0
    rows = 0
    active = null
    if (file != null) file.clear()
    if (keep != null) {
      keep.clear()
      add(keep, 0L)
    }
  }

  /** Frees memory and file. */
  def free(): Unit = synchronized {
    clear()
    recent = null
    slots.clear()
    resident.clear()
    active = null
    freeMemory(getUsed)
    accounts.clear()
    if (file != null) file.close()
    file = null
  }
}

private object StoredChunks {

  /** Spilled chunks that are kept in memory after being read again. */
  private final val LoadedChunks = 8
}
