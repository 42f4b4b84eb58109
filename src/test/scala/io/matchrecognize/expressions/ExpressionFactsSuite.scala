package io.matchrecognize.expressions

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{ArrayData, TypeUtils}
import org.apache.spark.sql.execution.ScalarSubquery
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/**
 * What `Fallible`, `Casts` and `OrderedFunctions` say of expressions, checked on extreme and random
 * values. Each rule needs an example here that it applies to.
 */
class ExpressionFactsSuite extends AnyFunSuite with ExtremeValues {
  // Casts that may or may not be taken, between all types that Spark casts.
  private def casts: Seq[Cast] = for {
    from <- numbers ++ times ++ Seq(StringType, BooleanType, interval)
    to <- numbers ++ times ++ Seq(StringType, interval)
    if Cast.canCast(from, to) || Cast.canAnsiCast(from, to)
  } yield Cast(ref(0, from), to, Some(SQLConf.get.sessionLocalTimeZone))

  private def arithmetic: Seq[Expression] = (numbers ++ Seq(interval)).flatMap { t =>
    val (x, y) = (ref(0, t), ref(1, t))
    Seq(new Add(x, y), new Subtract(x, y), new UnaryMinus(x), new Abs(x)) ++
      (if (t == interval) Nil else Seq(new Multiply(x, y)))
  }

  private def failing: Seq[Expression] = {
    val text = ref(0, StringType)
    val other = ref(1, StringType)
    val pair = StructType.fromDDL("a INT, b STRING")
    val comparisons = (numbers ++ times ++ Seq(StringType, BinaryType, BooleanType, pair)).flatMap {
      t =>
        val (x, y) = (ref(0, t), ref(1, t))
        Seq(
          EqualTo(x, y),
          EqualNullSafe(x, y),
          LessThan(x, y),
          LessThanOrEqual(x, y),
          GreaterThan(x, y),
          GreaterThanOrEqual(x, y),
          In(x, Seq(y, x)),
          IsNull(x),
          IsNotNull(x),
          Coalesce(Seq(x, y)),
          If(EqualTo(x, y), x, y),
          CaseWhen(Seq(EqualTo(x, y) -> x), y)
        )
    }
    val flag = ref(0, BooleanType)
    val bits = Seq(ByteType, ShortType, IntegerType, LongType).flatMap { t =>
      val (x, y) = (ref(0, t), ref(1, t))
      Seq(BitwiseAnd(x, y), BitwiseOr(x, y), BitwiseXor(x, y), BitwiseNot(x))
    }
    val words = values(StringType).take(3)
    val collected = Literal(ArrayData.toArrayData(words.toArray[Any]), ArrayType(StringType, false))
    comparisons ++ bits ++ casts ++ arithmetic ++ Seq(
      And(flag, ref(1, BooleanType)),
      Or(flag, ref(1, BooleanType)),
      Not(flag),
      IsNaN(ref(0, DoubleType)),
      Length(text),
      Length(ref(0, BinaryType)),
      Upper(text),
      Lower(text),
      StartsWith(text, other),
      EndsWith(text, other),
      Contains(text, other),
      InSet(text, words.toSet),
      InCollectedSet(collected, text),
      GetStructField(ref(0, pair), 0),
      ConditionBit(ref(0, IntegerType), 3, "bit"),
      Literal(5)
    )
  }

  test("what cannot fail does not fail") {
    val proven = for {
      ansi <- Seq(true, false)
      zone <- zones
      e <- withSettings(ansi, zone)(failing)
      if !Fallible(e)
    } yield withSettings(ansi, zone) {
      val types =
        e.collect { case r: BoundReference => r }.distinct.sortBy(_.ordinal).map(_.dataType)
      val pools = types.map(values)
      val code = UnsafeProjection.create(Seq(e))
      val rows =
        pools.headOption.toSeq.flatten.map(v => InternalRow(v +: pools.drop(1).map(pick): _*)) ++
          Seq.fill(50)(InternalRow(pools.map(pick): _*))
      rows.foreach { row =>
        val found = Try(e.eval(row)).flatMap(_ => Try(code(row)))
        assert(found.isSuccess, s"$e of $row: $found")
      }
      e.getClass
    }
    // These have no value of their own, or another suite's.
    val others = Set[Class[_]](
      classOf[BoundReference],
      classOf[AttributeReference],
      classOf[Navigation],
      classOf[ScalarSubquery]
    )
    assert(Fallible.infallible.keySet -- others -- proven == Set.empty)
  }

  private def ordered: Seq[Expression] = {
    val zone = Some(SQLConf.get.sessionLocalTimeZone)
    val literals =
      Seq(Literal(3L), Literal(-2L), Literal(0.7), Literal(1.5f), Literal(Decimal("2.5")))
    val divisions = for {
      (x, y) <- numbers.map(t => (ref(0, t), ref(1, t))) ++ Seq(
        (ref(0, interval), ref(1, interval)),
        (ref(0, DecimalType(18, 0)), ref(1, DecimalType(18, 9))),
        (ref(0, DecimalType(9, 0)), ref(1, DecimalType(18, 9)))
      )
      e <- Seq(new Divide(x, y), new IntegralDivide(x, y))
    } yield e
    val steps = Seq(
      0L,
      1L,
      -1L,
      3600000000L,
      -3600000000L,
      86399999999L,
      86400000000L,
      -86400000000L,
      200000000000L,
      Long.MinValue,
      Long.MaxValue
    )
    casts ++ arithmetic ++ divisions ++
      literals.flatMap { l =>
        val x = ref(0, l.dataType)
        Seq(new Multiply(x, l), new Multiply(l, x), new Divide(x, l), new IntegralDivide(x, l))
      } ++
      Seq(TimestampType, TimestampNTZType).flatMap { t =>
        val (x, y) = (ref(0, t), ref(1, t))
        SubtractTimestamps(x, y, legacyInterval = false, zone) +:
          steps.map(s => plusInterval(x, Literal(s, interval), zone))
      } ++ {
        val (d, f) = (ref(0, DateType), ref(1, DateType))
        val t = ref(0, TimestampType)
        Seq(
          SubtractDates(d, f, legacyInterval = false),
          DateDiff(d, f),
          ExactDateDiff(d, f),
          UnixSeconds(t),
          UnixMillis(t),
          UnixMicros(t),
          UnixTimestamp(t, Literal("yyyy"), zone, failOnError = true),
          ToUnixTimestamp(t, Literal("yyyy"), zone, failOnError = false),
          UnixTimestamp(d, Literal("yyyy"), zone, failOnError = true)
        )
      }
  }

  // One name before Spark 4.1, another one since.
  private def plusInterval(time: Expression, step: Literal, zone: Option[String]): Expression = {
    val name =
      Seq("TimestampAddInterval", "TimeAdd").map("org.apache.spark.sql.catalyst.expressions." + _)
    val found = name.flatMap(n => Try(Class.forName(n)).toOption).head
    found.getConstructors
      .find(_.getParameterCount == 3)
      .get
      .newInstance(time, step, zone)
      .asInstanceOf[Expression]
  }

  /** The results for rising values of a child, the others fixed; None without a result. */
  private def results(e: Expression, child: Int): Seq[Option[Any]] = {
    val pools = e.children.map(c => values(c.dataType))
    val row = new GenericInternalRow(e.children.length)
    e.children.indices.foreach { i =>
      val finite = pools(i).filter {
        case d: Double => !d.isNaN && !d.isInfinite
        case f: Float => !f.isNaN && !f.isInfinite
        case _ => true
      }
      row.update(i, finite(random.nextInt(finite.length)))
    }
    pools(child).map { v =>
      row.update(child, v)
      Try(e.eval(row)).toOption.filter {
        case null => false
        case d: Double => !d.isNaN
        case f: Float => !f.isNaN
        case _ => true
      }
    }
  }

  private def keeps(e: Expression, child: Int, course: Course): Boolean = {
    val found = results(e, child)
    val inside = found.dropWhile(_.isEmpty).reverse.dropWhile(_.isEmpty).reverse
    val order = TypeUtils.getInterpretedOrdering(e.dataType).asInstanceOf[Ordering[Any]]
    def isRising(of: Seq[Any]) = of.zip(of.drop(1)).forall { case (a, b) => order.lteq(a, b) }
    inside.forall(_.isDefined) && {
      val values = inside.flatten
      course match {
        case Course.Rises => isRising(values)
        case Course.Falls => isRising(values.reverse)
        case _ => isRising(values) || isRising(values.reverse)
      }
    }
  }

  test("what rises or falls does so") {
    val proven = for {
      ansi <- Seq(true, false)
      zone <- zones
      e <- withSettings(ansi, zone)(ordered)
      (course, child) <- OrderedFunctions.of(e).zipWithIndex
      if course != Course.Unknown && e.children(child).isInstanceOf[BoundReference]
    } yield {
      // Literals stay what they are.
      withSettings(ansi, zone)((0 until 40).foreach { _ =>
        assert(keeps(e, child, course), s"$course with child $child: $e, ANSI mode $ansi, $zone")
      })
      OrderedFunctions.ruleOf(e).get
    }
    assert(OrderedFunctions.names -- proven == Set.empty)
  }

  test("what is not taken would be wrong, or is unknown") {
    def isTaken(e: Expression) = OrderedFunctions.of(e).exists(_ != Course.Unknown)
    val (x, y) = (ref(0, DateType), ref(1, DateType))
    assert(!isTaken(DateDiff(x, y)) && isTaken(OrderedFunctions.exact(DateDiff(x, y))))
    val wide = (ref(0, DecimalType(18, 0)), ref(1, DecimalType(18, 9)))
    withSettings(ansi = true) {
      assert(!isTaken(new IntegralDivide(wide._1, wide._2)))
      assert(isTaken(new IntegralDivide(ref(0, DecimalType(9, 0)), wide._2)))
      assert(!isTaken(Cast(ref(0, DecimalType(10, 0)), IntegerType)))
      assert(Fallible(Cast(ref(0, DecimalType(10, 0)), IntegerType)))
      assert(Fallible(Cast(x, TimestampType)) && Fallible(Cast(x, TimestampNTZType)))
      // A child that fails does not make its parent fail.
      val child = new Add(ref(0, LongType), ref(1, LongType))
      assert(EvalModes.isAnsi(child))
      assert(withSettings(ansi = false)(!EvalModes.isAnsi(new Subtract(child, child))))
    }
    withSettings(ansi = false) {
      assert(!isTaken(new Add(ref(0, LongType), ref(1, LongType))))
      assert(!isTaken(new UnaryMinus(ref(0, LongType))))
    }
    withSettings(ansi = true, "Europe/Berlin") {
      assert(!isTaken(Cast(ref(0, TimestampType), TimestampNTZType, Some("Europe/Berlin"))))
    }
  }
}
