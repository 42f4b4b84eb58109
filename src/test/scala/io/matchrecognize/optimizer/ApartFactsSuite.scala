package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.expressions.{ExtremeValues, Fallible}

/**
 * Tests below the shuffle share common subexpressions, which Spark finds by canonical forms: those
 * that stay must have the truths that each has alone.
 */
class ApartFactsSuite extends AnyFunSuite with ExtremeValues {
  private val columns = IndexedSeq(DoubleType, DoubleType, DoubleType, FloatType, FloatType)
    .map(t => AttributeReference("c", t)())

  private def one[T](choices: T*): T = choices(random.nextInt(choices.length))

  private def number(dataType: DataType, depth: Int): Expression = {
    def part = number(dataType, depth - 1)
    if (depth == 0 || random.nextInt(6) == 0) one(columns.filter(_.dataType == dataType): _*)
    else
      random.nextInt(8) match {
        case 0 => new UnaryMinus(part)
        case 1 => Coalesce(Seq(part, part))
        case 2 => If(LessThan(part, part), part, part)
        case 3 if dataType == DoubleType => Cast(number(FloatType, depth - 1), DoubleType)
        case 4 | 5 => new Multiply(part, part)
        case _ => new Add(part, part)
      }
  }

  private def test: Expression = {
    val dataType = one(DoubleType, FloatType)
    def side = number(dataType, 3)
    def simple = random.nextInt(5) match {
      case 0 => GreaterThan(side, side)
      case 1 => EqualTo(side, side)
      case 2 => In(side, Seq(side, side))
      case 3 => IsNaN(side)
      case _ => LessThanOrEqual(side, side)
    }
    one(simple, And(simple, simple), Or(simple, Not(simple)))
  }

  /** The same sums and products in another order. */
  private def regrouped(e: Expression): Expression = e.transformUp {
    case Add(Add(x, y, _), z, _) if random.nextBoolean() => new Add(x, new Add(y, z))
    case Add(x, y, _) if random.nextBoolean() => new Add(y, x)
    case Multiply(Multiply(x, y, _), z, _) if random.nextBoolean() =>
      new Multiply(x, new Multiply(y, z))
    case And(x, y) if random.nextBoolean() => And(y, x)
    case GreaterThan(x, y) if random.nextBoolean() => LessThan(y, x)
  }

  private def truths(tests: Seq[Expression], rows: Seq[InternalRow]): Seq[Seq[Any]] = {
    val code = GenerateUnsafeProjection
      .generate(tests.map(BindReferences.bindReference(_, columns)), true)
    rows.map { row =>
      val found = code(row)
      tests.indices.map(i => if (found.isNullAt(i)) null else found.getBoolean(i))
    }
  }

  private def tenths(dataType: DataType): Any = dataType match {
    case FloatType => random.nextInt(9) / 10f
    case _ => random.nextInt(9) / 10.0
  }

  private lazy val pools = columns.map(c => values(c.dataType))

  private def rowsOf(count: Int): Seq[InternalRow] =
    // Sums of numbers of about the same size are rounded, too.
    Seq.fill(count)(InternalRow(pools.map(pick): _*)) ++
      Seq.fill(count)(InternalRow(columns.map(c => tenths(c.dataType)): _*))

  test("tests that have one bit have the same truths") {
    var equal = 0
    def bound(e: Expression) = BindReferences.bindReference(e, columns)
    (0 until 150 * effort).foreach { _ =>
      val one = number(DoubleType, 3)
      val other = if (random.nextInt(4) == 0) renamed(one) else regrouped(one)
      rowsOf(10).foreach { row =>
        // What is rounded otherwise is on the other side of such a limit.
        val limit = Literal(bound(one).eval(row), DoubleType)
        val tests = Seq(one, other).map(side => LessThanOrEqual(side, limit)) ++
          Seq(one, other).map(side => LessThanOrEqual(limit, side))
        tests.grouped(2).foreach { both =>
          if (both.map(TestConditionsBelow.form).distinct.size == 1) {
            equal += 1
            if (both.map(bound(_).eval(row)).distinct.size > 1) fail(s"${both.mkString(" and ")}")
          }
        }
      }
    }
    assert(equal > 1000)
  }

  /** The same with other spellings of the columns. */
  private def renamed(e: Expression): Expression = e.transform { case a: AttributeReference =>
    a.withName("C")
  }

  test("tests of one column of bits do not share what differs") {
    var left = 0
    var kept = 0
    (0 until 15 * effort).foreach { _ =>
      val some = Seq.fill(3)(test).flatMap(e => Seq(e, regrouped(e))).distinct
      assert(!some.exists(Fallible(_)))
      val apart = TestConditionsBelow.apart(some)
      left += some.length - apart.length
      kept += apart.length
      val rows = rowsOf(60)
      if (apart.length > 1) {
        val alone = apart.map(e => truths(Seq(e), rows).map(_.head)).transpose
        assert(truths(apart, rows) == alone, apart.mkString("\n"))
      }
    }
    // Some differ in no more than the order of a sum.
    assert(left > 0 && kept > 0)
  }
}
