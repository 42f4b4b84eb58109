package io.matchrecognize.execution.limit

import java.math.{BigDecimal, BigInteger, RoundingMode}
import java.time.{LocalDate, ZoneId, ZoneOffset}
import java.util.function.LongUnaryOperator
import java.util.function.LongUnaryOperator.identity

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * The arithmetic of WITHIN: which rows are within the limit of a start row, their leading ORDER BY
 * key at most the bound after that of the start row. Keys are read from field `ordinal` of a row;
 * they ascend.
 *
 *   - A day-time bound counts elapsed microseconds, whatever the clocks do meanwhile; Spark's `last
 *     - first` and `first + bound` go by the clocks of the session zone.
 *   - Months are counted by the calendar: `first` and that many months, in the session zone. A
 *     calendar interval adds its months first; its days have 24 hours.
 *   - A DATE is its midnight, and one day is always 24 hours; a TIMESTAMP_NTZ likewise.
 *   - Integers and DECIMAL are compared exactly: no overflow, no rounding.
 *   - FLOAT and DOUBLE are subtracted in their own arithmetic. Equal keys have distance 0, infinite
 *     ones too; NaN is like NULL.
 */
sealed abstract class WithinArithmetic {

  /** Begins a start row's limit; false if its key is NULL or NaN and it is alone there. */
  final def begin(row: InternalRow, ordinal: Int): Boolean =
    !row.isNullAt(ordinal) && beginAt(row, ordinal)

  /** Whether a row after the start row is within its limit. */
  final def admits(row: InternalRow, ordinal: Int): Boolean =
    !row.isNullAt(ordinal) && reaches(row, ordinal)

  /** The same for keys that are not NULL. */
  protected def beginAt(row: InternalRow, ordinal: Int): Boolean
  protected def reaches(row: InternalRow, ordinal: Int): Boolean

  /** The largest key within the limit, of a TIMESTAMP or TIMESTAMP_NTZ in microseconds. */
  def lastTime: Long = throw new IllegalStateException("the key is not a timestamp")
}

object WithinArithmetic {

  /**
   * @param bound
   *   an interval for a time, else a number; not NULL, not negative
   * @param timeZone
   *   the session's
   */
  def of(keyType: DataType, bound: Literal, timeZone: String): WithinArithmetic = keyType match {
    case FloatType => new FloatingLimit(isFloat = true, number(bound).floatValue.toDouble)
    case DoubleType => new FloatingLimit(isFloat = false, number(bound).doubleValue)
    case decimal: DecimalType if decimal.precision <= Decimal.MAX_LONG_DIGITS =>
      val scale = decimal.scale
      new LongLimit(
        (row, i) => row.getDecimal(i, decimal.precision, scale).toUnscaledLong,
        identity,
        unsigned(exact(bound).scaleByPowerOfTen(scale))
      )
    case decimal: DecimalType => new DecimalLimit(decimal, exact(bound))
    case DateType =>
      val (months, micros) = interval(bound)
      new LongLimit(
        (row, i) => row.getInt(i).toLong,
        if (months == 0) identity
        else day => LocalDate.ofEpochDay(day).plusMonths(months.toLong).toEpochDay,
        unsigned(micros.divideToIntegralValue(MicrosPerDay))
      )
    case TimestampType => timestamps(bound, DateTimeUtils.getZoneId(timeZone))
    case TimestampNTZType => timestamps(bound, ZoneOffset.UTC)
    case LongType => new LongLimit(_.getLong(_), identity, unsigned(exact(bound)))
    case IntegerType => new LongLimit(_.getInt(_).toLong, identity, unsigned(exact(bound)))
    case ShortType => new LongLimit(_.getShort(_).toLong, identity, unsigned(exact(bound)))
    case ByteType => new LongLimit(_.getByte(_).toLong, identity, unsigned(exact(bound)))
    case other => throw new IllegalArgumentException(s"WITHIN on ${other.sql}")
  }

  private def timestamps(bound: Literal, zone: ZoneId): WithinArithmetic = {
    val (months, micros) = interval(bound)
    new LongLimit(
      _.getLong(_),
      if (months == 0) identity
      else
        first =>
          try DateTimeUtils.timestampAddMonths(first, months, zone)
          catch { case _: ArithmeticException => Long.MaxValue },
      unsigned(micros)
    )
  }

  private val MicrosPerDay = BigDecimal.valueOf(MICROS_PER_DAY)

  /** Months and microseconds of an interval. */
  private def interval(bound: Literal): (Int, BigDecimal) = bound.value match {
    case months: Int => (months, BigDecimal.ZERO)
    case micros: Long => (0, BigDecimal.valueOf(micros))
    case other =>
      val interval = other.asInstanceOf[CalendarInterval]
      val days = BigDecimal.valueOf(interval.days.toLong).multiply(MicrosPerDay)
      (interval.months, days.add(BigDecimal.valueOf(interval.microseconds)))
  }

  private def number(bound: Literal): Number = bound.value match {
    case decimal: Decimal => decimal.toJavaBigDecimal
    case other => other.asInstanceOf[Number]
  }

  /** A floating-point bound is read as its shortest decimal notation, as CAST does. */
  private def exact(bound: Literal): BigDecimal = number(bound) match {
    case decimal: BigDecimal => decimal
    case other => new BigDecimal(other.toString)
  }

  private val MaxUnsigned = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE)

  /** The bound rounded down, as an unsigned long; no two longs are further apart. */
  private def unsigned(bound: BigDecimal): Long =
    bound.setScale(0, RoundingMode.FLOOR).toBigInteger.min(MaxUnsigned).longValue

  /** Reads a key, without boxing it. */
  private trait LongKey { def read(row: InternalRow, ordinal: Int): Long }

  /** Counts an unsigned bound from where `shift` says. */
  private final class LongLimit(key: LongKey, shift: LongUnaryOperator, bound: Long)
      extends WithinArithmetic {
    private var last = 0L

    override def lastTime: Long = last

    override protected def beginAt(row: InternalRow, ordinal: Int): Boolean = {
      val from = shift.applyAsLong(key.read(row, ordinal))
      val room = Long.MaxValue - from
      last = if (java.lang.Long.compareUnsigned(bound, room) >= 0) Long.MaxValue else from + bound
      true
    }

    override protected def reaches(row: InternalRow, ordinal: Int): Boolean =
      key.read(row, ordinal) <= last
  }

  /** A DECIMAL that does not fit a long. */
  private final class DecimalLimit(keyType: DecimalType, bound: BigDecimal)
      extends WithinArithmetic {
    private var last: BigDecimal = _

    private def read(row: InternalRow, ordinal: Int): BigDecimal =
      row.getDecimal(ordinal, keyType.precision, keyType.scale).toJavaBigDecimal

    override protected def beginAt(row: InternalRow, ordinal: Int): Boolean = {
      last = read(row, ordinal).add(bound)
      true
    }

    override protected def reaches(row: InternalRow, ordinal: Int): Boolean =
      read(row, ordinal).compareTo(last) <= 0
  }

  /**
   * FLOAT and DOUBLE. The difference of two FLOAT values as DOUBLE, rounded to FLOAT, is that of
   * FLOAT arithmetic.
   */
  private final class FloatingLimit(isFloat: Boolean, bound: Double) extends WithinArithmetic {
    private var first = 0d

    private def read(row: InternalRow, ordinal: Int): Double =
      if (isFloat) row.getFloat(ordinal).toDouble else row.getDouble(ordinal)

    override protected def beginAt(row: InternalRow, ordinal: Int): Boolean = {
      first = read(row, ordinal)
      !first.isNaN
    }

    // False for NaN.
    override protected def reaches(row: InternalRow, ordinal: Int): Boolean = {
      val key = read(row, ordinal)
      val distance = key - first
      key == first || (if (isFloat) distance.toFloat.toDouble else distance) <= bound
    }
  }
}
