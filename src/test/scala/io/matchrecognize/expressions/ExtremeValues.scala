package io.matchrecognize.expressions

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Extreme and random values of types, for suites that check facts about all values. */
trait ExtremeValues {
  protected val random = new Random(5)

  protected def ref(ordinal: Int, dataType: DataType): BoundReference =
    BoundReference(ordinal, dataType, nullable = true)

  protected val numbers: Seq[DataType] = Seq(
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    DecimalType(3, 0),
    DecimalType(10, 0),
    DecimalType(10, 5),
    DecimalType(18, 0),
    DecimalType(18, 18),
    DecimalType(20, 0),
    DecimalType(38, 0),
    DecimalType(38, 18)
  )
  protected val times: Seq[DataType] = Seq(DateType, TimestampType, TimestampNTZType)
  protected val interval = DayTimeIntervalType()
  protected val zones = Seq("UTC", "Europe/Berlin", "Pacific/Apia")

  /** Extreme and random values, ascending. */
  protected def values(dataType: DataType): IndexedSeq[Any] = {
    def longs(least: Long, most: Long): Seq[Long] = {
      val near = Seq(0L, 1L, 2L, 1000L, 86400000000L)
      val some = near ++ near.map(-_) ++ near.map(least + _) ++ near.map(most - _) ++
        Seq.fill(60)(random.nextLong() >> random.nextInt(64))
      // Around changes of clocks: 27 October 2024, 31 March 2024, 30 December 2011.
      val clocks = Seq(1729987200L, 1711846800L, 1325239200L).flatMap { t =>
        Seq.fill(20)(t * 1000000L + (random.nextLong() % 90000000000L))
      }
      (some ++ clocks).filter(v => v >= least && v <= most)
    }
    def doubles = Seq(0.0, -0.0, 1.0, 0.1, 1e-300, 1e300, 1e17, 3.5e9, Double.MinPositiveValue)
      .flatMap(v => Seq(v, -v)) ++ Seq(Double.MaxValue, Double.MinValue, Double.NaN) ++
      Seq(Double.PositiveInfinity, Double.NegativeInfinity) ++
      Seq.fill(60)(random.nextGaussian() * math.pow(10, random.nextInt(40) - 20.0))
    val found: Seq[Any] = dataType match {
      case ByteType => (-128 to 127).map(_.toByte)
      case ShortType => longs(Short.MinValue.toLong, Short.MaxValue.toLong).map(_.toShort)
      case IntegerType | DateType => longs(Int.MinValue.toLong, Int.MaxValue.toLong).map(_.toInt)
      case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType =>
        longs(Long.MinValue, Long.MaxValue)
      case DoubleType => doubles
      case FloatType => doubles.map(_.toFloat)
      case d: DecimalType =>
        val most = BigInt(10).pow(d.precision) - 1
        val some = Seq.fill(60)(BigInt(random.nextInt(d.precision * 3) + 1, random))
        (Seq[BigInt](0, 1, 7, most, most - 1, most / 2) ++ some.filter(_ <= most))
          .flatMap(v => Seq(v, -v))
          .map(v => Decimal(BigDecimal(v, d.scale), d.precision, d.scale))
      case BooleanType => Seq(false, true)
      case StringType =>
        Seq("", "a", "A", "ß", "ǆ", "\u0000", "longer than eight bytes").map(
          UTF8String.fromString
        ) :+
          UTF8String.fromBytes(Array(0xff.toByte, 0xc3.toByte))
      case BinaryType => Seq(Array[Byte](), Array[Byte](1, -1))
      case s: StructType =>
        values(s.head.dataType).map(v =>
          InternalRow(v +: s.fields.toSeq.drop(1).map(_ => null): _*)
        )
      case other => throw new IllegalArgumentException(other.sql)
    }
    val order = TypeUtils.getInterpretedOrdering(dataType)
    found.sorted(order.asInstanceOf[Ordering[Any]]).toIndexedSeq
  }

  protected def withSettings[T](ansi: Boolean, zone: String = "UTC")(body: => T): T = {
    val conf = new SQLConf
    conf.setConfString("spark.sql.ansi.enabled", ansi.toString)
    conf.setConfString("spark.sql.session.timeZone", zone)
    SQLConf.withExistingConf(conf)(body)
  }

  protected def pick(from: IndexedSeq[Any]): Any =
    if (random.nextInt(12) == 0) null else from(random.nextInt(from.length))
}
