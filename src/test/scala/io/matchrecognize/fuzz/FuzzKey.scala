package io.matchrecognize.fuzz

import java.sql.{Date, Timestamp}
import java.time._
import java.time.temporal.ChronoUnit.MICROS

import scala.util.Random

import org.apache.spark.sql.types._

/**
 * The type of the column `o`, which queries are ordered by and whose distances conditions compare.
 * In the oracle its values are Long, Float or Double, and times are Longs of some unit.
 *
 * @param sql
 *   name of the type
 * @param near
 *   values at distances that conditions tell apart
 * @param far
 *   infinite and extreme values, as far as their arithmetic does not fail without ANSI mode
 * @param distance
 *   a distance of so many units, and a negative one
 * @param distanceSql
 *   its text
 * @param external
 *   of a value that is not NULL, the one of a Row
 */
final class FuzzKey private (
    val sql: String,
    near: IndexedSeq[Any],
    far: IndexedSeq[Any],
    val distance: Long => Any,
    val distanceSql: Long => String,
    external: Any => Any
) {

  /** Whether it is a number, which can be multiplied. */
  val isNumber: Boolean = FuzzKey.numbers.contains(sql.takeWhile(_ != '('))

  /** Whether it has a negative and an absolute value. */
  val hasSign: Boolean = isNumber || sql.startsWith("INTERVAL")

  /** Whether its arithmetic wraps around, or fails in ANSI mode. */
  val wraps: Boolean = sql == "BIGINT"

  /** @param spread so many units are between the first and the last values */
  def draw(random: Random, spread: Int): Any = random.nextInt(9) match {
    case 0 => null
    case 1 | 2 => far(random.nextInt(far.size))
    case _ if spread == 0 => near(random.nextInt(near.size))
    case _ =>
      val units = distance(random.nextInt(spread).toLong)
      ScalarOracle.arithmetic("+", near(random.nextInt(near.size)), units)
  }

  def toRow(value: Any): Any = if (value == null) null else external(value)

  override def toString: String = sql
}

object FuzzKey {
  private val numbers = Set("DOUBLE", "FLOAT", "DECIMAL", "BIGINT")
  private final val Second = 1000000L

  /** Seconds from 1970 to 2024, to 1901 and to 9998. */
  private val at = 1704067200L
  private val farSeconds = Seq(-2177452800L, 253370764800L)

  private val halves = Seq(0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, -1.0, -2.5).toIndexedSeq
  private val counts = (0L to 9L) ++ Seq(-1L, -3L)
  private val seconds = (0L to 9L).map(_ * Second) ++ Seq(Second / 2, Second + 1, -Second)

  private def decimal(precision: Int): FuzzKey = new FuzzKey(
    s"DECIMAL($precision, 2)",
    halves,
    IndexedSeq(99999.5, -99999.5),
    _.toDouble,
    n => s"($n)",
    value => java.math.BigDecimal.valueOf(value.asInstanceOf[Double])
  )

  private def time(sql: String)(external: Instant => Any): FuzzKey = new FuzzKey(
    sql,
    seconds.map(_ + at * Second),
    farSeconds.map(_ * Second).toIndexedSeq,
    _ * Second,
    n => s"INTERVAL '$n' SECOND",
    value => external(instant(value.asInstanceOf[Long]))
  )

  private def instant(micros: Long): Instant = Instant.EPOCH.plus(micros, MICROS)

  /** Of an event time in microseconds. */
  def timestamp(micros: Long): Timestamp = Timestamp.from(instant(micros))

  val all: IndexedSeq[FuzzKey] = IndexedSeq(
    new FuzzKey(
      "DOUBLE",
      -0.0 +: halves,
      IndexedSeq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, 1e308, -1e308),
      _.toDouble,
      n => s"($n.0D)",
      identity
    ),
    new FuzzKey(
      "FLOAT",
      -0.0f +: halves.map(_.toFloat),
      IndexedSeq(Float.NaN, Float.PositiveInfinity, Float.NegativeInfinity, 3e38f, -3e38f),
      _.toFloat,
      n => s"CAST($n AS FLOAT)",
      identity
    ),
    new FuzzKey(
      "BIGINT",
      counts,
      IndexedSeq(Long.MaxValue, Long.MaxValue - 2, -Long.MaxValue, Long.MinValue),
      identity,
      n => s"(${n}L)",
      identity
    ),
    decimal(10),
    decimal(24),
    new FuzzKey(
      "DATE",
      counts.map(_ + at / 86400),
      farSeconds.map(_ / 86400).toIndexedSeq,
      identity,
      n => s"INTERVAL '$n' DAY",
      value => Date.valueOf(LocalDate.ofEpochDay(value.asInstanceOf[Long]))
    ),
    time("TIMESTAMP")(Timestamp.from),
    time("TIMESTAMP_NTZ")(LocalDateTime.ofInstant(_, ZoneOffset.UTC)),
    new FuzzKey(
      "INTERVAL DAY TO SECOND",
      seconds,
      IndexedSeq(1000000000L * Second, -1000000000L * Second),
      _ * Second,
      n => s"INTERVAL '$n' SECOND",
      value => Duration.of(value.asInstanceOf[Long], MICROS)
    ),
    new FuzzKey(
      "INTERVAL YEAR TO MONTH",
      counts,
      IndexedSeq(100000000L, -100000000L),
      identity,
      n => s"INTERVAL '$n' MONTH",
      value => Period.ofMonths(value.asInstanceOf[Long].toInt)
    )
  )

  /** A value of a row of the result as an oracle's, where it is of a type that only keys have. */
  def fromRow(value: Any): Option[Double] = value match {
    case time: Timestamp => Some(time.getTime / 1000 * 1e6 + time.getNanos / 1000)
    case time: LocalDateTime => Some(MICROS.between(epoch, time).toDouble)
    case date: Date => Some(date.toLocalDate.toEpochDay.toDouble)
    case duration: Duration => Some(duration.dividedBy(Duration.of(1, MICROS)).toDouble)
    case period: Period => Some(period.toTotalMonths.toDouble)
    case _ => None
  }

  private val epoch = LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC)

  /** A value of an oracle as Catalyst has it. */
  def internal(value: Any, dataType: DataType): Any = (value, dataType) match {
    case (null, _) => null
    case (number: Double, d: DecimalType) => Decimal(BigDecimal(number), d.precision, d.scale)
    case (number: Long, DateType | _: YearMonthIntervalType) => number.toInt
    case _ => value
  }
}
