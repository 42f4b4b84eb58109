package io.matchrecognize.analysis.typing

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Descending, Expression, Literal}
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

import io.matchrecognize.analysis.names.OuterConstants
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.plans.{UnresolvedMatchRecognize, WithinBound}

/**
 * Checks WITHIN and folds its bound to a literal. The leading ORDER BY key is ascending and a
 * TIMESTAMP, TIMESTAMP_NTZ or DATE, which an interval bounds, or numeric, which a number bounds.
 *
 * A bound is constant if it folds once parameters and session variables are replaced by their
 * values; an error in its arithmetic (a division by zero) is raised as Spark raises it.
 */
object WithinChecks {
  def bound(node: UnresolvedMatchRecognize): Option[WithinBound] =
    node.clause.within.filterNot(OuterConstants.isPlaceholder).map(checked(node, _))

  private def checked(node: UnresolvedMatchRecognize, bound: Expression): WithinBound = {
    val order = node.clause.orderSpec.headOption
      .getOrElse(throw Errors.missingOrderBy("WITHIN", node.positions.within))
    val (key, place) = node.orderKeys.head
    val isTime = key.dataType match {
      case TimestampType | TimestampNTZType | DateType => true
      case _: NumericType => false
      case _ => throw Errors.withinKeyType(key, place)
    }
    if (order.direction == Descending) throw Errors.withinDirection(key, place)
    val folded = Constants.fold(bound)
    lazy val expected = if (isTime) s"an interval such as ${interval(folded)}" else number(folded)
    val literal = folded.filter(fits(key.dataType, _))
    WithinBound(
      literal.getOrElse(
        throw Errors.withinBound(bound, key, place, expected, node.positions.within)
      ),
      SQLConf.get.sessionLocalTimeZone
    )
  }

  /** An interval, if possible the one that was meant. */
  private def interval(bound: Option[Literal]): String = bound match {
    case Some(Literal(text: UTF8String, _: StringType)) if isInterval(text) => s"INTERVAL '$text'"
    case Some(Literal(count: Int, _)) if count > 0 => s"INTERVAL '$count' MINUTE"
    case _ => "INTERVAL '10' MINUTE"
  }

  private def isInterval(text: UTF8String): Boolean =
    !text.toString.exists(c => c == '-' || c == '\'') &&
      Try(IntervalUtils.stringToInterval(text)).isSuccess

  private def number(bound: Option[Literal]): String = bound match {
    case Some(Literal(text: UTF8String, _: StringType)) if text.toString.matches("[0-9]+") =>
      s"a number such as $text"
    case _ => "a number"
  }

  private def fits(keyType: DataType, bound: Literal): Boolean = (keyType, bound.value) match {
    case (_, null) => false
    case (_: NumericType, value) =>
      val isExact = keyType != FloatType && keyType != DoubleType
      value match {
        case number: Double => number >= 0 && !(isExact && number.isInfinite)
        case number: Float => number >= 0 && !(isExact && number.isInfinite)
        case number: Decimal => number.toJavaBigDecimal.signum >= 0
        case number: Number => bound.dataType.isInstanceOf[NumericType] && number.longValue >= 0
        case _ => false
      }
    case (_, value) =>
      bound.dataType match {
        case _: DayTimeIntervalType => value.asInstanceOf[Long] >= 0
        case _: YearMonthIntervalType => value.asInstanceOf[Int] >= 0
        case CalendarIntervalType =>
          val interval = value.asInstanceOf[CalendarInterval]
          interval.months >= 0 && interval.days >= 0 && interval.microseconds >= 0
        case _ => false
      }
  }
}
