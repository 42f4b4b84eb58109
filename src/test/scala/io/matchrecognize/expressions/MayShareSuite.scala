package io.matchrecognize.expressions

import java.time.ZoneId

import scala.collection.immutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin, SQLQueryContext}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}
import org.scalatest.funsuite.AnyFunSuite

class MayShareSuite extends AnyFunSuite {
  private val text = BoundReference(0, StringType, nullable = true)
  private val number = BoundReference(1, IntegerType, nullable = true)

  private def of(e: Expression): Boolean = {
    val ctx = new CodegenContext
    e.genCode(ctx)
    MayShare(ctx.references.toSeq)
  }

  private val words = Seq("a", "b").map(UTF8String.fromString)

  test("constants and sets of them are shared") {
    val collected = Literal(ArrayData.toArrayData(words.toArray[Any]), ArrayType(StringType, false))
    Seq(
      EqualTo(text, Literal("a")),
      EqualTo(number, Literal(5)),
      InSet(text, words.toSet),
      InCollectedSet(collected, text),
      LessThan(
        BoundReference(2, DecimalType(30, 2), nullable = true),
        Literal(Decimal("1.50"), DecimalType(30, 2))
      )
    ).foreach(e => assert(of(e), e))
  }

  test("the place of an expression in the query is shared") {
    val text = "CAST(n AS DECIMAL(4, 2))"
    val place = Origin(Some(1), Some(0), Some(0), Some(text.length - 1), Some(text))
    val cast = CurrentOrigin.withOrigin(place)(
      Cast(number, DecimalType(4, 2), None, EvalMode.ANSI)
    )
    val ctx = new CodegenContext
    cast.genCode(ctx)
    assert(ctx.references.exists(_.isInstanceOf[SQLQueryContext]))
    assert(MayShare(ctx.references.toSeq))
  }

  test("what is unknown is not") {
    // Spark makes the keys of arrays without generated code.
    val array = ArrayType(DoubleType, containsNull = false)
    val arrays = Seq(0.0, 1.0).map(v => ArrayData.toArrayData(Array[Any](v)))
    val collected = Literal(ArrayData.toArrayData(arrays.toArray[Any]), ArrayType(array, false))
    assert(!of(InCollectedSet(collected, BoundReference(3, array, nullable = true))))
    // A set that knows a collation, which says nothing of what is in it.
    val collated = BoundReference(0, DataType.fromDDL("STRING COLLATE UTF8_LCASE"), nullable = true)
    assert(!of(InSet(collated, words.toSet)))
    // Evaluated by the expression itself, which may keep anything.
    val interpreted = Like(text, text, '/')
    assert(of(interpreted))
    val function = ScalaUDF((x: Int) => x, IntegerType, Seq(number), Nil)
    Seq(function, CallMethodViaReflection(Seq(Literal("java.lang.Math"), Literal("random"))))
      .foreach(e => assert(!of(e), e))
    val ordered = immutable.TreeSet(1, 2)
    Seq[Any](new Object, Array(1), new java.util.HashSet[Int], ordered, Set(new Object)).foreach {
      o =>
        assert(!MayShare(Seq("a", o)))
    }
  }

  test("each class of objects that is known is found in generated code, or held by it") {
    val examples = Seq[Any](
      new CollectedSet(Literal(null), StringType, text),
      "a text",
      UTF8String.fromString("a"),
      Decimal("1.5"),
      new CalendarInterval(1, 2, 3L),
      true,
      1.toByte,
      1.toShort,
      1,
      1L,
      1f,
      1d,
      ZoneId.of("Europe/Berlin"),
      StringType,
      SQLQueryContext(None, None, None, None, None, None, None)
    )
    examples.foreach(e => assert(MayShare(Seq(e)), e))
    assert(MayShare.known.filterNot(known => examples.exists(known.isInstance)) == Nil)
  }
}
