package io.matchrecognize.streaming.state

import java.io.{ByteArrayOutputStream, DataOutputStream}

import io.matchrecognize.execution.task.Memory

/**
 * What is known about a whole state store: its queues, how far rows were handed on, and totals.
 * Read when a task begins, written when it ends; an otherwise empty store has none.
 */
final class StoreDirectory(entries: StateEntries, memory: Memory) {
  val pending = new TimeQueue(StateLayout.Pending, entries, memory)
  val deadlines = new TimeQueue(StateLayout.Deadlines, entries, memory)

  /** The latest time of a row that the limit on pending rows has handed on. */
  var handedOn: Long = Long.MinValue

  /** Partitions with state. */
  var keys = 0L
  var heldRows = 0L
  var openAttempts = 0L

  /** Bytes of the searches. */
  var searchBytes = 0L

  private val before: Array[Byte] = entries.get(StateLayout.Directory, null, 0L)
  if (before != null) {
    val in = StateLayout.input(before)
    handedOn = in.readLong()
    keys = in.readLong()
    heldRows = in.readLong()
    openAttempts = in.readLong()
    searchBytes = in.readLong()
    pending.read(in)
    deadlines.read(in)
  }

  /** Bytes of all entries but this one. */
  def bytes: Long = searchBytes + pending.bytes + deadlines.bytes

  /** @param watermark up to which all rows were searched */
  def save(watermark: Long): Unit = {
    pending.flush()
    deadlines.flush()
    if (pending.isEmpty && deadlines.isEmpty && keys == 0 && handedOn <= watermark) {
      if (before != null) entries.remove(StateLayout.Directory, null, 0L)
    } else {
      val after = written
      if (before == null || !java.util.Arrays.equals(before, after))
        entries.put(StateLayout.Directory, null, 0L, after)
    }
  }

  private def written: Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    out.writeByte(StateLayout.Format)
    out.writeLong(handedOn)
    out.writeLong(keys)
    out.writeLong(heldRows)
    out.writeLong(openAttempts)
    out.writeLong(searchBytes)
    pending.write(out)
    deadlines.write(out)
    bytes.toByteArray
  }
}
