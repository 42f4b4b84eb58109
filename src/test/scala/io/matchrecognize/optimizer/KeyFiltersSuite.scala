package io.matchrecognize.optimizer

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled
import io.matchrecognize.expressions.{ExtremeValues, Fallible, GroupingKey}

/** What `KeyFilters` adds to `Fallible`, on extreme and random values of all types. */
class KeyFiltersSuite extends AnyFunSuite with ExtremeValues {
  private def zone: Option[String] = Some(SQLConf.get.sessionLocalTimeZone)

  private val types = orderable.filter(GroupingKey.isBinaryStable)

  private def examples: Seq[Expression] = types.flatMap { t =>
    val x = ref(0, t)
    def text(pattern: String) = Like(x, Literal(pattern), '\\')
    val divisors = Seq(Literal(3), Literal(7L), Literal(-2L), Literal(5.toShort), Literal(2.toByte))
    Seq[Expression](
      text("a%_b"),
      text("%"),
      text("\\_%"),
      new Substring(x, Literal(-2), Literal(Int.MaxValue)),
      new Substring(x, Literal(0), Literal(3)),
      Concat(Seq(x, Literal("b"))),
      new StringTrim(x, None),
      new StringTrimLeft(x, None),
      new StringTrimRight(x, None),
      Year(x),
      Quarter(x),
      Month(x),
      DayOfMonth(x),
      DayOfWeek(x),
      WeekDay(x),
      Hour(x, zone),
      Minute(x, zone),
      Second(x, zone),
      Cast(x, StringType, zone),
      Cast(x, DateType, zone),
      new Murmur3Hash(Seq(x)),
      new XxHash64(Seq(x)),
      new Pmod(new Murmur3Hash(Seq(x)), Literal(8))
    ) ++ divisors.flatMap(d => Seq(new Remainder(x, d), new Pmod(x, d), new IntegralDivide(x, d)))
  }

  private def typeOf(e: Expression): DataType =
    e.collectFirst { case r: BoundReference => r.dataType }.get

  private def isTyped(e: Expression): Boolean =
    Try(e.resolved && e.checkInputDataTypes().isSuccess).getOrElse(false)

  test("what is said not to fail does not fail") {
    val settings = Sampled.oneIn(3, zones).map(true -> _) :+ (false -> zones.head)
    val found = settings.flatMap { case (ansi, zone) =>
      withSettings(ansi, zone) {
        val some = examples.filter(e => isTyped(e) && KeyFilters.cannotFail(e))
        some.groupBy(typeOf).foreach { case (dataType, same) =>
          val code = GenerateUnsafeProjection.generate(same)
          (values(dataType) :+ null).foreach { value =>
            val row = InternalRow(value)
            val failures = same.flatMap(e => Try(e.eval(row)).failed.toOption.map(e -> _)) ++
              Try(code(row)).failed.toOption.map(same.head -> _)
            failures.foreach { case (e, error) => fail(s"$e of $value, $ansi, $zone", error) }
          }
        }
        some
      }
    }
    val classes = found.filter(Fallible(_)).map(_.getClass.getSimpleName).toSet
    assert(classes == examples.map(_.getClass.getSimpleName).toSet)
  }

  test("what may fail, or is unknown, is not taken") {
    withSettings(ansi = true) {
      val (n, s, d) = (ref(0, LongType), ref(0, StringType), ref(0, DateType))
      Seq[Expression](
        new Remainder(n, Literal(0L)),
        new IntegralDivide(n, Literal(-1L)),
        new IntegralDivide(n, ref(1, LongType)),
        new Remainder(n, Literal(null, LongType)),
        new Add(n, Literal(1L)),
        Cast(s, IntegerType),
        Cast(d, TimestampType),
        Like(s, Literal("a\\b"), '\\'),
        Like(s, ref(1, StringType), '\\'),
        RLike(s, Literal("(a|b)*")),
        IsNull(Cast(s, IntegerType))
      ).foreach(e => assert(!KeyFilters.cannotFail(e), e))
    }
  }
}
