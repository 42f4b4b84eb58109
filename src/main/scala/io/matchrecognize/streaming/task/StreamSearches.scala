package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.execution.compile.FailureTexts
import io.matchrecognize.execution.rows.RowStore
import io.matchrecognize.execution.search.RunTimeFailures
import io.matchrecognize.execution.truth.TaskConditions
import io.matchrecognize.matcher.state.{StateReader, StateWriter}
import io.matchrecognize.streaming.state.{SearchEntries, StateLayout}

/**
 * The searches of all clauses in the partitions of a stream, one partition key after the other. One
 * task has one.
 *
 * Use for a key in a micro-batch: `begin`, `append` for the rows that became ready, in ORDER BY
 * order, `advanceTo` the watermark, `nextRow` until it returns null, `save`. What the rows so far
 * decide is returned once; the rest waits in the key's state.
 *
 * A clause is active in a key while it waits for a row, and from a new row on at which an attempt
 * of it may begin. Nothing is asked of the others: no row before such a one could be the first of a
 * match, and none of them is needed but those that PREV may read.
 *
 * State: the head holds the last rows, for [[StreamRows]] has the others, and in the order of
 * arrival the ORDER BY values of the last one; then for each clause that waits its progress and its
 * open attempt (`PikeMatcher`), and for each that does not, but numbers its matches, their count. A
 * key with nothing open, no rows to look back to, no such values and no such count leaves none.
 *
 * @param key
 *   the row of the PARTITION BY values of the current partition, normalised as `GroupingKey` does
 */
final class StreamSearches(parts: StreamParts, key: UnsafeRow) {
  import DeadlineTimes.Never
  import parts.{program, resources}

  private val rows =
    new StreamRows(() => new RowStore(program.task.schema, resources, program.task.spillThreshold))
  private val conditions = new TaskConditions(program.task.conditions, rows, isStream = true)
  conditions.keys = key
  private val failures = new RunTimeFailures(program.limits.texts, conditions, rows)
  private val order = Option.when(program.inOrderOfArrival)(new ArrivalOrder(program))
  private val out = new StateWriter

  // By clause. A search is made once it is needed.
  private val searches = new Array[StreamClauseSearch](program.clauses.length)
  private val isActive = new Array[Boolean](searches.length)
  // Matches of a clause that is not active, if it numbers them.
  private val numbers = new Array[Long](searches.length)
  private val numbering =
    program.perClause.indices.filter(program.perClause(_).numbersMatches).toArray
  // Conditions of which a first row meets one, if all of them are looked up.
  private val openers: Array[Array[Int]] =
    program.clauses
      .zip(program.task.conditions.idOf)
      .map { case (clause, ids) =>
        clause.openers.map(_.map(ids(_)).toArray).filter(_.forall(program.task.conditions.lookedUp))
      }
      .map(_.orNull)
      .toArray

  private val active = new Array[Int](searches.length)
  private var activeCount = 0
  // The one of them that is asked for rows; none before and after a round.
  private var asked = -1
  // New rows from here on have not been offered to clauses that are not active.
  private var offered = 0L

  private var state: SearchEntries = _
  private var hasHead = false
  private var watermark = Long.MinValue
  private var outOfOrder = 0L

  /** The deadline for which the operator has queued the key; set by the operator. */
  var queuedDeadline: Long = Never

  resources.onCompletion(() => free())

  /** Begins the key that is in the row of keys. */
  def begin(state: SearchEntries): Unit = {
    this.state = state
    outOfOrder = 0
    queuedDeadline = Never
    watermark = Long.MinValue
    asked = -1
    while (activeCount > 0) {
      activeCount -= 1
      isActive(active(activeCount)) = false
    }
    numbering.foreach(numbers(_) = 0)
    rows.begin(state)
    order.foreach(_.reset())
    val head = state.get(0)
    hasHead = head != null
    if (hasHead) restore(StateLayout.reader(head)) else conditions.begin(0)
    offered = rows.length
  }

  /**
   * Adds the next ready row, which is copied. A row that precedes the last one is an error or
   * dropped and counted, in the order of arrival.
   */
  def append(row: UnsafeRow): Unit =
    order match {
      case Some(order) if !order.accepts(row) => refuse(row, order)
      case _ => failures.guard(rows.length)(rows.append(row))
    }

  private def refuse(row: UnsafeRow, order: ArrivalOrder): Unit = {
    if (!program.limits.dropOutOfOrder)
      throw program.limits.outOfOrder(order.of(row), order.last, key)
    outOfOrder += 1
  }

  /** No row of this time, in microseconds, or an earlier one will arrive any more. */
  def advanceTo(watermark: Long): Unit = {
    this.watermark = watermark
    (0 until activeCount).foreach(i => searches(active(i)).advanceTo(watermark))
    order.foreach(_.advanceTo(watermark))
  }

  /** The next row of the results, which is reused; null if none is decided. */
  def nextRow(): UnsafeRow = {
    if (asked < 0) offer()
    var row: UnsafeRow = null
    while (row == null && asked < activeCount) {
      row = searches(active(asked)).nextRow()
      if (row == null) asked += 1
    }
    if (row == null) retire()
    row
  }

  /** Activates the clauses of which an attempt may begin at a new row. */
  private def offer(): Unit = {
    if (offered < rows.length) {
      failures.guard(rows.length)(conditions.extend())
      var number = 0
      while (number < searches.length) {
        if (!isActive(number) && mayOpen(number)) {
          val start = failures.guard(offered)(searchOf(number).firstStart(offered))
          if (start < rows.length) {
            activate(number)
            searches(number).beginAt(start, numbers(number))
          }
        }
        number += 1
      }
      offered = rows.length
    }
    asked = 0
  }

  private def mayOpen(number: Int): Boolean =
    openers(number) == null || conditions.isFound(openers(number))

  private def activate(number: Int): Unit = {
    active(activeCount) = number
    activeCount += 1
    isActive(number) = true
    searchOf(number).advanceTo(watermark)
  }

  /** Ends a round: the clauses for which no row is left are not active any more. */
  private def retire(): Unit = {
    var left = 0
    (0 until activeCount).foreach { i =>
      val number = active(i)
      if (searches(number).isIdle) {
        isActive(number) = false
        if (program.perClause(number).numbersMatches) numbers(number) = searches(number).found
      } else {
        active(left) = number
        left += 1
      }
    }
    activeCount = left
    asked = -1
  }

  private def searchOf(number: Int): StreamClauseSearch = {
    if (searches(number) == null)
      searches(number) = new StreamClauseSearch(parts, number, rows, conditions)
    searches(number)
  }

  /** What the active clauses say of themselves, in one number. */
  private def overActive(none: Long)(of: StreamClauseSearch => Long)(
      and: (Long, Long) => Long
  ): Long = {
    var result = none
    var i = 0
    while (i < activeCount) {
      result = and(result, of(searches(active(i))))
      i += 1
    }
    result
  }

  /**
   * The watermark, in microseconds, that decides something without another row of the key, or by
   * which its state can be removed.
   */
  def deadline: Long =
    if (activeCount == 0) order.fold(Never)(_.lastTime)
    else overActive(Never)(_.waitsUntil)(_ min _)

  /** Rows that the key holds. */
  def heldRows: Long = rows.length - firstKept

  /** The number of open start rows, as far as the searches have begun them. */
  def openAttempts: Long = overActive(0)(_.openStarts)(_ + _)

  /** Rows dropped since `begin` because they arrived after a row that they precede. */
  def outOfOrderRows: Long = outOfOrder

  /** Of the clause that needs the first row which the key holds. */
  def textsOfHolder: FailureTexts = {
    val first = firstKept
    val holder = active.take(activeCount).find(searches(_).firstNeeded.max(0) == first)
    holder.fold(program.limits.texts)(program.clauses(_).failureTexts)
  }

  private def firstKept: Long =
    overActive(rows.length - program.lookBack)(_.firstNeeded)(_ min _).max(0L)

  /** Writes the key's state, after `nextRow` returned null. */
  def save(): Unit = {
    val numbered = numbering.count(isNumbered)
    val isRemembered = program.remembersRows && rows.length > 0
    if (activeCount == 0 && numbered == 0 && !isRemembered && order.forall(_.lastTime == Never)) {
      rows.remove()
      if (hasHead) state.remove(0)
    } else {
      out.clear()
      out.putByte(StateLayout.Format)
      out.putLong(queuedDeadline)
      rows.save(firstKept, out)
      order.foreach(_.save(out))
      out.putInt(activeCount)
      (0 until activeCount).foreach { i =>
        out.putInt(active(i))
        searches(active(i)).save(out)
      }
      if (numbering.nonEmpty) {
        out.putInt(numbered)
        numbering.filter(isNumbered).foreach { number =>
          out.putInt(number)
          out.putLong(numbers(number))
        }
      }
      state.put(0, out.toBytes)
    }
  }

  private def isNumbered(number: Int): Boolean = !isActive(number) && numbers(number) > 0

  /** After the last partition. */
  def free(): Unit = rows.free()

  private def restore(in: StateReader): Unit = {
    queuedDeadline = in.getLong()
    failures.guard(0L)(rows.restore(in))
    conditions.begin(rows.firstInMemory)
    failures.guard(0L)(conditions.extend())
    order.foreach(_.restore(in))
    (0 until in.getInt()).foreach { _ =>
      val number = in.getInt()
      activate(number)
      searches(number).restore(in)
    }
    if (numbering.nonEmpty) (0 until in.getInt()).foreach { _ =>
      numbers(in.getInt()) = in.getLong()
    }
  }
}
