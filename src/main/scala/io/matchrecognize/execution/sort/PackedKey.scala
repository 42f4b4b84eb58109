package io.matchrecognize.execution.sort

import java.nio.ByteOrder

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types._
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}
import org.apache.spark.unsafe.Platform

/**
 * Packs the sort keys of a row into one long, so that most comparisons need no row.
 *
 * If `pack(a) < pack(b)` then `a` sorts before `b`. Equal longs mean equal keys while `isExact`;
 * otherwise the rows have to be compared. Keys are packed in order, most significant first, until
 * 64 bits are used: integers, dates and timestamps, floating-point numbers, decimals of up to 18
 * digits, and the first bytes of strings. A key of another type ends the packing.
 */
final class PackedKey(orders: Seq[SortOrder], columns: Seq[Attribute]) {
  import PackedKey._

  private val bound = orders.map(o => BindReferences.bindReference(o.child, columns))
  private val projection: UnsafeProjection =
    if (bound.forall(_.isInstanceOf[BoundReference])) null else UnsafeProjection.create(bound)
  private val (parts, unused, isWhole) = layOut()
  // A packed value since `reset` did not hold its key whole.
  private var isTruncated = false

  private def layOut(): (Array[Part], Int, Boolean) = {
    val parts = Array.newBuilder[Part]
    var left = 64
    val keys = orders.zip(bound).zipWithIndex.iterator
    var isWhole = true
    while (isWhole && keys.hasNext) {
      val ((order, key), i) = keys.next()
      val ordinal = key match {
        case BoundReference(ordinal, _, _) if projection == null => ordinal
        case _ => i
      }
      Code.of(key.dataType) match {
        case Some(code) if left > 0 =>
          val part = new Part(order, key, ordinal, code, left)
          parts += part
          left -= part.width
          isWhole = part.isWhole
        case _ => isWhole = false
      }
    }
    (parts.result(), left, isWhole)
  }

  /** Whether equal packed values of the rows since `reset` mean equal keys. */
  def isExact: Boolean = isWhole && !isTruncated

  def reset(): Unit = isTruncated = false

  def pack(row: UnsafeRow): Long = {
    val keys = if (projection == null) row else projection(row)
    var packed = 0L
    var i = 0
    while (i < parts.length) {
      val part = parts(i)
      // The first part may have 64 bits: shifting by 64 does not change the 0.
      packed = (packed << part.width) | part.of(keys)
      i += 1
    }
    (if (unused == 64) 0L else packed << unused) ^ Long.MinValue
  }

  /**
   * One key in the packed value: a bit for NULL if it is nullable, then as many leading bits of the
   * value as there is space for.
   */
  private final class Part(order: SortOrder, key: Expression, ordinal: Int, code: Int, left: Int) {
    private val bits = Code.width(code)
    private val isNullable = key.nullable
    private val isDescending = order.direction != Ascending
    // A nullable value of all 64 bits: NULL shares the code of the first or last value.
    private val sharesNull = isNullable && bits == 64 && left == 64
    private val hasNullBit = isNullable && !sharesNull
    private val kept = math.min(bits, if (hasNullBit) left - 1 else left)
    private val nullBit = if (hasNullBit) 1L << kept else 0L
    private val nullCode =
      if (order.nullOrdering == NullsFirst) 0L else if (sharesNull) -1L else nullBit
    private val presentBit = if (order.nullOrdering == NullsFirst) nullBit else 0L
    private val mask = if (bits == 64) -1L else (1L << bits) - 1

    val width: Int = kept + (if (hasNullBit) 1 else 0)
    val isWhole: Boolean = kept == bits

    def of(row: UnsafeRow): Long =
      if (isNullable && row.isNullAt(ordinal)) {
        if (sharesNull) isTruncated = true
        nullCode
      } else {
        val value = valueOf(row)
        val directed = if (isDescending) ~value & mask else value
        presentBit | (if (kept == 0) 0L else directed >>> (bits - kept))
      }

    private def valueOf(row: UnsafeRow): Long = (code: @annotation.switch) match {
      case Code.Bool => if (row.getBoolean(ordinal)) 1L else 0L
      case Code.Int8 => (row.getByte(ordinal) ^ Byte.MinValue) & 0xffL
      case Code.Int16 => (row.getShort(ordinal) ^ Short.MinValue) & 0xffffL
      case Code.Int32 => (row.getInt(ordinal) ^ Int.MinValue) & 0xffffffffL
      case Code.Int64 => row.getLong(ordinal) ^ Long.MinValue
      case Code.Float32 =>
        val value = row.getFloat(ordinal)
        val raw = java.lang.Float.floatToIntBits(if (value == 0f) 0f else value)
        (if (raw < 0) ~raw else raw ^ Int.MinValue) & 0xffffffffL
      case Code.Float64 =>
        val value = row.getDouble(ordinal)
        val raw = java.lang.Double.doubleToLongBits(if (value == 0d) 0d else value)
        if (raw < 0) ~raw else raw ^ Long.MinValue
      case Code.Bytes =>
        val place = row.getLong(ordinal)
        val packed = packBytes(row, place)
        if (place.toInt > ShortBytes) isTruncated = true
        packed
    }
  }
}

object PackedKey {

  /** Largest number of bytes that `packBytes` holds whole. */
  final val ShortBytes = 7

  private val isLittleEndian = ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  /**
   * The first seven bytes, then the number of bytes, 8 if there are more than seven: as unsigned
   * numbers in the order of the byte strings.
   *
   * @param place
   *   offset and size, as an UnsafeRow holds them
   */
  def packBytes(row: UnsafeRow, place: Long): Long = {
    val size = place.toInt
    if (size == 0) 0L
    else {
      // Shorter values are padded to eight bytes.
      val word = Platform.getLong(row.getBaseObject, row.getBaseOffset + (place >>> 32))
      val bytes = if (isLittleEndian) java.lang.Long.reverseBytes(word) else word
      val padding = 64 - 8 * math.min(size, ShortBytes)
      (bytes & (-1L << padding)) | math.min(size, ShortBytes + 1)
    }
  }

  /** How a type is packed. */
  private object Code {
    final val Bool = 0
    final val Int8 = 1
    final val Int16 = 2
    final val Int32 = 3
    final val Int64 = 4
    final val Float32 = 5
    final val Float64 = 6
    final val Bytes = 7

    val width: Array[Int] = Array(1, 8, 16, 32, 64, 32, 64, 64)

    def of(dataType: DataType): Option[Int] = dataType match {
      case StringType | BinaryType => Some(Bytes)
      case _ =>
        PhysicalDataType(dataType) match {
          case _: PhysicalBooleanType => Some(Bool)
          case _: PhysicalByteType => Some(Int8)
          case _: PhysicalShortType => Some(Int16)
          case _: PhysicalIntegerType => Some(Int32)
          case _: PhysicalLongType => Some(Int64)
          case _: PhysicalFloatType => Some(Float32)
          case _: PhysicalDoubleType => Some(Float64)
          case PhysicalDecimalType(precision, _) if precision <= 18 => Some(Int64)
          case _ => None
        }
    }
  }
}
