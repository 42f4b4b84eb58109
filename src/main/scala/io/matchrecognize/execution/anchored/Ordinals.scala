package io.matchrecognize.execution.anchored

import org.apache.spark.sql.types._

/** Values as longs in Spark's order of the type: NaN is the largest, -0.0 equals 0.0. */
private[anchored] object Ordinals {

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

  private def ofDouble(value: Double): Long = {
    // Adding 0.0 makes -0.0 positive; doubleToLongBits has one NaN.
    val bits = java.lang.Double.doubleToLongBits(value + 0.0)
    bits ^ ((bits >> 63) & Long.MaxValue)
  }
}
