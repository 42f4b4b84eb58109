package io.matchrecognize.expressions

import java.nio.{ByteBuffer, ByteOrder}
import java.time.ZoneId

import scala.jdk.CollectionConverters._
import scala.util.{Random, Try}

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, TypeUtils}
import org.apache.spark.sql.catalyst.{FunctionIdentifier, InternalRow}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String, VariantVal}

/** Extreme and random values of all types, for suites that check facts about all values. */
trait ExtremeValues {

  /** How many random cases there are, in tens; `make fuzz` has more. */
  protected val effort: Int = sys.props.get("fuzz.facts").fold(1)(_.toInt)
  protected val random = new Random(sys.props.get("fuzz.seed").fold(5L)(_.toLong))

  protected def ref(ordinal: Int, dataType: DataType): BoundReference =
    BoundReference(ordinal, dataType, nullable = true)

  private def types(names: String*): Seq[DataType] =
    names.flatMap(name => Try(DataType.fromDDL(name)).toOption)

  protected val numbers: Seq[DataType] =
    Seq(ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType) ++
      Seq(1 -> 0, 1 -> 1, 3 -> 0, 9 -> 0, 10 -> 0, 10 -> 5, 18 -> 0, 18 -> 9, 18 -> 18).map {
        case (precision, scale) => DecimalType(precision, scale)
      } ++
      Seq(19 -> 0, 20 -> 0, 28 -> 0, 29 -> 0, 38 -> 0, 38 -> 18, 38 -> 37, 38 -> 38).map {
        case (precision, scale) => DecimalType(precision, scale)
      }
  protected val times: Seq[DataType] = Seq(DateType, TimestampType, TimestampNTZType)
  protected val interval: DayTimeIntervalType = DayTimeIntervalType()

  /** Types of texts; `CHAR` and `VARCHAR` where Spark keeps them. */
  protected val texts: Seq[DataType] = Seq(StringType, CharType(5), VarcharType(9)) ++ types(
    "STRING COLLATE UTF8_LCASE",
    "STRING COLLATE UNICODE",
    "STRING COLLATE UNICODE_CI",
    "STRING COLLATE UTF8_BINARY_RTRIM"
  )

  private val nested: Seq[DataType] = types(
    "STRUCT<a: INT, b: STRING>",
    "STRUCT<d: DOUBLE, c: STRING COLLATE UTF8_LCASE, s: STRUCT<x: DECIMAL(20, 3)>>",
    "ARRAY<INT>",
    "ARRAY<DOUBLE>",
    "ARRAY<STRING COLLATE UNICODE_CI>"
  )

  /** All types whose values have an order, on this minor. */
  protected val orderable: Seq[DataType] = numbers ++ times ++ texts ++ nested ++
    Seq(BooleanType, BinaryType, interval, NullType) ++ types(
      "INTERVAL DAY",
      "INTERVAL HOUR TO MINUTE",
      "INTERVAL SECOND",
      "INTERVAL YEAR TO MONTH",
      "INTERVAL MONTH",
      "TIME(0)",
      "TIME(6)",
      "TIMESTAMP_NTZ(9)",
      "TIMESTAMP_LTZ(9)"
    )

  /** Types of places on minors that have them, of which neither has an order. */
  protected val places: Seq[DataType] = types("GEOMETRY(4326)", "GEOGRAPHY(4326)")

  /** All types of columns. */
  protected val allTypes: Seq[DataType] =
    orderable ++ places ++ Seq(CalendarIntervalType, VariantType) ++
      types("MAP<INT, STRING>", "STRUCT<v: VARIANT, i: INTERVAL>", "ARRAY<VARIANT>") ++
      places.map(ArrayType(_)) ++ places.map(p => StructType(Seq(StructField("p", p))))

  protected val zones: Seq[String] =
    Seq("UTC", "Europe/Berlin", "Pacific/Apia", "America/St_Johns", "+05:45")

  // When clocks change, in seconds: the latest changes of each zone, and some of all.
  private lazy val changes: IndexedSeq[Long] = zones.flatMap { zone =>
    val all = ZoneId.of(zone).getRules.getTransitions.asScala.map(_.toEpochSecond).toIndexedSeq
    all.takeRight(2) ++ Seq.fill(2)(all).filter(_.nonEmpty).map(one)
  }.toIndexedSeq :+ 1729987200L

  private def one[T](from: IndexedSeq[T]): T = from(random.nextInt(from.length))

  private def longs(least: Long, most: Long): Seq[Long] = {
    val near = Seq(0L, 1L, 2L, 1000L, 86400000000L, 2932896L)
    val some = near ++ near.map(-_) ++ near.map(least + _) ++ near.map(most - _) ++
      Seq.fill(40 + 10 * effort)(random.nextLong() >> random.nextInt(64))
    val clocks = changes.flatMap { t =>
      Seq.fill(4)(t * 1000000L + (random.nextLong() % 90000000000L)) ++
        Seq(t * 1000000L, t * 1000000L - 1)
    }
    (some ++ clocks).filter(v => v >= least && v <= most)
  }

  private def doubles: Seq[Double] =
    Seq(0.0, -0.0, 1.0, 0.1, 1e-300, 1e300, 1e17, 3.5e9, Double.MinPositiveValue)
      .flatMap(v => Seq(v, -v)) ++
      Seq(Double.MaxValue, Double.MinValue, Double.NaN, Double.PositiveInfinity) ++
      // Another NaN.
      Seq(Double.NegativeInfinity, java.lang.Double.longBitsToDouble(0xfff8000000000001L)) ++
      Seq.fill(40 + 10 * effort)(random.nextGaussian() * math.pow(10, random.nextInt(40) - 20.0))

  private def decimals(d: DecimalType): Seq[Decimal] = {
    val most = BigInt(10).pow(d.precision) - 1
    val some = Seq.fill(40 + 10 * effort)(BigInt(random.nextInt(d.precision * 3) + 1, random))
    (Seq[BigInt](0, 1, 7, most, most - 1, most / 2) ++ some.filter(_ <= most))
      .flatMap(v => Seq(v, -v))
      .map(v => Decimal(BigDecimal(v, d.scale), d.precision, d.scale))
  }

  private val pieces =
    IndexedSeq("", "a", "A", "b", "ß", "ss", "SS", "ǆ", "İ", "i̇", "é", "e\u0301") ++
      IndexedSeq("Σ", "ς", "\u0000", " ", "  ", "😀", "Ω", "\uffff", "%", "_", "longer than eight")

  private def strings: Seq[UTF8String] =
    (pieces ++ Seq.fill(20 + 10 * effort)(Seq.fill(random.nextInt(4))(one(pieces)).mkString))
      .map(UTF8String.fromString) ++
      // Not UTF-8.
      Seq(Array[Byte](-1, -61), Array[Byte](97, -61), Array[Byte](-30, -126), Array[Byte](-128))
        .map(UTF8String.fromBytes(_: Array[Byte]))

  private def variants: Seq[VariantVal] =
    Seq("1", "null", "\"a\"", "[1, 2]", "{\"b\": 1.5}").map { json =>
      val variant = VariantBuilder.parseJson(json, false)
      new VariantVal(variant.getValue, variant.getMetadata)
    }

  /** Points, one of them with another byte order and one that is empty, by a function of Spark. */
  private def points(function: String, arguments: Expression*): Seq[Any] = {
    def point(order: ByteOrder, x: Double, y: Double): Array[Byte] = {
      val flag: Byte = if (order == ByteOrder.LITTLE_ENDIAN) 1 else 0
      val bytes = ByteBuffer.allocate(21).order(order)
      bytes.put(flag).putInt(1).putDouble(x).putDouble(y).array()
    }
    val build = FunctionRegistry.builtin.lookupFunctionBuilder(FunctionIdentifier(function)).get
    val numbers = Seq(0.0, -0.0, 1.5, -89.0, 90.0)
    val some = numbers.flatMap(x => numbers.map(point(ByteOrder.LITTLE_ENDIAN, x, _))) ++
      Seq(
        point(ByteOrder.BIG_ENDIAN, 1.5, -89),
        point(ByteOrder.LITTLE_ENDIAN, Double.NaN, Double.NaN)
      )
    val conf = new SQLConf
    conf.setConfString("spark.sql.geospatial.enabled", "true")
    SQLConf.withExistingConf(conf) {
      some.map { bytes =>
        build(Literal(bytes) +: arguments) match {
          case written: RuntimeReplaceable => written.replacement.eval()
          case other => other.eval()
        }
      }
    }
  }

  /** Types that are known to Spark of this minor only: what Spark makes of texts. */
  private def parsed(dataType: DataType): Seq[Any] = {
    val days = Seq("0001-01-01", "1969-12-31", "1970-01-01", "2024-10-27", "9999-12-31")
    val hours = Seq("00:00:00", "00:00:00.000001", "23:59:59.999999", "02:30:00", "12:00:01.5")
    for {
      text <- hours ++ days.flatMap(day => hours.map(hour => s"$day $hour"))
      value <- Try(Cast(Literal(text), dataType, Some("UTC")).eval()).toOption if value != null
    } yield value
  }

  /** Extreme and random values, in no order. */
  private def some(dataType: DataType): Seq[Any] = dataType match {
    case ByteType => (-128 to 127).map(_.toByte)
    case ShortType => longs(Short.MinValue.toLong, Short.MaxValue.toLong).map(_.toShort)
    case IntegerType | DateType | _: YearMonthIntervalType =>
      longs(Int.MinValue.toLong, Int.MaxValue.toLong).map(_.toInt)
    case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType =>
      longs(Long.MinValue, Long.MaxValue)
    case DoubleType => doubles
    case FloatType => doubles.map(_.toFloat)
    case d: DecimalType => decimals(d)
    case BooleanType => Seq(false, true)
    case c: CharType => strings.map(s => s.substring(0, c.length).rpad(c.length, space))
    case v: VarcharType => strings.map(_.substring(0, v.length))
    case _: StringType => strings
    case BinaryType =>
      Seq(Array[Byte](), Array[Byte](1, -1), Array[Byte](0)) ++
        Seq.fill(10 * effort)(random.nextBytes(random.nextInt(20)))
    case NullType => Nil
    case CalendarIntervalType =>
      Seq.fill(20)(
        new CalendarInterval(random.nextInt(), random.nextInt(), random.nextLong())
      ) :+ new CalendarInterval(0, 0, 0L)
    case VariantType => variants
    case StructType(fields) =>
      val pools = fields.toSeq.map(f => some(f.dataType).toIndexedSeq)
      Seq.fill(40)(InternalRow(pools.map(pick): _*))
    case ArrayType(element, _) =>
      val pool = some(element).toIndexedSeq
      Seq.fill(40)(new GenericArrayData(Array.fill[Any](random.nextInt(4))(pick(pool))))
    case MapType(key, value, _) =>
      val (keys, pool) = (some(key).distinct.toIndexedSeq, some(value).toIndexedSeq)
      Seq.fill(20) {
        val found = Seq.fill(random.nextInt(3))(one(keys)).distinct
        ArrayBasedMapData(found.toArray, found.map(_ => pick(pool)).toArray)
      }
    case other if other.typeName.startsWith("geometry") => points("st_geomfromwkb", Literal(4326))
    case other if other.typeName.startsWith("geography") => points("st_geogfromwkb")
    case other => parsed(other)
  }

  private val space = UTF8String.fromString(" ")

  /** Extreme and random values, ascending if the type has an order. */
  protected def values(dataType: DataType): IndexedSeq[Any] = {
    val found = some(dataType).toIndexedSeq
    if (RowOrdering.isOrderable(dataType) && dataType != NullType)
      found.sorted(TypeUtils.getInterpretedOrdering(dataType).asInstanceOf[Ordering[Any]])
    else found
  }

  protected def withSettings[T](ansi: Boolean, zone: String = "UTC")(body: => T): T = {
    val conf = new SQLConf
    conf.setConfString("spark.sql.ansi.enabled", ansi.toString)
    conf.setConfString("spark.sql.session.timeZone", zone)
    SQLConf.withExistingConf(conf)(body)
  }

  /** One of some values, or NULL. */
  protected def pick(from: IndexedSeq[Any]): Any =
    if (from.isEmpty || random.nextInt(12) == 0) null else one(from)
}
