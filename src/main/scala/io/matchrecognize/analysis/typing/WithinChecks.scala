package io.matchrecognize.analysis.typing

import org.apache.spark.sql.catalyst.expressions.{Descending, Expression, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

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
    val expected = key.dataType match {
      case TimestampType | TimestampNTZType | DateType => "an interval such as INTERVAL '10' MINUTE"
      case _: NumericType => "a number"
      case _ => throw Errors.withinKeyType(key, place)
    }
    if (order.direction == Descending) throw Errors.withinDirection(key, place)
    val literal = Constants.fold(bound).filter(fits(key.dataType, _))
    WithinBound(
      literal.getOrElse(
        throw Errors.withinBound(bound, key, place, expected, node.positions.within)
      ),
      SQLConf.get.sessionLocalTimeZone
    )
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
