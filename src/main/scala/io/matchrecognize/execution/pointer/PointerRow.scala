package io.matchrecognize.execution.pointer

import java.nio.ByteOrder

import org.apache.spark.sql.catalyst.expressions.{BaseGenericInternalRow, UnsafeRow}
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.Path

/** What the fields of a [[PointerRow]] read besides the store. */
trait PointerSource {

  /** First row of the partition: the key columns. */
  def keys: UnsafeRow

  /** Number of the match, 0 if there is none. */
  def matchNumber: Long

  /** Name of the variable of a row, null if it has none. */
  def label(row: Long): UTF8String

  /** Result of an aggregate, null if NULL. */
  def aggregate(index: Int): Any

  /** The row that a register holds, of the whole match with `isFinal`; -1 if there is none. */
  def register(number: Int, isFinal: Boolean): Long

  /** Says of which path labels, aggregates and registers are read from now on. */
  def follow(path: Path): Unit = ()
}

/**
 * The row that bound conditions and measures read: a view of the store through row pointers,
 * without copies. Field `i` is `fields(i)`; a pointer of -1 means that the row does not exist and
 * makes its fields NULL.
 *
 * It is never an UnsafeRow; typed getters of fixed-width columns are the fast path.
 */
final class PointerRow(
    fields: Array[PointerField],
    pointerCount: Int,
    store: Rows,
    source: PointerSource
) extends BaseGenericInternalRow {
  import PointerRow._

  private val pointerOf: Array[Int] = fields.map(_.pointer)
  // The column of a Fixed field, -1 for others: one lookup on the fast path.
  private val fixedColumns: Array[Int] = fields.map {
    case PointerField.Fixed(_, column, _) => column
    case _ => -1
  }

  // The same of a Variable field.
  private val variableColumns: Array[Int] = fields.map {
    case PointerField.Variable(_, column, _) => column
    case _ => -1
  }

  /** Row number of each pointer, -1 for none. */
  val pointers: Array[Long] = new Array[Long](pointerCount)

  override def numFields: Int = fields.length

  /** Whether `point` met a row after the last known one, since this was last unset. */
  var isAhead = false

  private var first = 0L
  private var end = Long.MaxValue

  /** Limits `point` to the rows of a frame: any other does not exist for it. */
  def limit(firstRow: Long, rowAfter: Long): Unit = {
    first = firstRow
    end = rowAfter
  }

  /** Points to the row `physical` rows after `base`, to none if either does not exist. */
  def point(pointer: PointerProgram, base: Long): Unit = {
    val row = if (base < 0) -1L else base + pointer.physical
    pointers(pointer.slot) =
      if (row < first || row >= end) -1L
      else if (row < store.length) row
      else {
        isAhead = true
        -1L
      }
  }

  /**
   * Points to what an expression reads of a match from `start` to `row`, or with FINAL to `end`:
   * its other rows do not exist.
   */
  def pointInMatch(reads: Array[PointerProgram], start: Long, row: Long, end: Long): Unit = {
    var i = 0
    while (i < reads.length) {
      val base = reads(i).base match {
        case PointerBase.BeforeLast(offset, isFinal) =>
          val found = (if (isFinal) end else row) - offset
          if (found < start) -1L else found
        case PointerBase.AfterFirst(offset, isFinal) =>
          val found = start + offset
          if (found > (if (isFinal) end else row)) -1L else found
        case PointerBase.Register(number, isFinal) => source.register(number, isFinal)
      }
      point(reads(i), base)
      i += 1
    }
  }

  /**
   * The same, but whether the rows at fixed distances from the first one, `start`, are there before
   * the tested one, `row`, does not matter.
   */
  def pointFrom(reads: Array[PointerProgram], start: Long, row: Long): Unit = {
    var i = 0
    while (i < reads.length) {
      val base = reads(i).base match {
        case PointerBase.AfterFirst(offset, _) => start + offset
        case PointerBase.BeforeLast(offset, _) => if (row - offset < start) -1L else row - offset
        case PointerBase.Register(number, isFinal) => source.register(number, isFinal)
      }
      point(reads(i), base)
      i += 1
    }
  }

  override def isNullAt(i: Int): Boolean = {
    val column = fixedColumns(i)
    if (column >= 0) {
      val row = pointers(pointerOf(i))
      row < 0 || store.isNullFixed(column, row)
    } else if (variableColumns(i) >= 0) {
      val row = pointers(pointerOf(i))
      row < 0 || store.variable(row).isNullAt(variableColumns(i))
    } else isNull(fields(i))
  }

  private def isNull(field: PointerField): Boolean = field match {
    case PointerField.Label(pointer) =>
      pointers(pointer) < 0 || source.label(pointers(pointer)) == null
    case PointerField.Key(pointer, column, _) =>
      pointers(pointer) < 0 || source.keys.isNullAt(column)
    case PointerField.Aggregate(index, _) => source.aggregate(index) == null
    case PointerField.Number => source.matchNumber == 0
    case PointerField.Exists(_) => false
    case _ => throw new IllegalStateException(s"$field is a column of the store")
  }

  private def raw(i: Int): Long = store.fixed(fixedColumns(i), pointers(pointerOf(i)))

  private def isFixed(i: Int): Boolean = fixedColumns(i) >= 0

  override def getLong(i: Int): Long =
    if (isFixed(i)) raw(i)
    else if (fields(i) eq PointerField.Number) source.matchNumber
    else getAs[Long](i)

  override def getInt(i: Int): Int =
    if (isFixed(i)) narrow(raw(i), 32).toInt else getAs[Int](i)

  override def getShort(i: Int): Short =
    if (isFixed(i)) narrow(raw(i), 16).toShort else getAs[Short](i)

  override def getByte(i: Int): Byte =
    if (isFixed(i)) narrow(raw(i), 8).toByte else getAs[Byte](i)

  override def getBoolean(i: Int): Boolean =
    if (isFixed(i)) narrow(raw(i), 8).toByte != 0
    else if (fields(i).isInstanceOf[PointerField.Exists]) pointers(pointerOf(i)) >= 0
    else getAs[Boolean](i)

  override def getFloat(i: Int): Float =
    if (isFixed(i)) java.lang.Float.intBitsToFloat(narrow(raw(i), 32).toInt) else getAs[Float](i)

  override def getDouble(i: Int): Double =
    if (isFixed(i)) java.lang.Double.longBitsToDouble(raw(i)) else getAs[Double](i)

  override def getUTF8String(i: Int): UTF8String =
    if (variableColumns(i) >= 0)
      store.variable(pointers(pointerOf(i))).getUTF8String(variableColumns(i))
    else getText(i)

  private def getText(i: Int): UTF8String = fields(i) match {
    case PointerField.Key(_, column, _) => source.keys.getUTF8String(column)
    case PointerField.Label(pointer) => source.label(pointers(pointer))
    case _ => getAs[UTF8String](i)
  }

  private def getAs[T](i: Int): T = genericGet(i).asInstanceOf[T]

  override protected def genericGet(i: Int): Any =
    if (isNullAt(i)) null
    else
      fields(i) match {
        case PointerField.Fixed(_, _, dataType) => boxed(raw(i), dataType)
        case PointerField.Variable(pointer, column, dataType) =>
          store.variable(pointers(pointer)).get(column, dataType)
        case PointerField.Key(_, column, dataType) => source.keys.get(column, dataType)
        case PointerField.Label(pointer) => source.label(pointers(pointer))
        case PointerField.Number => source.matchNumber
        case PointerField.Aggregate(index, _) => source.aggregate(index)
        case PointerField.Exists(pointer) => pointers(pointer) >= 0
      }

  // Decodes the store's raw value as an UnsafeRow of one field would.
  private def boxed(value: Long, dataType: DataType): Any = {
    scratch.setNotNullAt(0)
    Platform.putLong(scratch.getBaseObject, scratch.getBaseOffset + 8, value)
    scratch.get(0, dataType)
  }

  private val scratch: UnsafeRow = {
    val row = new UnsafeRow(1)
    row.pointTo(new Array[Byte](16), 16)
    row
  }

  override def setNullAt(i: Int): Unit = readOnly()
  override def update(i: Int, value: Any): Unit = readOnly()
  private def readOnly(): Nothing =
    throw new IllegalStateException("a frame is a read-only view of the store")
}

object PointerRow {
  private val bigEndian = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN

  /** UnsafeRow writes a narrow value at the start of its eight bytes. */
  private def narrow(value: Long, bits: Int): Long =
    if (bigEndian) value >>> (64 - bits) else value
}
