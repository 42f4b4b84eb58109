package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Cast,
  EvalMode,
  Expression,
  Literal
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * What is certain about casts between two types, for all values of the first one. Spark's
 * `Cast.canUpCast` is about something else: it holds for a DECIMAL(10, 0) as INT, for a DATE as
 * TIMESTAMP, and for anything as a string.
 */
object Casts {

  /**
   * Whether no value fails, becomes NULL or wraps around. Floating-point results may be rounded.
   */
  def cannotFail(from: DataType, to: DataType): Boolean = (from, to) match {
    case (_: NumericType, DoubleType) => true
    case (DoubleType, FloatType) => false
    case (_: NumericType, FloatType) => true
    case (_, d: DecimalType) if digits(from) > 0 => digits(from) <= d.precision - d.scale
    case _ if digits(from) > 0 && digits(to) > 0 => digits(from) <= digits(to)
    case (f: DecimalType, d: DecimalType) =>
      f.scale <= d.scale && f.precision - f.scale <= d.precision - d.scale
    case _ => isSame(from, to)
  }

  /**
   * Whether larger values are not smaller afterwards, and values between two that do not fail do
   * not fail either.
   */
  def keepsOrder(from: DataType, to: DataType): Boolean = (from, to) match {
    case (_: NumericType, _: NumericType) => cannotFail(from, to)
    case (DateType, TimestampType | TimestampNTZType) => true
    case (TimestampType, LongType | DoubleType) => true
    case _ => isSame(from, to)
  }

  private def isSame(from: DataType, to: DataType): Boolean = from == to && (from match {
    case _: StructType | _: ArrayType | _: MapType | _: UserDefinedType[_] => false
    case _ => true
  })

  /** The digits of the largest integer; 0 for other types. */
  private def digits(dataType: DataType): Int = dataType match {
    case ByteType => 3
    case ShortType => 5
    case IntegerType => 10
    case LongType => 19
    case _ => 0
  }
}

/** Whether values of a type may be NaN, or a zero with a sign. */
object Floating {
  def apply(dataType: DataType): Boolean = dataType == DoubleType || dataType == FloatType
}

/** Whether an expression is neither infinite nor NaN. */
object Finite {

  /** @param column whether a column is taken for finite */
  def apply(e: Expression)(column: BoundReference => Boolean): Boolean = e match {
    case r: BoundReference => column(r)
    case Literal(number: Double, _) => java.lang.Double.isFinite(number)
    case Literal(number: Float, _) => java.lang.Float.isFinite(number)
    case c: Cast if Casts.keepsOrder(c.child.dataType, c.dataType) => apply(c.child)(column)
    case _ => !Floating(e.dataType)
  }
}

/** Casts to a string without a collation; the value is NULL if the cast fails. */
object AsText {
  def apply(e: Expression): Expression =
    Cast(e, StringType, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY)
}
