package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GeneratePredicate
import org.apache.spark.sql.types.{DoubleType, FloatType, LongType}
import org.scalatest.funsuite.AnyFunSuite

class FloatingComparisonSuite extends AnyFunSuite {
  private val numbers: Seq[Any] = Seq(
    null,
    Double.NaN,
    java.lang.Double.longBitsToDouble(0xfff8000000000001L), // another NaN
    Double.NegativeInfinity,
    -1.5,
    -0.0,
    0.0,
    Double.MinPositiveValue,
    1.5,
    Double.PositiveInfinity
  )

  test("all comparisons of all kinds of numbers are Spark's, generated and interpreted") {
    for {
      dataType <- Seq(DoubleType, FloatType)
      (x, y) <- numbers.flatMap(x => numbers.map(x -> _))
      compare <- Seq(
        LessThan(_, _),
        GreaterThan(_, _),
        LessThanOrEqual(_, _),
        GreaterThanOrEqual(_, _)
      )
    } {
      val row = InternalRow(Seq(x, y).map {
        case number: Double if dataType == FloatType => number.toFloat
        case other => other
      }: _*)
      def column(ordinal: Int) = BoundReference(ordinal, dataType, nullable = true)
      val plain = compare(column(0), column(1))
      val rewritten = FloatingComparison.in(plain)
      assert(rewritten.isInstanceOf[FloatingComparison])
      val expected = plain.eval(row)
      val what = s"${plain.sql} of $row"
      assert(rewritten.eval(row) == expected, what)
      val isTrue = GeneratePredicate.generate(rewritten, useSubexprElimination = false).eval(row)
      assert(isTrue == (expected == true), what)
      val negated = GeneratePredicate.generate(Not(rewritten), useSubexprElimination = false)
      assert(negated.eval(row) == (expected == false), what)
    }
  }

  test("other comparisons stay as they are") {
    val long = BoundReference(0, LongType, nullable = true)
    val double = BoundReference(1, DoubleType, nullable = true)
    Seq(LessThan(long, long), EqualTo(double, double), EqualNullSafe(double, double)).foreach {
      plain => assert(FloatingComparison.in(plain) eq plain)
    }
  }
}
