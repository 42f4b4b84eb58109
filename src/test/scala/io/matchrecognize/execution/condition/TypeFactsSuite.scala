package io.matchrecognize.execution.condition

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Minor
import io.matchrecognize.expressions.{ExtremeValues, GroupingKey}

/** What is said of the values of types, for all types and extreme and random values. */
class TypeFactsSuite extends AnyFunSuite with ExtremeValues {

  private def order(dataType: DataType): Ordering[Any] =
    TypeUtils.getInterpretedOrdering(dataType).asInstanceOf[Ordering[Any]]

  /** Values of a type, each with its bytes; equal values and neighbours among them. */
  private def withBytes(dataType: DataType, key: Expression): IndexedSeq[(Any, UnsafeRow)] = {
    val toUnsafe = UnsafeProjection.create(Seq(key))
    values(dataType).map(v => (v, toUnsafe(InternalRow(v)).copy()))
  }

  private def equalBytes(dataType: DataType, key: Expression): Option[String] = {
    val found = withBytes(dataType, key)
    val compare = order(dataType)
    val pairs = found.zip(found.drop(1)) ++
      Seq.fill(200 * effort)((found(random.nextInt(found.size)), found(random.nextInt(found.size))))
    pairs.collectFirst {
      case ((a, x), (b, y)) if compare.equiv(a, b) != (x == y) => s"$a and $b of ${dataType.sql}"
    }
  }

  private val types = orderable.filter(_ != NullType)

  test("there are values of every type of this minor") {
    val names = allTypes.map(_.sql)
    def isThere(name: String) = names.exists(_.startsWith(name))
    val always = Seq("CHAR(5)", "VARCHAR(9)", "VARIANT", "ARRAY<VARIANT>", "INTERVAL") ++
      Seq("STRING COLLATE UTF8_LCASE", "STRING COLLATE UNICODE_CI", "STRUCT<v: VARIANT")
    assert(always.filterNot(isThere) == Nil)
    // A name that a minor does not know would be left out in silence.
    assert(isThere("TIME(6)") == Minor.has("4.1"))
    Seq("GEOMETRY(", "GEOGRAPHY(").foreach(name => assert(isThere(name) == Minor.has("4.1"), name))
    val empty = allTypes.filter(t => t != NullType && values(t).forall(_ == null))
    assert(empty.map(_.sql) == Nil)
  }

  test("keys are equal if their bytes are, where they are not made so") {
    val stable = types.filter(GroupingKey.isBinaryStable)
    assert(
      Set[DataType](StringType, BinaryType, LongType, DecimalType(38, 38)).subsetOf(stable.toSet)
    )
    assert(stable.flatMap(t => equalBytes(t, ref(0, t))) == Nil)
  }

  test("normalized keys are equal if their bytes are") {
    val found = types.flatMap(t => equalBytes(t, GroupingKey.normalize(ref(0, t))))
    assert(found == Nil)
  }

  test("types that are ordered as longs are") {
    val found = allTypes.filter(Ordinals.isOrderedAsLong)
    assert(found.contains(DoubleType) && found.contains(DecimalType(18, 9)))
    found.foreach { t =>
      val all = withBytes(t, ref(0, t))
      all.foreach { case (value, row) =>
        val ordinal = Ordinals.of(value)
        assert(Ordinals.ofRaw(row.getLong(0), t) == ordinal, s"$value of ${t.sql}")
        assert(order(t).equiv(Ordinals.value(ordinal, t), value), s"$value of ${t.sql}")
      }
      all.zip(all.drop(1)).foreach { case ((a, _), (b, _)) =>
        val sign = Ordinals.of(a).compare(Ordinals.of(b))
        assert(sign == order(t).compare(a, b).sign, s"$a and $b of ${t.sql}")
      }
    }
  }
}
