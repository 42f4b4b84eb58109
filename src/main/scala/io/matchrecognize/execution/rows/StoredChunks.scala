package io.matchrecognize.execution.rows

import java.util.LinkedList

import scala.annotation.tailrec
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

  private val shift: Int = RowChunk.shift(schema, spillThreshold)
  // Rows of a full chunk, unless they are wide.
  private val chunkRows = 1 << shift

  private val slots = new ChunkSlots(shift)
  // Slots with a chunk, in the order in which they got it.
  private[rows] val resident = new LinkedList[ChunkSlot]
  protected var active: RowChunk = _
  protected var rows = 0L
  private var file: SpillFile = _
  private var clock = 0L
  private var loaded = 0
  // Rows of the full chunks in memory.
  private var residentRows = 0L
  // Bytes reserved for a spilled chunk that is read again.
  private[rows] var spare = 0L

  // The chunk read last: most reads stay in one chunk.
  private var recent: RowChunk = _

  /**
   * Makes room for a row, with so many bytes of variable length, in the last chunk or a new one: if
   * the last one is full, or there is no memory for a larger one.
   */
  @tailrec
  final protected def makeRoom(bytes: Long): Unit = {
    if (active == null || active.isFull) addChunk()
    val forRows = if (active.room > 0) 0L else active.growthOfRows
    val size = active.grownSize(bytes)
    val more = forRows + size
    if (more > 0 && active.length > 0 && !takeOrSpill(more)) {
      addChunk()
      makeRoom(bytes)
    } else {
      if (active.length == 0) acquire(more, isForRows = true)
      if (forRows > 0) active.growRows()
      if (size > 0) growTo(size)
    }
  }

  // Until it is copied, there are two byte areas.
  private def growTo(size: Int): Unit = {
    val before = HeapArrays.filled(active.byteArea.toLong)
    active.grow(size)
    memory.free(before)
  }

  /** Makes the byte area of the last chunk larger, in the middle of a row. */
  protected def grow(size: Int): Unit = {
    acquire(size.toLong, isForRows = true)
    growTo(size)
  }

  private def addChunk(): Unit = {
    memory.checkCancelled()
    val (wanted, least) = (nextRows, RowChunk.firstRows(chunkRows))
    val isBeyond = synchronized {
      if (active != null) residentRows += active.length
      active = null
      residentRows + chunkRows > spillThreshold && slots.size > 0
    }
    if (isBeyond) spillChunks(Long.MaxValue)
    val first = if (wanted > least && takeOrSpill(newSize(wanted))) wanted else least
    if (first == least) acquire(newSize(least), isForRows = true)
    synchronized(add(new RowChunk(schema, first, chunkRows, RowChunk.FirstBytes), rows))
  }

  private def newSize(rows: Int): Long = RowChunk.size(schema, rows, RowChunk.FirstBytes.toLong)

  // A chunk is as large as those before; the first one begins small, since partitions may be.
  private def nextRows: Int =
    if (active == null) RowChunk.firstRows(chunkRows)
    else math.min(chunkRows, Integer.highestOneBit(active.length) * 2)

  private def add(chunk: RowChunk, first: Long): Unit = {
    resident.add(slots.add(chunk, first))
    active = chunk
  }

  /** Whether all chunks but the last one have as many rows, a power of two. */
  protected def areEven: Boolean = slots.areEven

  /** Acquires memory of the task for what is kept beside the rows, spilling these if necessary. */
  def reserve(bytes: Long): Unit = acquire(bytes, isForRows = false)

  private def acquire(bytes: Long, isForRows: Boolean): Unit =
    if (bytes > 0 && !takeOrSpill(bytes) && !memory.borrow(bytes))
      throw new RowStoreFull(memory.getUsed + bytes, isForRows)

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
    synchronized(if (loaded >= LoadedChunks) dropLeastUsed())
    val hasMemory = takeOrSpill(slot.size(schema))
    val chunk = new RowChunk(schema, slot.rows, slot.rows, slot.bytes)
    synchronized {
      if (!hasMemory) takeSpare(slot)
      slot.read(file, chunk)
      resident.add(slot)
      loaded += 1
      residentRows += chunk.length
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
    residentRows -= chunk.length
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
          if (file == null) file = resources.createSpillFile(RowChunk.BufferBytes)
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
      if (keep == null && chunk.isSmall && slot.position < 0) keep = chunk
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

  /** Spilled chunks that are kept in memory after being read again. */
  private final val LoadedChunks = 8
}
