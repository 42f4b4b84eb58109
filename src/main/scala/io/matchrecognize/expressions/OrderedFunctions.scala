package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** How the value of an expression develops while one of its children rises. */
sealed trait Course

object Course {
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
      .collectFirst { case (_, rule) if rule.isDefinedAt(e) => rule(e) }
      .getOrElse(e.children.map(_ => Unknown))

  private[expressions] def names: Set[String] = rules.map(_._1).toSet

  /** The rule that knows an expression. */
  private[expressions] def ruleOf(e: Expression): Option[String] =
    rules.collectFirst { case (name, rule) if rule.isDefinedAt(e) => name }

  private type Rule = PartialFunction[Expression, Seq[Course]]
  private val sum: Seq[Course] = Seq(Rises, Rises)
  private val difference: Seq[Course] = Seq(Rises, Falls)

  private val rules: Seq[(String, Rule)] = Seq(
    "cast" -> { case c: Cast if Casts.keepsOrder(c.child.dataType, c.dataType) => Seq(Rises) },
    "minus" -> { case m: UnaryMinus if m.failOnError || !isInteger(m.dataType) => Seq(Falls) },
    "add" -> { case a: Add if isExact(a) => sum },
    "subtract" -> { case s: Subtract if isExact(s) => difference },
    "multiply" -> {
      case m: Multiply if isExact(m) =>
        Seq(if (isPositive(m.right)) Rises else Either, if (isPositive(m.left)) Rises else Either)
    },
    "divide" -> {
      case d: Divide if isExact(d) => Seq(if (isPositive(d.right)) Rises else Either, Unknown)
    },
    "div" -> {
      case d: IntegralDivide if EvalModes.isAnsi(d) && hasExactQuotient(d) =>
        Seq(if (isPositive(d.right)) Rises else Either, Unknown)
    },
    "subtract timestamps" -> {
      case s: SubtractTimestamps if !s.legacyInterval && SteadyClocks(s, s.left.dataType) =>
        difference
    },
    "subtract dates" -> { case s: SubtractDates if !s.legacyInterval => difference },
    "exact datediff" -> { case _: ExactDateDiff => difference },
    "timestamp to long" -> { case _: TimestampToLongBase => Seq(Rises) },
    "unix time" -> {
      case t: UnixTime if t.left.dataType == TimestampType && t.right.foldable =>
        Seq(Rises, Unknown)
    },
    "time plus interval" -> {
      case b: BinaryExpression if isTimePlusInterval(b) => Seq(Rises, Unknown)
    }
  )

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

  private def isPositive(e: Expression): Boolean = e match {
    case Literal(number: Double, DoubleType) => number > 0 && !number.isInfinite
    case Literal(number: Float, FloatType) => number > 0 && !number.isInfinite
    case Literal(number: Decimal, _) => number.toJavaBigDecimal.signum > 0
    case Literal(number: Long, LongType) => number > 0
    case Literal(number: Int, IntegerType) => number > 0
    case _ => false
  }

  /** A time and an interval that does not count days by the calendar. */
  private def isTimePlusInterval(e: BinaryExpression): Boolean = e match {
    case t: TimeZoneAwareExpression if TimePlusInterval.contains(e.getClass.getSimpleName) =>
      (e.left.dataType, e.right) match {
        case (TimestampType | TimestampNTZType, Literal(micros: Long, _: DayTimeIntervalType)) =>
          (micros > -MicrosPerDay && micros < MicrosPerDay) || SteadyClocks(t, e.left.dataType)
        case _ => false
      }
    case _ => false
  }

  // One name before Spark 4.1, another one since.
  private val TimePlusInterval = Set("TimeAdd", "TimestampAddInterval")
  private final val MicrosPerDay = 24L * 3600 * 1000 * 1000
}

/** Whether the clocks that an expression on times reads are never changed. */
object SteadyClocks {
  def apply(e: TimeZoneAwareExpression, dataType: DataType): Boolean =
    dataType == TimestampNTZType || e.zoneId.getRules.isFixedOffset
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
