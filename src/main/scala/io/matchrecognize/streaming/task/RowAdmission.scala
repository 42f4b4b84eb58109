package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, SortOrder, UnsafeRow}
import org.apache.spark.unsafe.Platform

import io.matchrecognize.execution.rows.ToUnsafe
import io.matchrecognize.execution.sort.{SortSpec, SortedRows, SortingBuffer}
import io.matchrecognize.streaming.state.StoreDirectory

/**
 * Divides the rows of a batch that are not late, see [[RowTimes]], by event time: ready ones go to
 * the sort, pending ones wait in the store.
 *
 * In the order of arrival all rows that are not late are ready, and the sort, which is stable, only
 * brings those of a partition together.
 */
final class RowAdmission(parts: StreamParts, directory: StoreDirectory) {
  import parts.{metrics, program, resources}

  private val times = new RowTimes(program)
  private val queued = new UnsafeRow(program.input.length)
  private val ready = new SortingBuffer(readyOrder, resources, program.task.spillThreshold)
  resources.onCompletion(() => free())

  /** Frees the rows that are ready, and their file. */
  def free(): Unit = ready.free()

  /** The rows that are ready, partition by partition, each in its order. */
  def readyRows(): SortedRows = ready.sorted()

  /** @return the time up to which rows were handed on: the watermark, or beyond it */
  def admit(rows: Iterator[InternalRow]): Long = {
    val watermark = math.max(program.readyMicros, directory.handedOn)
    val lateTime = math.max(program.lateMicros, directory.handedOn)
    takePending(watermark)
    var row = times.next(rows, lateTime)
    while (row != null) {
      admitRow(row, watermark)
      row = times.next(rows, lateTime)
    }
    times.note(metrics)
    handOn(watermark)
  }

  private def admitRow(row: UnsafeRow, watermark: Long): Unit = {
    val time = times.timeOf(row)
    if (time <= watermark || program.inOrderOfArrival) ready.insert(row)
    else directory.pending.add(time, row.getBaseObject, row.getBaseOffset, row.getSizeInBytes)
  }

  // Any order of the partitions will do.
  private def readyOrder: SortSpec = {
    val keys = program.partitionSpec
    val order = keys.distinctBy(_.canonicalized).map(SortOrder(_, Ascending))
    SortSpec(program.input, keys, order, if (program.inOrderOfArrival) Nil else program.orderSpec)
  }

  private def takePending(time: Long): Unit =
    directory.pending.take(time) { (_, bytes, start, length) =>
      queued.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + start.toLong, length)
      ready.insert(queued)
    }

  /** Enforces the limit on pending rows. */
  private def handOn(watermark: Long): Long = {
    val pending = directory.pending
    val excess = pending.count - program.limits.pendingRows
    if (program.limits.pendingRows <= 0 || excess <= 0) watermark
    else {
      val time = pending.timeOfOldest(excess)
      val before = pending.count
      takePending(time)
      metrics.handedOnRows += before - pending.count
      directory.handedOn = time
      time
    }
  }
}

/**
 * Takes the rows of a batch as they arrive and drops those that are late. A row without a time is
 * an error or dropped. Both are counted.
 */
final class RowTimes(program: StreamProgram) {
  private val toUnsafe = new ToUnsafe(program.input)
  private val timeOrdinal = program.timeOrdinal
  private val isNullable = program.input(timeOrdinal).nullable
  private var received = 0L
  private var late = 0L
  private var withoutTime = 0L
  // How much earlier than `lateTime` a row was, in microseconds.
  private var oldest = 0L

  /** The next row that is not dropped, valid until the next call; null after the last one. */
  def next(rows: Iterator[InternalRow], lateTime: Long = program.lateMicros): UnsafeRow = {
    var row: UnsafeRow = null
    while (row == null && rows.hasNext) {
      received += 1
      val found = toUnsafe(rows.next())
      if (isNullable && found.isNullAt(timeOrdinal)) {
        if (!program.limits.dropNullTimes) throw program.limits.nullTime
        withoutTime += 1
      } else if (timeOf(found) <= lateTime) {
        late += 1
        oldest = math.max(oldest, lateTime - timeOf(found))
      } else row = found
    }
    row
  }

  /** Of a row with a time, in microseconds. */
  def timeOf(row: UnsafeRow): Long = row.getLong(timeOrdinal)

  /** Adds what was counted. */
  def note(metrics: StreamMetrics): Unit = {
    metrics.receivedRows += received
    metrics.lateRows += late
    metrics.oldestLateMs.set(math.max(metrics.oldestLateMs.value, oldest / 1000))
    metrics.nullTimeRows += withoutTime
  }
}
