package io.matchrecognize.execution.condition

import org.apache.spark.sql.types._

import io.matchrecognize.expressions.{Floating, KeyDistances, OrderedFunctions}

/** Values as longs in Spark's order of the type: NaN is the largest, -0.0 equals 0.0. */
private[execution] object Ordinals {

  /** Whether there are some for values of a type. */
  def isOrderedAsLong(dataType: DataType): Boolean = dataType match {
    case decimal: DecimalType => decimal.precision <= Decimal.MAX_LONG_DIGITS
    case _ =>
      OrderedFunctions.isInteger(dataType) || Floating(dataType) || KeyDistances.isTime(dataType)
  }

  /** Of eight raw bytes of the row store. */
  def ofRaw(raw: Long, dataType: DataType): Long = dataType match {
    case DoubleType => ofDouble(java.lang.Double.longBitsToDouble(raw))
    case FloatType => ofDouble(java.lang.Float.intBitsToFloat(raw.toInt).toDouble)
    case IntegerType | DateType => raw.toInt.toLong
    case ShortType => raw.toShort.toLong
    case ByteType => raw.toByte.toLong
    case _ => raw
  }

  /** Of a value of Catalyst, not NULL. */
  def of(value: Any): Long = value match {
    case number: Double => ofDouble(number)
    case number: Float => ofDouble(number.toDouble)
    case decimal: Decimal => decimal.toUnscaledLong
    case number: Number => number.longValue
    case other => throw new IllegalStateException(s"$other has no place in an order of longs")
  }

  /** The value of Catalyst that has a place. */
  def value(ordinal: Long, dataType: DataType): Any = dataType match {
    case DoubleType => java.lang.Double.longBitsToDouble(turned(ordinal))
    case FloatType => java.lang.Double.longBitsToDouble(turned(ordinal)).toFloat
    case IntegerType | DateType => ordinal.toInt
    case ShortType => ordinal.toShort
    case ByteType => ordinal.toByte
    case d: DecimalType => Decimal(ordinal, d.precision, d.scale)
    case _ => ordinal
  }

  // Adding 0.0 makes -0.0 positive; doubleToLongBits has one NaN.
  private def ofDouble(value: Double): Long =
    turned(java.lang.Double.doubleToLongBits(value + 0.0))

  /** Exchanges the bits of a double and its place: the more negative, the larger are its bits. */
  private def turned(bits: Long): Long = bits ^ ((bits >> 63) & Long.MaxValue)
}
