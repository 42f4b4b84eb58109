package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.types._

import io.matchrecognize.expressions.ConditionShape.{AllOf, AnyOf, Compared, Ordered}

/**
 * How far the leading ORDER BY key of a tested row, which ascends, can be from that of an earlier
 * one if a condition such as `ts <= PREV(ts) + INTERVAL '1' HOUR` is TRUE: upper bounds in the
 * key's own unit, of times and dates in microseconds that elapse.
 *
 * Both sides of a comparison are taken as sums of keys and constants. Not taken are
 *
 *   - floating-point keys, whose sums are rounded
 *   - integers that wrap around without ANSI mode, and decimals that lose digits
 *
 * A month has at most 31 days; what goes by the clocks of a zone may take as much longer as the
 * clocks change.
 *
 * @param isTested
 *   whether a navigation reads the tested row
 */
final class KeyDistances(key: Expression, isTested: NavigationTarget => Boolean) {
  import KeyDistances._

  /** The bound on the distance from the row that some navigations read; none if there is none. */
  def of(condition: Expression, isEarlier: NavigationTarget => Boolean): Option[BigDecimal] =
    ConditionShape.of(condition) match {
      case AllOf(parts) => parts.flatMap(of(_, isEarlier)).minOption
      case AnyOf(parts) =>
        val all = parts.map(of(_, isEarlier))
        Option.when(all.forall(_.isDefined))(all.flatten.max)
      case Compared(a, Comparison.Equal, b) =>
        (bound(a, b, isEarlier) ++ bound(b, a, isEarlier)).minOption
      case Ordered(low, high, _) => bound(low, high, isEarlier)
      case _ => None
    }

  private def bound(
      low: Expression,
      high: Expression,
      isEarlier: NavigationTarget => Boolean
  ): Option[BigDecimal] =
    difference(low, high, None).collect {
      case Sum(Seq(later), Seq(earlier), least, _) if isTested(later) && isEarlier(earlier) =>
        (-least).max(0)
    }

  /** @param row the row whose columns it reads, in a navigation */
  private def sum(e: Expression, row: Option[NavigationTarget]): Option[Sum] = e match {
    case _ if e.semanticEquals(key) => row.map(target => Sum(Seq(target), Nil, 0, 0))
    case Navigation(value, target) if row.isEmpty => sum(value, Some(target))
    case Literal(n: Decimal, _) => Some(constant(n.toBigDecimal))
    case Literal(micros: Long, _: DayTimeIntervalType) => Some(constant(micros))
    case Literal(n: Number, dataType) if OrderedFunctions.isInteger(dataType) =>
      Some(constant(if (key.dataType == DateType) days(n.longValue) else n.longValue))
    case c: Cast if Casts.cannotFail(c.child.dataType, c.dataType) && !Floating(c.dataType) =>
      sum(c.child, row)
    case a: Add if isExact(a) => total(a.left, a.right, row)
    case s: Subtract if isExact(s) => difference(s.left, s.right, row)
    case d: DateAdd => total(d.startDate, d.days, row)
    case d: DateSub => difference(d.startDate, d.days, row)
    case d: DateDiff => difference(d.endDate, d.startDate, row)
    case s: SubtractDates if !s.legacyInterval => difference(s.left, s.right, row)
    case s: SubtractTimestamps if !s.legacyInterval =>
      difference(s.left, s.right, row).map(_.widened(SteadyClocks.change(s, s.left.dataType)))
    case OrderedFunctions.TimePlusInterval(time, micros, clocks) =>
      val change = if (micros.abs < MICROS_PER_DAY) 0L else clocks
      sum(time, row).map(_ + constant(micros).widened(change))
    case DateAddYMInterval(date, Literal(n: Int, _)) => sum(date, row).map(_ + months(n))
    case t @ TimestampAddYMInterval(time, Literal(n: Int, _), _) =>
      sum(time, row).map(_ + months(n).widened(SteadyClocks.change(t, time.dataType)))
    case _ => None
  }

  private def total(a: Expression, b: Expression, row: Option[NavigationTarget]) =
    for (x <- sum(a, row); y <- sum(b, row)) yield x + y

  private def difference(a: Expression, b: Expression, row: Option[NavigationTarget]) =
    for (x <- sum(a, row); y <- sum(b, row)) yield x + y.negative

  /** Whether it has the exact result, or fails or is NULL. */
  private def isExact(e: BinaryArithmetic): Boolean = e.dataType match {
    case result: DecimalType =>
      e.children.map(_.dataType).forall {
        case operand: DecimalType => operand.scale <= result.scale
        case _ => false
      }
    case _: DayTimeIntervalType => true
    case other => OrderedFunctions.isInteger(other) && EvalModes.isAnsi(e)
  }
}

object KeyDistances {

  /** Whether distances of such keys are exact. */
  def isExactKey(dataType: DataType): Boolean = isTime(dataType) ||
    dataType.isInstanceOf[DecimalType] || OrderedFunctions.isInteger(dataType)

  /** Whether distances are times. */
  def isTime(dataType: DataType): Boolean = dataType match {
    case TimestampType | TimestampNTZType | DateType => true
    case _ => false
  }

  /** The longest that a number of months may take. */
  def longest(months: Int): BigDecimal = days(31L * months)

  def days(number: Long): BigDecimal = BigDecimal(number) * MICROS_PER_DAY

  private def months(number: Int): Sum =
    Sum(Nil, Nil, longest(number.min(0)), longest(number.max(0)))

  private def constant(value: BigDecimal): Sum = Sum(Nil, Nil, value, value)

  /** Keys of rows, added and subtracted, and a constant between two numbers. */
  private final case class Sum(
      added: Seq[NavigationTarget],
      subtracted: Seq[NavigationTarget],
      least: BigDecimal,
      most: BigDecimal
  ) {
    def +(other: Sum): Sum = Sum(
      added ++ other.added,
      subtracted ++ other.subtracted,
      least + other.least,
      most + other.most
    )
    def negative: Sum = Sum(subtracted, added, -most, -least)
    def widened(by: Long): Sum = copy(least = least - by, most = most + by)
  }
}
