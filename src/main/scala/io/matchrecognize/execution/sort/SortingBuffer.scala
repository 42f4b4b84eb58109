package io.matchrecognize.execution.sort

import scala.annotation.tailrec
import scala.collection.mutable

import org.apache.spark.memory.MemoryConsumer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{RowOrdering, UnsafeRow}
import org.apache.spark.sql.matchrecognize.{SpillFile, TaskResources}

import io.matchrecognize.execution.rows.{RowChunk, ToUnsafe}
import io.matchrecognize.execution.shuffle.{BlockRow, ColumnBlock}
import io.matchrecognize.execution.task.TaskMemory

/**
 * Sorts all rows of a task by PARTITION BY and ORDER BY. Blocks stay as they are; rows that arrive
 * one by one are copied to blocks of whole rows.
 *
 * Rows are kept in memory while Spark's memory manager has any. When it refuses more, the rows in
 * memory are written to a file as a sorted run; in the end the runs are merged. When another
 * operator of the task asks for memory, between two rows that arrive or while sorted rows are read,
 * those in memory become a run as well, unless it were a small one. The merge holds a chunk of each
 * run; when there is no memory for all of them and for the rows of a partition, groups of
 * neighbouring runs are merged before.
 *
 * @param inBlocks
 *   whether rows arrive in blocks
 * @param spillThreshold
 *   rows in memory beyond which a run is written even if there is memory
 * @param manyPartitions
 *   see [[ArrivedRows]]; tests make it small
 * @param leastRun
 *   bytes that rows in memory must have to become a run for another operator; tests make it small
 */
final class SortingBuffer(
    spec: SortSpec,
    resources: TaskResources,
    spillThreshold: Int,
    inBlocks: Boolean = false,
    manyPartitions: Int = ArrivedRows.ManyPartitions,
    leastRun: Long = SortingBuffer.LeastRun
) {
  val memory: TaskMemory = new TaskMemory(resources, spillFor = spillFor)
  private val fields = spec.columns.length
  private val keys: Array[Int] = {
    val read = (spec.partitionSpec ++ spec.orderSpec).flatMap(_.references).map(_.exprId).toSet
    spec.columns.indices.filter(i => !inBlocks || read(spec.columns(i).exprId)).toArray
  }
  private val held = new HeldBlocks(fields, keys)
  private val arrived = new ArrivedRows(
    spec.copy(columns = keys.toSeq.map(spec.columns)),
    held,
    resources.checkCancelled _,
    manyPartitions
  )
  private val toUnsafe = new ToUnsafe(spec.columns)
  private val key = new BlockRow(keys)
  // The block whose rows are being inserted, and the address of its first one.
  private var current: ColumnBlock = _
  private var start = 0
  private val runs = mutable.ArrayBuffer.empty[SpilledRun]
  // Bytes held for the chunks of the runs that are being read.
  private var forReaders = 0L
  private var file: SpillFile = _
  private var sortTime = 0L
  // Rows in memory that are being read; null before and after.
  private var inMemory: BlocksInOrder = _
  private var spilled: SortedRows = _
  private var isArriving = true
  // The thread in which rows arrive, and whether it waits for memory.
  private var inserter: Thread = _
  private var isBusy = false
  // Why rows that had arrived are lost.
  private var failure: Throwable = _

  /** Nanoseconds that sorting in memory took. */
  def sortNanos: Long = sortTime

  def insert(any: InternalRow): Unit = {
    val row = toUnsafe(any)
    prepare(row)
    arrived.add(row, held.append(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes))
  }

  def insert(block: ColumnBlock): Unit = {
    hold(block)
    current = block
    var i = 0
    while (i < block.length) {
      val row = key.of(block, i)
      prepare(row)
      arrived.add(row, start + i)
      i += 1
    }
    current = null
  }

  private def hold(block: ColumnBlock): Unit = {
    checkWhole()
    if (!take(block.size)) {
      if (arrived.length > 0) writeRun()
      must(block.size)
    }
    start = held.add(block)
  }

  /** Makes space for a row. */
  private def prepare(row: UnsafeRow): Unit = {
    checkWhole()
    if (arrived.length >= spillThreshold || arrived.isFull || held.isFull) writeRun()
    val more = growth(row)
    if (more > 0) {
      if (!take(more)) {
        if (arrived.length > 0) writeRun()
        must(growth(row))
      }
      arrived.grow(row)
      if (!inBlocks) held.grow(row.getSizeInBytes)
    }
  }

  /** Bytes to be acquired before a row is added. */
  private def growth(row: UnsafeRow): Long =
    arrived.growth(row) + (if (inBlocks) 0L else held.growth(row.getSizeInBytes))

  private def take(bytes: Long): Boolean = asking(memory.take(bytes))

  private def must(bytes: Long): Unit = asking(memory.must(bytes))

  // Those that are asked to spill for it may ask for memory themselves.
  private def asking[T](request: => T): T = {
    inserter = Thread.currentThread
    isBusy = true
    try request
    finally isBusy = false
  }

  private def checkWhole(): Unit = if (failure != null) throw failure

  private def writeRun(): Unit =
    try {
      runs += write(sortArrived(), memory.getUsed)
      clear()
      // The rest of the block follows.
      if (current != null) hold(current)
    } catch {
      case e: Throwable =>
        // Some operators of Spark go on without the memory that they asked for.
        failure = e
        throw e
    }

  private def sortArrived(): BlocksInOrder = {
    val start = System.nanoTime()
    val rows = arrived.sorted()
    sortTime += System.nanoTime() - start
    rows
  }

  private def write(rows: SortedRows, held: Long): SpilledRun = {
    if (file == null) file = resources.createSpillFile(RowChunk.BufferBytes)
    val before = file.length
    val run = SpilledRun.write(rows, file, resources.checkCancelled _)
    resources.recordSpill(held, file.length - before)
    run
  }

  private def clear(): Unit = {
    arrived.clear()
    memory.free(memory.getUsed - forReaders)
  }

  /** Ends the insertion; the rows in order. */
  def sorted(): SortedRows = {
    checkWhole()
    isArriving = false
    reserveReaders()
    val rows = sortArrived()
    memory.free(math.max(0L, memory.getUsed - rows.memory - forReaders))
    inMemory = rows
    if (runs.isEmpty) Remaining else merged(readers(0, runs.length) :+ Remaining)
  }

  private def readers(from: Int, until: Int): IndexedSeq[SortedRows] =
    runs.slice(from, until).toIndexedSeq.map(_.read(file, fields))

  private def merged(sources: IndexedSeq[SortedRows]): SortedRows =
    new MergedRows(sources, RowOrdering.create(spec.partitionOrder ++ spec.orderSpec, spec.columns))

  private def readerBytes: Long = runs.iterator.map(_.memory).sum

  // A partition needs a chunk that is written, and another one while its earlier rows are on disk.
  private def partitionBytes: Long =
    runs.iterator.map(run => 2 * RowChunk.leastSize(run.largestRow)).maxOption.getOrElse(0L)

  @tailrec
  private def reserveReaders(): Unit = {
    val (bytes, free) = (readerBytes, partitionBytes)
    val got = memory.takeSome(bytes + free)
    if (got == bytes + free || (arrived.length == 0 && runs.length == 1)) {
      if (got < bytes) must(bytes - got)
      memory.free(math.max(0L, got - bytes))
      forReaders = bytes
    } else {
      if (arrived.length == 0) mergeGroups(got, got - free)
      memory.free(got)
      if (arrived.length > 0) writeRun()
      reserveReaders()
    }
  }

  /**
   * Replaces each group of neighbours by one run, until the chunks of all have space in `wanted`. A
   * group has as many runs as have space in `budget`, two at least. Each row is written once at
   * most, so few passes are made however many runs there are. Ties are in the order of the runs.
   */
  private def mergeGroups(budget: Long, wanted: Long): Unit = {
    val after = mutable.ArrayBuffer.empty[SpilledRun]
    var total = readerBytes
    var from = 0
    while (from < runs.length) {
      var until = from + 1
      var bytes = runs(from).memory
      if (total > wanted)
        while (until < runs.length && (until < from + 2 || bytes + runs(until).memory <= budget)) {
          bytes += runs(until).memory
          until += 1
        }
      if (until == from + 1) after += runs(from)
      else {
        val more = math.max(0L, bytes - budget)
        must(more)
        val run = write(merged(readers(from, until)), 0)
        memory.free(more)
        after += run
        total += run.memory - bytes
      }
      from = until
    }
    runs.clear()
    runs ++= after
  }

  /**
   * After `sorted`, the rows by partition; null if a run has some, or partitions are not known, or
   * they have been spilled. Who holds the buffer's lock may use them until it asks for memory.
   */
  private[sort] def partitions: BlocksInOrder =
    if (inMemory != null && inMemory.hasPartitions && runs.isEmpty) inMemory else null

  /** Frees rows in memory that are not read again. */
  private[sort] def drop(): Unit = {
    inMemory = null
    clear()
  }

  /** The last run, in memory until `spill` is called. */
  private object Remaining extends SortedRows {
    override def next(): UnsafeRow = SortingBuffer.this.synchronized {
      if (inMemory != null) {
        val row = inMemory.next()
        if (row == null) drop()
        row
      } else if (spilled != null) spilled.next()
      else null
    }
  }

  // A row that was returned last stays valid: it refers to its block.
  private def spillFor(size: Long, trigger: MemoryConsumer): Unit = synchronized {
    if (trigger eq memory) ()
    else if (isArriving) spillArrived(size)
    else if (inMemory != null) {
      val held = memory.getUsed
      val run = write(inMemory.rest, held - forReaders)
      spilled = run.read(file, fields)
      forReaders = math.min(held, forReaders + run.memory)
      // A reader further down the stack may refer to them.
      inMemory.forget()
      inMemory = null
      clear()
    }
  }

  /**
   * Only for who asks in the thread of the rows, between two of them, and only if the rows hold as
   * much as is asked for, or a large run. However little is asked for, the run is not a small one:
   * many of those would need more memory for their chunks in the merge than they had freed.
   */
  private def spillArrived(size: Long): Unit = {
    val enough = math.max(leastRun, math.min(size, SortingBuffer.LargeRun))
    val isBetweenRows = !isBusy && (Thread.currentThread eq inserter)
    val hasEnough = arrived.length > 0 && memory.getUsed >= enough
    if (failure == null && isBetweenRows && hasEnough) writeRun()
  }

  /** Frees memory and file. */
  def free(): Unit = synchronized {
    isArriving = false
    inMemory = null
    spilled = null
    forReaders = 0
    arrived.clear()
    memory.freeAll()
    if (file != null) file.close()
    file = null
  }
}

private[sort] object SortingBuffer {

  /** Bytes of rows that make a run of eight chunks. */
  final val LeastRun: Long = 1L << 20

  /** Bytes of rows that are written even for who asks for more. */
  private final val LargeRun = 4L << 20
}
