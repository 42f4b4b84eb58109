package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * A task of a batch of Real-Time Mode: it searches rows in the order of arrival, one by one, and
 * returns what a row decides before it asks for the next one, which may come minutes later.
 *
 *   - First the partitions are searched whose deadline the watermark has reached up to which rows
 *     are late: no row of the batch can change what it decides.
 *   - Then the rows, each at once. A partition stays open while the rows are its own, and is saved
 *     to the cache before another one begins, and now and then, which lets go of its rows.
 *   - At the end, those whose deadline is reached by the batch's watermark, if that is a later one.
 */
final class ArrivalTask(parts: StreamParts, rows: Iterator[InternalRow], cached: CachedTable)
    extends StreamTask(parts, cached) {
  import ArrivalTask._
  import parts.{metrics, program}

  private val times = new RowTimes(program)
  private val before = program.lateMicros
  private var phase = Start
  // Rows since the open partition was begun, 0 if it was not begun for one.
  private var rowsOfKey = 0L
  // Whether the open partition may have more to return.
  private var isUndecided = false
  // Nanoseconds of work before `resumed`: not those in which the task waits for a row.
  private var worked = 0L
  private var resumed = 0L

  override protected def make(): InternalRow = {
    resume()
    var output: UnsafeRow = null
    while (output == null && (isUndecided || step())) {
      output = search.nextRow()
      isUndecided = output != null
    }
    pause()
    output
  }

  private def pause(): Unit = worked += System.nanoTime - resumed

  private def resume(): Unit = resumed = System.nanoTime

  /** Moves on to something that may be decided; false after the end. */
  private def step(): Boolean = {
    if (phase == Start) {
      takeDue(before)
      phase = DueBefore
    }
    if (phase == DueBefore && !beginNextTaken(before)) phase = Rows
    if (phase == Rows && !beginNextRow()) {
      // It may have a deadline that the batch's watermark has reached.
      if (isSearching) endPartition()
      takeDue(program.readyMicros)
      phase = DueAfter
    }
    if (phase == DueAfter && !beginNextTaken(program.readyMicros)) {
      end()
      phase = End
    }
    isUndecided = phase != End
    isUndecided
  }

  private def beginNextTaken(watermark: Long): Boolean = {
    if (isSearching) endPartition()
    beginTaken(watermark)
  }

  /** Appends the next row that is not dropped to its partition. */
  private def beginNextRow(): Boolean = {
    pause()
    val row = times.next(rows)
    resume()
    if (row != null) {
      if (rowsOfKey == 0 || rowsOfKey == MostRows || !isOfKey(row)) {
        if (isSearching) endPartition()
        beginOf(row)
        search.advanceTo(before)
        rowsOfKey = 0
      }
      search.append(row)
      rowsOfKey += 1
    }
    row != null
  }

  override protected def end(): Unit = {
    times.note(metrics)
    pause()
    resume()
    metrics.updateTime += worked / 1000000
    super.end()
  }

  override protected def noteWrites(): Unit = {
    cached.close()
    metrics.updatedEntries += cached.updates
    metrics.removedEntries += cached.removals
  }
}

private object ArrivalTask {
  private final val Start = 0
  private final val DueBefore = 1
  private final val Rows = 2
  private final val DueAfter = 3
  private final val End = 4

  private final val MostRows = 256L
}
