package io.matchrecognize.execution

import java.nio.ByteOrder

import org.apache.spark.sql.catalyst.expressions.{BaseGenericInternalRow, UnsafeRow}
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** What a frame's fields read besides the store. */
trait PointerSource {

  /** First row of the partition: the key columns. */
  def keys: UnsafeRow

  /** Number of the match, 0 if there is none. */
  def matchNumber: Long

  /** Name of the variable of a row, null if it has none. */
  def label(row: Long): UTF8String

  /** Result of an aggregate, null if NULL. */
  def aggregate(index: Int): Any
}

/**
 * The row that bound conditions and measures read: a view of the store through row pointers,
 * without copies. Field `i` is `fields(i)`; a pointer of -1 means that the row does not exist and
 * makes its fields NULL.
 *
 * It is never an UnsafeRow; typed getters of fixed-width columns are the fast path.
 */
final class PointerRow(fields: Array[PointerField], pointerCount: Int, store: Rows)
    extends BaseGenericInternalRow {
  import PointerRow._

  private val kinds: Array[Int] = fields.map(_.kind)
  private val pointerOf: Array[Int] = fields.map(_.pointer)
  private val indexOf: Array[Int] = fields.map(_.index)

  /** Row number of each pointer, -1 for none. */
  val pointers: Array[Long] = new Array[Long](pointerCount)

  var source: PointerSource = _

  override def numFields: Int = fields.length

  override def isNullAt(i: Int): Boolean = kinds(i) match {
    case PointerField.Fixed =>
      val row = pointers(pointerOf(i))
      row < 0 || store.isNullFixed(indexOf(i), row)
    case PointerField.Variable =>
      val row = pointers(pointerOf(i))
      row < 0 || store.variable(row).isNullAt(indexOf(i))
    case PointerField.Key => pointers(pointerOf(i)) < 0 || source.keys.isNullAt(indexOf(i))
    case PointerField.Label =>
      val row = pointers(pointerOf(i))
      row < 0 || source.label(row) == null
    case PointerField.Number => source.matchNumber == 0
    case PointerField.Aggregate => source.aggregate(indexOf(i)) == null
    case PointerField.Exists => false
  }

  private def raw(i: Int): Long = store.fixed(indexOf(i), pointers(pointerOf(i)))

  private def isFixed(i: Int): Boolean = kinds(i) == PointerField.Fixed

  override def getLong(i: Int): Long =
    if (isFixed(i)) raw(i)
    else if (kinds(i) == PointerField.Number) source.matchNumber
    else getAs[Long](i)

  override def getInt(i: Int): Int =
    if (isFixed(i)) narrow(raw(i), 32).toInt else getAs[Int](i)

  override def getShort(i: Int): Short =
    if (isFixed(i)) narrow(raw(i), 16).toShort else getAs[Short](i)

  override def getByte(i: Int): Byte =
    if (isFixed(i)) narrow(raw(i), 8).toByte else getAs[Byte](i)

  override def getBoolean(i: Int): Boolean =
    if (isFixed(i)) narrow(raw(i), 8).toByte != 0
    else if (kinds(i) == PointerField.Exists) pointers(pointerOf(i)) >= 0
    else getAs[Boolean](i)

  override def getFloat(i: Int): Float =
    if (isFixed(i)) java.lang.Float.intBitsToFloat(narrow(raw(i), 32).toInt) else getAs[Float](i)

  override def getDouble(i: Int): Double =
    if (isFixed(i)) java.lang.Double.longBitsToDouble(raw(i)) else getAs[Double](i)

  override def getUTF8String(i: Int): UTF8String = kinds(i) match {
    case PointerField.Variable =>
      store.variable(pointers(pointerOf(i))).getUTF8String(indexOf(i))
    case PointerField.Key => source.keys.getUTF8String(indexOf(i))
    case PointerField.Label => source.label(pointers(pointerOf(i)))
    case _ => getAs[UTF8String](i)
  }

  private def getAs[T](i: Int): T = genericGet(i).asInstanceOf[T]

  override protected def genericGet(i: Int): Any =
    if (isNullAt(i)) null
    else {
      val field = fields(i)
      field.kind match {
        case PointerField.Fixed => boxed(raw(i), field.dataType)
        case PointerField.Variable =>
          store.variable(pointers(field.pointer)).get(field.index, field.dataType)
        case PointerField.Key => source.keys.get(field.index, field.dataType)
        case PointerField.Label => source.label(pointers(field.pointer))
        case PointerField.Number => source.matchNumber
        case PointerField.Aggregate => source.aggregate(field.index)
        case PointerField.Exists => pointers(field.pointer) >= 0
      }
    }

  // The store's raw value read back as an UnsafeRow of one field would read it.
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
