package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.execution.rows.ToUnsafe

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

  /** The next row that is not dropped, valid until the next call; null after the last one. */
  def next(rows: Iterator[InternalRow], lateTime: Long = program.lateMicros): UnsafeRow = {
    var row: UnsafeRow = null
    while (row == null && rows.hasNext) {
      received += 1
      val found = toUnsafe(rows.next())
      if (isNullable && found.isNullAt(timeOrdinal)) {
        if (!program.limits.dropNullTimes) throw program.limits.nullTime
        withoutTime += 1
      } else if (timeOf(found) <= lateTime) late += 1
      else row = found
    }
    row
  }

  /** Of a row with a time, in microseconds. */
  def timeOf(row: UnsafeRow): Long = row.getLong(timeOrdinal)

  /** Adds what was counted. */
  def note(metrics: StreamMetrics): Unit = {
    metrics.receivedRows += received
    metrics.lateRows += late
    metrics.nullTimeRows += withoutTime
  }
}
