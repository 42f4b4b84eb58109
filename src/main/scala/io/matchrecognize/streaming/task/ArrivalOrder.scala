package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  RowOrdering,
  UnsafeProjection,
  UnsafeRow
}

import io.matchrecognize.matcher.state.{StateReader, StateWriter}

/**
 * Checks the promise that the rows of a key arrive in ORDER BY order, one key after the other. Rows
 * with equal ORDER BY values are in order.
 *
 * A key keeps the ORDER BY values of its last row until the watermark has passed their time: a row
 * before them is late from then on.
 */
final class ArrivalOrder(program: StreamProgram) {
  private val valuesOf = UnsafeProjection.create(program.orderSpec.map(_.child), program.input)
  private val ordering = RowOrdering.create(
    program.orderSpec.zipWithIndex.map { case (order, i) =>
      order.copy(
        child = BoundReference(i, order.child.dataType, order.child.nullable),
        sameOrderExpressions = Nil
      )
    },
    Nil
  )
  private val values = new UnsafeRow(program.orderSpec.length)
  private var isKnown = false
  values.pointTo(new Array[Byte](0), 0)

  /** Begins a key of which no row is known. */
  def reset(): Unit = isKnown = false

  /** The ORDER BY values of the last row. */
  def last: UnsafeRow = values

  /** The event time of the last row, in microseconds; Long.MaxValue if it is not known any more. */
  def lastTime: Long = if (isKnown) values.getLong(0) else Long.MaxValue

  /** ORDER BY values of a row, valid until the next call. */
  def of(row: UnsafeRow): UnsafeRow = valuesOf(row)

  /** Takes a row as the last one, unless it precedes that. */
  def accepts(row: UnsafeRow): Boolean = {
    val next = of(row)
    val isInOrder = !isKnown || ordering.compare(values, next) <= 0
    if (isInOrder) {
      values.copyFrom(next)
      isKnown = true
    }
    isInOrder
  }

  /** No row of this time, in microseconds, or an earlier one will arrive any more. */
  def advanceTo(watermark: Long): Unit = if (lastTime <= watermark) isKnown = false

  def save(out: StateWriter): Unit = {
    out.putBoolean(isKnown)
    if (isKnown) out.putBytes(values.getBytes)
  }

  def restore(in: StateReader): Unit = {
    isKnown = in.getBoolean()
    if (isKnown) {
      val bytes = in.getBytes()
      values.pointTo(bytes, bytes.length)
    }
  }
}
