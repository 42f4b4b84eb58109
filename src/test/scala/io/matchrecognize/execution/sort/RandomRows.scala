package io.matchrecognize.execution.sort

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Random rows of random key columns, with few different values; the last column numbers them. */
final class RandomRows(random: Random) {
  private val types = Seq(
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(10, 2)",
    "DECIMAL(30, 5)",
    "STRING",
    "STRING COLLATE UTF8_LCASE",
    "BINARY",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
    "INTERVAL YEAR TO MONTH",
    "INTERVAL DAY TO SECOND",
    "STRUCT<a: INT, b: STRING>",
    "ARRAY<DOUBLE>"
  ).map(DataType.fromDDL)

  private def pick[T](values: T*): T = values(random.nextInt(values.length))

  def columns(count: Int): Seq[Attribute] =
    Seq.tabulate(count) { i =>
      AttributeReference(s"c$i", pick(types: _*), random.nextBoolean())()
    } :+ AttributeReference("number", IntegerType, nullable = false)()

  def order(key: Expression): SortOrder =
    SortOrder(key, pick(Ascending, Descending), pick(NullsFirst, NullsLast), Nil)

  /** @param range about how many different values a column has */
  def rows(columns: Seq[Attribute], count: Int, range: Int): Seq[UnsafeRow] = {
    val toUnsafe = UnsafeProjection.create(columns.map(_.dataType).toArray)
    Seq.tabulate(count) { number =>
      val values = columns.init.map { c =>
        if (c.nullable && random.nextInt(5) == 0) null else value(c.dataType, range)
      }
      toUnsafe(InternalRow.fromSeq(values :+ number)).copy()
    }
  }

  private def value(dataType: DataType, range: Int): Any = {
    def number: Int = random.nextInt(range) - range / 2
    dataType match {
      case BooleanType => random.nextBoolean()
      case ByteType => pick(Byte.MinValue, Byte.MaxValue, number.toByte)
      case ShortType => pick(Short.MinValue, Short.MaxValue, number.toShort)
      case IntegerType | DateType | _: YearMonthIntervalType =>
        pick(Int.MinValue, Int.MaxValue, number, number)
      case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType =>
        pick(Long.MinValue, Long.MaxValue, number.toLong, number * 1000000007L)
      case FloatType =>
        pick(0f, -0f, Float.NaN, Float.NegativeInfinity, number.toFloat, number / 8f)
      case DoubleType => double(number)
      case d: DecimalType => Decimal(BigDecimal(number) / 4, d.precision, d.scale)
      case BinaryType => text(number).getBytes
      case _: StringType => text(number)
      case StructType(fields) => InternalRow(fields.map(f => value(f.dataType, range)).toSeq: _*)
      case ArrayType(_, _) =>
        new GenericArrayData(Array.fill[Any](random.nextInt(3))(double(number)))
      case other => throw new IllegalArgumentException(other.sql)
    }
  }

  private def double(number: Int): Double =
    pick(0d, -0d, Double.NaN, Double.PositiveInfinity, number.toDouble, number / 3d)

  private def text(number: Int): UTF8String = UTF8String.fromString(
    pick("", "\u0000", "a", "A", "é", "seven77", "eight888", "eight889", s"a$number") +
      pick("", "", "\u0000", "b", "B", s"long suffix $number")
  )
}
