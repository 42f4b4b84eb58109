package io.matchrecognize.streaming.task

import java.util.LinkedHashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.task.TaskMemory
import io.matchrecognize.streaming.state.StateTable

/**
 * A state store whose entries stay in memory, the least recently used of them only as long as there
 * is some: where rows are searched one by one, a key is read and saved for each of its rows. An
 * entry is written to the store when it leaves the memory, and by `close`.
 *
 * The memory is counted and returned when another part of the task needs it; beyond `maxBytes` one
 * entry is kept.
 */
final class CachedTable(
    table: StateTable,
    resources: TaskResources,
    maxBytes: Long = CachedTable.MaxBytes
) extends StateTable {
  import CachedTable._

  private val held = new LinkedHashMap[UnsafeRow, Entry](64, 0.75f, true)
  private var heldBytes = 0L
  // The thread that uses the table, which may not be the one that made it.
  @volatile private var owner = Thread.currentThread
  // While the entries are changed, none can leave for others.
  @volatile private var isBusy = false
  private var updateCount = 0L
  private var removeCount = 0L

  private val memory = new TaskMemory(
    resources,
    TaskMemory.Little,
    (_, _) => if (!isBusy && (Thread.currentThread eq owner)) writeAll()
  )

  /** Entries written to the store. */
  def updates: Long = updateCount

  /** Entries removed from the store. */
  def removals: Long = removeCount

  override def get(key: UnsafeRow): UnsafeRow = busy {
    val found = held.get(key)
    if (found != null) found.value
    else {
      val stored = table.get(key)
      val entry = new Entry(copied(stored), stored != null)
      add(key, entry)
      entry.value
    }
  }

  override def put(key: UnsafeRow, value: UnsafeRow): Unit = change(key, value)

  override def remove(key: UnsafeRow): Unit = change(key, null)

  private def change(key: UnsafeRow, value: UnsafeRow): Unit = busy {
    val found = held.get(key)
    if (found == null) add(key, new Entry(copied(value), isStored = true, isChanged = true))
    else {
      val before = found.bytes
      found.value = copied(value)
      found.isChanged = true
      grow(found.bytes - before)
    }
  }

  private def copied(value: UnsafeRow): UnsafeRow = if (value == null) null else value.copy()

  /** Writes all entries. */
  def close(): Unit = writeAll()

  private def busy[T](body: => T): T = {
    isBusy = true
    owner = Thread.currentThread
    try body
    finally isBusy = false
  }

  private def add(key: UnsafeRow, entry: Entry): Unit = {
    val copy = key.copy()
    entry.keyBytes = copy.getSizeInBytes
    held.put(copy, entry)
    grow(entry.bytes)
  }

  /** Makes room for the entry that was used last; if there is none, it leaves, too. */
  private def grow(bytes: Long): Unit = {
    heldBytes += bytes
    if (bytes <= 0) memory.release(-bytes)
    else {
      while (heldBytes > maxBytes && held.size > 1) evict()
      var isKept = memory.may(bytes)
      while (!isKept && held.size > 1) {
        evict()
        isKept = memory.may(bytes)
      }
      if (!isKept) writeAll()
    }
  }

  /** Writes the entry that was used the longest time ago, and forgets it. */
  private def evict(): Unit = {
    val eldest = held.entrySet.iterator
    val next = eldest.next()
    write(next.getKey, next.getValue)
    eldest.remove()
    heldBytes -= next.getValue.bytes
    memory.release(next.getValue.bytes)
  }

  private def writeAll(): Unit = {
    held.forEach((key, entry) => write(key, entry))
    held.clear()
    heldBytes = 0
    memory.freeAll()
  }

  private def write(key: UnsafeRow, entry: Entry): Unit =
    if (entry.isChanged) {
      if (entry.value != null) {
        updateCount += 1
        table.put(key, entry.value)
      } else if (entry.isStored) {
        removeCount += 1
        table.remove(key)
      }
    }
}

object CachedTable {

  /** Of a task. */
  final val MaxBytes: Long = 64L << 20

  /** Of an entry beside its bytes: the objects that hold it. */
  private final val ObjectBytes = 240L

  /**
   * @param isStored
   *   whether the store may have it
   */
  private final class Entry(
      var value: UnsafeRow,
      val isStored: Boolean,
      var isChanged: Boolean = false
  ) {
    var keyBytes = 0

    def bytes: Long = ObjectBytes + keyBytes + (if (value == null) 0 else value.getSizeInBytes)
  }
}
