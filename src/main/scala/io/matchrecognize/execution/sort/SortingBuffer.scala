package io.matchrecognize.execution.sort

import scala.collection.mutable

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  RowOrdering,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.matchrecognize.{SpillFile, TaskResources}
import org.apache.spark.sql.types.DataType

/**
 * Sorts all rows of a task by PARTITION BY and ORDER BY.
 *
 * Rows are kept in memory while Spark's memory manager has any. When it refuses more, the rows in
 * memory are written to a file as a sorted run; in the end the runs are merged. When another
 * operator of the task asks for memory while sorted rows are read, those still in memory become a
 * run as well.
 *
 * @param spillThreshold
 *   rows in memory beyond which a run is written even if there is memory
 * @param manyPartitions
 *   see [[ArrivedRows]]; tests make it small
 */
final class SortingBuffer(
    spec: SortSpec,
    resources: TaskResources,
    spillThreshold: Int,
    manyPartitions: Int = ArrivedRows.ManyPartitions
) extends MemoryConsumer(
      resources.memoryManager,
      resources.memoryManager.pageSizeBytes,
      MemoryMode.ON_HEAP
    ) {
  private val fields = spec.columns.length
  private val checkCancelled = () => resources.checkCancelled()
  private val arrived = new ArrivedRows(spec, checkCancelled, manyPartitions)
  private val runs = mutable.ArrayBuffer.empty[Array[Long]]
  private var file: SpillFile = _
  private var peak = 0L
  private var sortTime = 0L
  // Rows in memory that are being read; null before and after.
  private var inMemory: MemoryRows = _
  private var spilled: SortedRows = _

  /** Largest number of bytes held at a time. */
  def peakMemory: Long = peak

  /** Nanoseconds that sorting in memory took. */
  def sortNanos: Long = sortTime

  def insert(row: UnsafeRow): Unit = {
    if (arrived.length >= spillThreshold || arrived.isFull) writeRun()
    var more = arrived.growth(row)
    if (more > 0) {
      if (!acquire(more)) {
        if (arrived.length > 0) writeRun()
        more = arrived.growth(row)
        if (!acquire(more)) acquireOrFail(more)
      }
      arrived.grow(row)
    }
    arrived.add(row)
  }

  private def acquire(bytes: Long): Boolean = {
    val got = acquireMemory(bytes)
    if (got < bytes) freeMemory(got)
    else peak = math.max(peak, getUsed)
    got >= bytes
  }

  /** Fails with Spark's own error of operators that get no memory. */
  private def acquireOrFail(bytes: Long): Unit = {
    freeArray(allocateArray((bytes + 7) / 8))
    // Not refused after all.
    if (!acquire(bytes)) throw new IllegalStateException(s"no memory for $bytes bytes of rows")
  }

  private def writeRun(): Unit = {
    runs += write(sortArrived())
    clear()
  }

  private def sortArrived(): MemoryRows = {
    val start = System.nanoTime()
    val rows = arrived.sorted()
    sortTime += System.nanoTime() - start
    rows
  }

  private def write(rows: SortedRows): Array[Long] = {
    if (file == null) file = resources.createSpillFile(0)
    val (held, before) = (getUsed, file.length)
    val run = SpilledRun.write(rows, file, checkCancelled)
    resources.recordSpill(held, file.length - before)
    run
  }

  private def clear(): Unit = {
    arrived.clear()
    freeMemory(getUsed)
  }

  /** Ends the insertion; the rows in order. */
  def sorted(): SortedRows = {
    val rows = sortArrived()
    freeMemory(math.max(0L, getUsed - rows.memory))
    inMemory = rows
    val readers = runs.toIndexedSeq.map(SpilledRun.read(_, file, fields))
    if (readers.isEmpty) Remaining
    else
      new MergedRows(
        readers :+ Remaining,
        RowOrdering.create(spec.partitionOrder ++ spec.orderSpec, spec.columns)
      )
  }

  /** The last run, in memory until `spill` is called. */
  private object Remaining extends SortedRows {
    override def next(): UnsafeRow = SortingBuffer.this.synchronized {
      if (inMemory != null) {
        val row = inMemory.next()
        if (row == null) {
          inMemory = null
          clear()
        }
        row
      } else if (spilled != null) spilled.next()
      else null
    }
  }

  // A row that was returned last stays valid: it refers to its page.
  override def spill(size: Long, trigger: MemoryConsumer): Long = synchronized {
    if (inMemory == null || (trigger eq this)) 0L
    else {
      val held = getUsed
      spilled = SpilledRun.read(write(inMemory.rest), file, fields)
      inMemory = null
      clear()
      held
    }
  }

  /** Frees memory and file. */
  def free(): Unit = synchronized {
    inMemory = null
    spilled = null
    clear()
    if (file != null) file.close()
    file = null
  }
}

/**
 * The rows of a task in order. The first request reads and sorts the whole input.
 *
 * @param onSorted
 *   called once the rows are sorted
 */
final class SortedInput(
    input: Iterator[InternalRow],
    columns: Seq[Attribute],
    buffer: SortingBuffer,
    onSorted: () => Unit
) extends Iterator[InternalRow] {
  private lazy val rows: SortedRows = {
    val toUnsafe = UnsafeProjection.create(columns.map(_.dataType).toArray[DataType])
    input.foreach {
      case row: UnsafeRow => buffer.insert(row)
      case row => buffer.insert(toUnsafe(row))
    }
    val sorted = buffer.sorted()
    onSorted()
    sorted
  }
  private var row: UnsafeRow = _
  private var isFetched = false

  override def hasNext: Boolean = {
    if (!isFetched) {
      row = rows.next()
      isFetched = true
    }
    row != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    isFetched = false
    row
  }
}
