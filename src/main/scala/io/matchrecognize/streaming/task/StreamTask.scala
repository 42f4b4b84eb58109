package io.matchrecognize.streaming.task

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.unsafe.Platform

import io.matchrecognize.execution.rows.{PartitionBoundary, RowsOnDemand}
import io.matchrecognize.execution.task.TaskMemory
import io.matchrecognize.matcher.WorkMeter
import io.matchrecognize.streaming.state.{SearchEntries, StateEntries, StateTable, StoreDirectory}

/**
 * One task of a batch, over one state store: takes the rows of its keys and returns what they
 * decide. [[GroupedTask]] and [[ArrivalTask]] differ in when a row is searched.
 *
 * Beside the partitions that have rows, those are searched whose deadline the watermark has
 * reached. No other partition is touched.
 *
 * The new state is committed when the iterator ends, and only then.
 */
abstract class StreamTask(parts: StreamParts, table: StateTable) extends RowsOnDemand {
  import parts.{commit, metrics, program, resources}

  protected val entries = new StateEntries(table, program.partitionSpec.nonEmpty)
  private val queueMemory = new TaskMemory(resources, TaskMemory.Little)
  protected val directory = new StoreDirectory(entries, queueMemory)
  private val searchEntries = new SearchEntries(entries)
  private val boundary = PartitionBoundary(program.partitionSpec, program.input)
  protected val key: UnsafeRow = PartitionBoundary.emptyRow(program.partitionSpec.length)
  protected val search = new StreamSearches(parts, key)

  private var due: Iterator[(Long, UnsafeRow)] = Iterator.empty
  // Partitions that had rows and a deadline that was reached.
  private val advanced = mutable.HashSet.empty[UnsafeRow]
  // Of `due` and `advanced`: a deadline may be that of very many partitions.
  private val keptKeys = new TaskMemory(resources, TaskMemory.Little)
  private val work = new WorkMeter(resources.checkCancelled _)
  private var searching = false
  private var heldBefore = 0L
  private var openBefore = 0L

  override def next(): InternalRow = {
    val output = super.next()
    metrics.outputRows += 1
    output
  }

  /** Whether a partition is open. */
  protected def isSearching: Boolean = searching

  /** Begins the partition of a row that is not `isOfKey`. */
  protected def beginOf(row: UnsafeRow): Unit = {
    boundary.begin(row)
    begin(boundary.keys)
  }

  /** Whether a row is of the partition that `beginOf` began last. */
  protected def isOfKey(row: UnsafeRow): Boolean = boundary.contains(row)

  /** Says that the partition, which has rows, is searched with a watermark after its deadline. */
  protected def noteAdvanced(): Unit = advanced += kept(key.copy())

  private def kept(partition: UnsafeRow): UnsafeRow = {
    keptKeys.must(partition.getSizeInBytes + KeyObjectBytes)
    partition
  }

  private def begin(partition: UnsafeRow): Unit = {
    work.add(1)
    if (program.partitionSpec.nonEmpty) key.copyFrom(partition)
    searchEntries.begin(key)
    search.begin(searchEntries)
    heldBefore = search.heldRows
    openBefore = search.openAttempts
    searching = true
  }

  /** Takes the partitions whose deadline the watermark has reached. */
  protected def takeDue(watermark: Long): Unit = {
    val keys = mutable.ArrayBuffer.empty[(Long, UnsafeRow)]
    directory.deadlines.take(watermark) { (time, bytes, start, length) =>
      val partition = new UnsafeRow(program.partitionSpec.length)
      partition.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + start.toLong, length)
      keys += time -> kept(partition)
    }
    due = keys.iterator
  }

  /**
   * The next of the partitions that were taken which has had no ready rows; false after the last
   * one, which lets go of them.
   */
  protected def beginTaken(watermark: Long): Boolean = {
    while (due.hasNext && !searching) {
      val (time, partition) = due.next()
      if (!advanced(partition)) {
        begin(partition)
        // Otherwise the partition has been given another deadline since.
        searching = search.queuedDeadline == time
        if (searching) {
          search.queuedDeadline = Long.MaxValue
          search.advanceTo(watermark)
        }
      }
    }
    if (!searching) {
      due = Iterator.empty
      advanced.clear()
      keptKeys.freeAll()
    }
    searching
  }

  /** Saves the open partition, after `search.nextRow` returned null. */
  protected def endPartition(): Unit = {
    searching = false
    if (search.heldRows > heldBefore)
      program.limits.checkHeldRows(search.heldRows, search.textsOfHolder, key)
    val deadline = search.deadline
    if (deadline < search.queuedDeadline) {
      search.queuedDeadline = deadline
      directory.deadlines.add(deadline, key.getBaseObject, key.getBaseOffset, key.getSizeInBytes)
    }
    search.save()
    program.limits.checkKeys(directory.keys + searchEntries.addedKeys)
    directory.heldRows += search.heldRows - heldBefore
    directory.openAttempts += search.openAttempts - openBefore
    metrics.outOfOrderRows += search.outOfOrderRows
  }

  /** Writes what is left and commits. */
  protected def end(): Unit = {
    directory.keys += searchEntries.addedKeys
    directory.searchBytes += searchEntries.addedBytes
    directory.save(program.readyMicros)
    // The Spark task may go on to read further partitions, of a coalesced RDD.
    queueMemory.freeAll()
    search.free()
    metrics.pendingRows += directory.pending.count
    metrics.heldRows += directory.heldRows
    metrics.openAttempts += directory.openAttempts
    metrics.keys += directory.keys
    metrics.bytes += directory.bytes
    noteWrites()
    commit()
  }

  /** Counts the entries written and removed. */
  protected def noteWrites(): Unit

  /** Of a key beside its bytes: the objects that hold it. */
  private final val KeyObjectBytes = 120L
}
