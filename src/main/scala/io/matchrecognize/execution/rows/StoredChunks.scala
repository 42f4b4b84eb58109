package io.matchrecognize.execution.rows

import java.util.LinkedList

import scala.jdk.CollectionConverters._

import org.apache.spark.memory.MemoryConsumer
import org.apache.spark.sql.matchrecognize.{SpillFile, TaskResources}

import io.matchrecognize.execution.task.{HeapArrays, TaskMemory}

/**
 * The chunks of a [[RowStore]], of which the last one is being written.
 *
 * When Spark's memory manager refuses memory, or another operator of the task asks for some, the
 * oldest full chunks go to a file; few spilled chunks that are read again are in memory at a time.
 * Memory for one of them stays reserved, so that reading never fails for want of memory. Any thread
 * of the task may ask for it: a chunk's arrays are never written once it is full, so a reader that
 * still holds them can continue. No memory is asked for while the store's lock is held, see
 * [[TaskMemory]].
 *
 * @param spillThreshold
 *   rows in memory beyond which the store spills on its own
 */
abstract class StoredChunks(schema: StoreSchema, resources: TaskResources, spillThreshold: Int) {
  val memory: TaskMemory = new TaskMemory(resources, spillFor = spillFor)

  private val shift: Int = RowChunk.shift(spillThreshold)
  // Rows of a chunk that is not small.
  private val chunkRows = 1 << shift

  private val slots = new ChunkSlots(shift)
  // Slots with a chunk, in the order in which they got it.
  private[rows] val resident = new LinkedList[ChunkSlot]
  protected var active: RowChunk = _
  protected var rows = 0L
  private var file: SpillFile = _
  private var clock = 0L
  private var loaded = 0
  private var residentRows = 0L
  // Bytes reserved for a spilled chunk that is read again.
  private[rows] var spare = 0L

  // The chunk read last: most reads stay in one chunk.
  private var recent: RowChunk = _

  protected def addChunk(): Unit = {
    memory.checkCancelled()
    val capacity = nextRows
    val isFull = synchronized {
      active = null
      residentRows + capacity > spillThreshold && slots.size > 0
    }
    if (isFull) spillChunks(Long.MaxValue)
    reserve(RowChunk.size(schema, capacity, RowChunk.FirstBytes.toLong))
    synchronized(add(new RowChunk(schema, capacity, RowChunk.FirstBytes), rows))
  }

  // Wide rows leave most of a chunk's arrays empty, so the next ones are smaller.
  private def nextRows: Int =
    if (active == null || active.length == chunkRows) chunkRows
    else math.min(chunkRows, Integer.highestOneBit(active.length) * 4)

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
    memory.free(before)
  }

  /** Whether each chunk has the rows that loops read at a time. */
  protected def hasBlocks: Boolean = shift == RowChunk.Shift && slots.areEven

  /** Acquires memory of the task, spilling rows if necessary. */
  def reserve(bytes: Long): Unit =
    if (bytes > 0 && !takeOrSpill(bytes) && !memory.borrow(bytes))
      throw new RowStoreFull(memory.getUsed + bytes)

  private def takeOrSpill(bytes: Long): Boolean = memory.take(bytes) || {
    spillChunks(bytes)
    memory.take(bytes)
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
    val hasMemory = takeOrSpill(slot.size(schema))
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
    release(slot)
  }

  /** Frees the chunk of a slot that is no longer `resident`, but as much as reads it again. */
  private def release(slot: ChunkSlot): Unit = {
    val chunk = slot.chunk
    if (recent eq chunk) recent = null
    slot.chunk = null
    if (loaded > 0) loaded -= 1
    residentRows -= chunk.capacity
    if (!slot.isInSpare) {
      val kept = math.max(0L, slot.size(schema) - spare)
      spare += kept
      memory.free(chunk.size - kept)
    }
    slot.isInSpare = false
  }

  private def spillFor(size: Long, trigger: MemoryConsumer): Unit = {
    val before = memory.getUsed
    spillChunks(size)
    if (trigger.isInstanceOf[TaskMemory] && (trigger ne memory))
      memory.lend(size - (before - memory.getUsed))
  }

  /** Moves full chunks to the file until `wanted` bytes are free. */
  private def spillChunks(wanted: Long): Unit = synchronized {
    val before = memory.getUsed
    def freed = before - memory.getUsed
    var written = 0L
    val candidates = resident.iterator
    while (candidates.hasNext && freed < wanted) {
      val slot = candidates.next()
      if ((slot.chunk ne active) && !slot.isInSpare) {
        if (slot.position < 0) {
          memory.checkCancelled()
          if (file == null) file = resources.createSpillFile(RowChunk.MaxRows * 8)
          written += slot.write(file)
          loaded += 1 // balanced by release
        }
        candidates.remove()
        release(slot)
      }
    }
    if (written > 0) resources.recordSpill(freed, written)
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
      else if (!slot.isInSpare) memory.free(chunk.size)
      slot.chunk = null
    }
    memory.free(spare)
    spare = 0L
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
    memory.freeAll()
    if (file != null) file.close()
    file = null
  }
}

private object StoredChunks {

  /** Spilled chunks that are kept in memory after being read again. */
  private final val LoadedChunks = 8
}
