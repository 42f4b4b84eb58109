package io.matchrecognize.expressions

import java.time.ZoneId

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.{MICROS_PER_DAY, MICROS_PER_SECOND}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._

import io.matchrecognize.shims.MinorClass

/**
 * How a value develops while another one rises, as that of an expression with one of its children.
 */
sealed trait Course {
  import Course._

  /** That of the negative value, or of NOT. */
  def opposite: Course = this match {
    case Rises => Falls
    case Falls => Rises
    case other => other
  }

  /** That of a sum, or of AND and OR. */
  def +(other: Course): Course = (this, other) match {
    case (Stays, _) => other
    case (_, Stays) | (Rises, Rises) | (Falls, Falls) => this
    case _ => Unknown
  }
}

object Course {
  case object Stays extends Course
  case object Rises extends Course
  case object Falls extends Course

  /** It rises or it falls, which the other children decide. */
  case object Either extends Course

  /** Nothing is known. */
  case object Unknown extends Course
}

/**
 * Expressions that rise or fall with a child while the others stay the same: a larger value of the
 * child never gives a smaller result (or never a larger one). Rounding may make results equal.
 * Where the expression fails or is NULL or NaN, it is so for all values beyond one, so between two
 * values with a result all have one. It takes finite floating-point numbers for the other children.
 *
 * That is so for all values of the types, or the expression is not here: integers that wrap around
 * without ANSI mode are not, nor times by clocks that change. `ExpressionFactsSuite` checks each.
 */
object OrderedFunctions {
  import Course._

  /** For each child; `Unknown` for all if nothing is known. */
  def of(e: Expression): Seq[Course] =
    rules
      .get(e.getClass)
      .collect { case rule if rule.isDefinedAt(e) => rule(e) }
      .getOrElse(e.children.map(_ => Unknown))

  /** The classes of expressions that may have a course. */
  private[expressions] def classes: Set[Class[_]] = rules.keySet

  private type Rule = PartialFunction[Expression, Seq[Course]]
  private val sum: Seq[Course] = Seq(Rises, Rises)
  private val difference: Seq[Course] = Seq(Rises, Falls)

  private val rules: Map[Class[_], Rule] = Map[Class[_], Rule](
    rule[Cast] { case c if Casts.keepsOrder(c.child.dataType, c.dataType) => Seq(Rises) },
    rule[UnaryMinus] { case m if m.failOnError || !isInteger(m.dataType) => Seq(Falls) },
    rule[Add] { case a if isExact(a) => sum },
    rule[Subtract] { case s if isExact(s) => difference },
    rule[Multiply] { case m if isExact(m) => Seq(scaledBy(m.right), scaledBy(m.left)) },
    rule[Divide] { case d if isExact(d) => Seq(scaledBy(d.right), Unknown) },
    rule[IntegralDivide] {
      case d if EvalModes.isAnsi(d) && hasExactQuotient(d) => Seq(scaledBy(d.right), Unknown)
    },
    rule[SubtractTimestamps] {
      case s if !s.legacyInterval && SteadyClocks(s, s.left.dataType) => difference
    },
    rule[SubtractDates] { case s if !s.legacyInterval => difference },
    rule[ExactDateDiff] { case _ => difference },
    rule[UnixSeconds] { case _ => Seq(Rises) },
    rule[UnixMillis] { case _ => Seq(Rises) },
    rule[UnixMicros] { case _ => Seq(Rises) },
    rule[UnixTimestamp](unixTime),
    rule[ToUnixTimestamp](unixTime)
  ) ++ TimePlusInterval.classes.map(_ -> timePlusInterval)

  private def rule[E <: Expression](
      courses: PartialFunction[E, Seq[Course]]
  )(implicit of: ClassTag[E]): (Class[_], Rule) =
    (of.runtimeClass, { case e: E if courses.isDefinedAt(e) => courses(e) })

  private def unixTime: Rule = {
    case t: UnixTime if t.left.dataType == TimestampType && t.right.foldable => Seq(Rises, Unknown)
  }

  // A time and an interval that does not count days by the calendar.
  private def timePlusInterval: Rule = {
    case TimePlusInterval(_, micros, clocks)
        if (micros > -MICROS_PER_DAY && micros < MICROS_PER_DAY) || clocks == 0 =>
      Seq(Rises, Unknown)
  }

  /**
   * An expression with a course that has the same value wherever it does not fail; the same
   * expression if there is none.
   */
  def exact(e: Expression): Expression = e match {
    case d: DateDiff => ExactDateDiff(d.left, d.right)
    case _ => e
  }

  def isInteger(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  /** Whether it fails, or returns NULL, where the result is out of range. */
  private def isExact(e: Expression): Boolean = e.dataType match {
    case _: NumericType => !isInteger(e.dataType) || EvalModes.isAnsi(e)
    case other => other.isInstanceOf[DayTimeIntervalType]
  }

  // The quotient of other decimals may wrap around, in ANSI mode too, and so may that of intervals.
  private def hasExactQuotient(e: IntegralDivide): Boolean =
    (e.left.dataType, e.right.dataType) match {
      case (dividend: DecimalType, divisor: DecimalType) =>
        dividend.precision - dividend.scale + divisor.scale <= Decimal.MAX_LONG_DIGITS
      // Spark casts smaller integers.
      case (dividend, divisor) => dividend == LongType && divisor == LongType
    }

  /** Of a product by its other factor, of a quotient by its divisor. */
  private def scaledBy(factor: Expression): Course = if (isPositive(factor)) Rises else Either

  private def isPositive(e: Expression): Boolean = e match {
    case Literal(number: Double, DoubleType) => number > 0 && !number.isInfinite
    case Literal(number: Float, FloatType) => number > 0 && !number.isInfinite
    case Literal(number: Decimal, _) => number.toJavaBigDecimal.signum > 0
    case Literal(number: Long, LongType) => number > 0
    case Literal(number: Int, IntegerType) => number > 0
    case _ => false
  }

  /** A time, an interval of days and less in microseconds, and how much its clocks change. */
  object TimePlusInterval {
    private[expressions] def classes: Seq[Class[_]] =
      Seq(MinorClass.TimeAdd, MinorClass.TimestampAddInterval).flatMap(_.found)

    def unapply(e: Expression): Option[(Expression, Long, Long)] = e match {
      case t: BinaryExpression with TimeZoneAwareExpression if classes.contains(t.getClass) =>
        (t.left.dataType, t.right) match {
          case (
                time @ (TimestampType | TimestampNTZType),
                Literal(n: Long, _: DayTimeIntervalType)
              ) =>
            Some((t.left, n, SteadyClocks.change(t, time)))
          case _ => None
        }
      case _ => None
    }
  }
}

/** How much the clocks that an expression on times reads are changed. */
object SteadyClocks {
  def apply(e: TimeZoneAwareExpression, dataType: DataType): Boolean =
    change(e, dataType) == 0

  /** The difference between the largest and the smallest offset of the zone, in microseconds. */
  def change(e: TimeZoneAwareExpression, dataType: DataType): Long =
    if (dataType == TimestampNTZType) 0 else change(e.zoneId)

  def change(zone: String): Long = change(DateTimeUtils.getZoneId(zone))

  private def change(zone: ZoneId): Long = {
    val rules = zone.getRules
    val transitions =
      rules.getTransitions.asScala.flatMap(t => Seq(t.getOffsetBefore, t.getOffsetAfter))
    val yearly =
      rules.getTransitionRules.asScala.flatMap(t => Seq(t.getOffsetBefore, t.getOffsetAfter))
    val seconds =
      (transitions ++ yearly :+ rules.getOffset(java.time.Instant.EPOCH)).map(_.getTotalSeconds)
    (seconds.max - seconds.min) * MICROS_PER_SECOND
  }
}

/** Where an expression keeps its mode differs between Spark minors. */
object EvalModes {
  def isAnsi(e: Expression): Boolean = has(e, EvalMode.ANSI)
  def isTry(e: Expression): Boolean = has(e, EvalMode.TRY)

  private def has(e: Expression, wanted: EvalMode.Value): Boolean = e.productIterator.exists {
    case mode: EvalMode.Value => mode == wanted
    // Not a child, which has a mode of its own.
    case _: Expression => false
    case context: Product => context.productIterator.contains(wanted)
    case _ => false
  }
}

/** `DATEDIFF`, which wraps around; this one fails then. */
final case class ExactDateDiff(left: Expression, right: Expression) extends BinaryExpression {
  override def dataType: DataType = IntegerType

  override protected def nullSafeEval(end: Any, start: Any): Any =
    Math.subtractExact(end.asInstanceOf[Int], start.asInstanceOf[Int])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, (end, start) => s"java.lang.Math.subtractExact($end, $start)")

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): ExactDateDiff = copy(left = newLeft, right = newRight)
}
