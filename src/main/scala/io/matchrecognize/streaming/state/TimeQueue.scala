package io.matchrecognize.streaming.state

import java.io.{DataInput, DataOutput}

import scala.collection.mutable

import io.matchrecognize.execution.task.Memory

/**
 * A log-structured merge tree of entries of bytes by time, in the state store. Entries of any time
 * can be added, and are taken up to a time.
 *
 * Entries are in chunks that are written once: a run is a sequence of chunks with ascending times.
 * How much of a chunk was taken is noted in the store's directory, and a chunk that was taken
 * completely is removed. Eight runs of similar length are merged into one, so that each entry is
 * rewritten O(log n) times, and a watermark splits at most one chunk per run.
 */
final class TimeQueue(kind: Byte, entries: StateEntries, memory: Memory) {
  import TimeQueue._

  private val runs = mutable.ArrayBuffer.empty[Run]
  private val buffer = new TimedBuffer(memory)
  private var nextNumber = 0L
  private var entryCount = 0L
  private var byteCount = 0L

  /** Entries in the queue. */
  def count: Long = entryCount

  /** Bytes of its chunks. */
  def bytes: Long = byteCount

  def isEmpty: Boolean = entryCount == 0

  /** The time of the oldest entry, Long.MaxValue if there is none. */
  def first: Long = {
    seal()
    runs.iterator.map(_.chunks.head.first).minOption.getOrElse(Long.MaxValue)
  }

  /** Chunks in the store; for tests. */
  def chunkCount: Int = runs.map(_.chunks.length).sum

  def runCount: Int = runs.length

  def add(time: Long, source: AnyRef, offset: Long, size: Int): Unit = {
    addToBuffer(time, source, offset, size)
    entryCount += 1
    if (buffer.isFull) seal()
  }

  private def addToBuffer(time: Long, source: AnyRef, offset: Long, size: Int): Unit =
    if (!buffer.add(time, source, offset, size)) {
      seal()
      buffer.add(time, source, offset, size): Unit
    }

  /** Writes what was added and merges runs; to be called before the directory is written. */
  def flush(): Unit = {
    seal()
    while (mergeOnce()) {}
  }

  private def seal(): Unit = if (!buffer.isEmpty) {
    val run = new Run
    buffer.drain { bytes =>
      val stored = TimedChunk.packed(bytes)
      val last = TimedChunk.count(bytes) - 1
      val chunk = new Chunk(
        nextNumber,
        TimedChunk.time(bytes, 0),
        TimedChunk.time(bytes, last),
        last + 1,
        0,
        bytes.length,
        stored.length
      )
      entries.put(kind, null, nextNumber, stored)
      nextNumber += 1
      byteCount += stored.length
      run.chunks += chunk
    }
    runs += run
  }

  /** Removes the entries up to `time` and passes them on, in no order. */
  def take(time: Long)(consume: EntryConsumer): Unit = {
    seal()
    runs.foreach { run =>
      while (run.chunks.nonEmpty && run.chunks.head.first <= time)
        if (!takeFrom(run.chunks.head, time, consume)) {
          drop(run.chunks.remove(0))
        }
    }
    runs.filterInPlace(_.chunks.nonEmpty)
  }

  /** Whether entries after `time` are left. */
  private def takeFrom(chunk: Chunk, time: Long, consume: EntryConsumer): Boolean = {
    val bytes = load(chunk)
    var i = chunk.taken
    while (i < chunk.count && TimedChunk.time(bytes, i) <= time) {
      val start = TimedChunk.start(bytes, i)
      consume(TimedChunk.time(bytes, i), bytes, start, TimedChunk.end(bytes, i) - start)
      i += 1
    }
    entryCount -= i - chunk.taken
    chunk.taken = i
    if (i < chunk.count) chunk.first = TimedChunk.time(bytes, i)
    i < chunk.count
  }

  private def load(chunk: Chunk): Array[Byte] = {
    memory.checkCancelled()
    val bytes = entries.get(kind, null, chunk.number)
    if (bytes == null) throw new IllegalStateException(s"no chunk ${chunk.number} of kind $kind")
    TimedChunk.unpacked(bytes)
  }

  private def drop(chunk: Chunk): Unit = {
    entries.remove(kind, null, chunk.number)
    byteCount -= chunk.stored
  }

  /**
   * The time of the last of the `wanted` oldest entries, of all if there are fewer: the runs are
   * merged until then, with the times of one chunk of each in memory.
   */
  def timeOfOldest(wanted: Long): Long = {
    seal()
    val oldestFirst = Ordering.by[Cursor, Long](_.time).reverse
    val cursors = mutable.PriorityQueue.from(runs.map(new Cursor(_)))(oldestFirst)
    var passed = 0L
    var time = Long.MaxValue
    while (passed < wanted && cursors.nonEmpty) {
      val cursor = cursors.dequeue()
      val next = if (cursors.isEmpty) Long.MaxValue else cursors.head.time
      do {
        time = cursor.time
        passed += 1
        cursor.advance()
      } while (passed < wanted && cursor.hasTime && cursor.time <= next)
      if (cursor.hasTime) cursors.enqueue(cursor)
    }
    cursors.foreach(_.free())
    time
  }

  /** Passes over the times of a run. */
  private final class Cursor(run: Run) {
    private var chunk = 0
    private var times = Array.emptyLongArray
    private var place = 0
    read()

    def hasTime: Boolean = place < times.length

    def time: Long = times(place)

    def advance(): Unit = {
      place += 1
      if (!hasTime) {
        chunk += 1
        free()
        if (chunk < run.chunks.length) read()
      }
    }

    def free(): Unit = {
      memory.release(times.length * 8L)
      times = Array.emptyLongArray
      place = 0
    }

    private def read(): Unit = {
      val read = run.chunks(chunk)
      memory.must(read.left * 8L)
      val bytes = load(read)
      times = Array.tabulate(read.left)(i => TimedChunk.time(bytes, read.taken + i))
    }
  }

  private def mergeOnce(): Boolean = {
    val mergeable = runs.filter(run => run.left <= MaxMerged / FanIn && run.bytes <= MaxMergedBytes)
    val group = mergeable.groupBy(_.level).values.find(_.length >= FanIn).map(_.take(FanIn).toSeq)
    // Without memory for all of its entries at once, a group waits.
    group.exists { runs =>
      val hasSpace = buffer.makeSpace(runs.map(_.left).sum.toInt, runs.map(_.bytes).sum.toInt)
      if (hasSpace) merge(runs)
      hasSpace
    }
  }

  private def merge(group: Seq[Run]): Unit = {
    runs.filterInPlace(!group.contains(_))
    group.flatMap(_.chunks).foreach { chunk =>
      val bytes = load(chunk)
      for (i <- chunk.taken until chunk.count) {
        val start = TimedChunk.start(bytes, i)
        val offset = org.apache.spark.unsafe.Platform.BYTE_ARRAY_OFFSET + start.toLong
        val size = TimedChunk.end(bytes, i) - start
        addToBuffer(TimedChunk.time(bytes, i), bytes, offset, size)
      }
      drop(chunk)
    }
    seal()
  }

  def write(out: DataOutput): Unit = {
    out.writeLong(nextNumber)
    out.writeInt(runs.length)
    runs.foreach { run =>
      out.writeInt(run.chunks.length)
      run.chunks.foreach { chunk =>
        out.writeLong(chunk.number)
        out.writeLong(chunk.first)
        out.writeLong(chunk.last)
        out.writeInt(chunk.count)
        out.writeInt(chunk.taken)
        out.writeInt(chunk.bytes)
        out.writeInt(chunk.stored)
      }
    }
  }

  def read(in: DataInput): Unit = {
    nextNumber = in.readLong()
    for (_ <- 0 until in.readInt()) {
      val run = new Run
      for (_ <- 0 until in.readInt()) {
        val chunk = new Chunk(
          in.readLong(),
          in.readLong(),
          in.readLong(),
          in.readInt(),
          in.readInt(),
          in.readInt(),
          in.readInt()
        )
        entryCount += chunk.left
        byteCount += chunk.stored
        run.chunks += chunk
      }
      runs += run
    }
  }
}

object TimeQueue {

  /** Takes an entry; the bytes do not change until the end of the batch. */
  trait EntryConsumer { def apply(time: Long, bytes: Array[Byte], start: Int, length: Int): Unit }

  private final val FanIn = 8
  private final val MaxMerged = TimedBuffer.MaxEntries
  private final val MaxMergedBytes = TimedBuffer.MaxBytes / FanIn

  /**
   * @param first
   *   time of the first entry that was not taken
   * @param stored
   *   of its bytes
   */
  private final class Chunk(
      val number: Long,
      var first: Long,
      val last: Long,
      val count: Int,
      var taken: Int,
      val bytes: Int,
      val stored: Int
  ) {
    def left: Int = count - taken
  }

  private final class Run {
    val chunks = mutable.ArrayBuffer.empty[Chunk]
    def left: Long = chunks.iterator.map(_.left.toLong).sum
    def bytes: Long = chunks.iterator.map(_.bytes.toLong).sum

    /** Runs of one level have counts between the same two powers of eight. */
    def level: Int = (63 - java.lang.Long.numberOfLeadingZeros(math.max(left, 1L))) / 3
  }
}
