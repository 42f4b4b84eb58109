package io.matchrecognize.execution.condition

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Count, Max, Min, Sum}
import org.apache.spark.sql.types._

import io.matchrecognize.execution.pointer.{AggregateProgram, PointerField}
import io.matchrecognize.expressions.{Casts, Course, Fallible, Finite, OrderedFunctions}
import io.matchrecognize.matcher.FoldOrder

/**
 * How the values of an aggregate of DEFINE are ordered.
 *
 * @param guard
 *   a test of the partition that has to succeed before the order may be used, if there is one
 */
final case class AggregateOrder(order: FoldOrder, guard: Option[OrderGuard])

object AggregateOrder {
  val none: AggregateOrder = AggregateOrder(FoldOrder.None, None)
}

/**
 * Succeeds if the absolute values that a sum may add in a partition are less than `below` together.
 * Then no path's sum can overflow, whichever rows it adds.
 *
 * @param value
 *   of a row, as DOUBLE and bound to `PointerBindings.Row`; NULL where nothing is added
 */
final case class OrderGuard(value: Expression, below: Double)

/**
 * Finds aggregates that the conditions only compare with bounds, all in one direction, as in
 * `SUM(A.x) <= 100`. Of two paths that differ in nothing else, the one with the smaller sum then
 * satisfies each condition that the other one satisfies, now and later: adding the same values to
 * both keeps their order.
 *
 * The last is so for COUNT, MIN and MAX of numbers and times, for SUM of integers up to INT, which
 * no number of rows overflows, and for SUM of floating-point numbers, because rounding keeps the
 * order; that of values that are NULL, NaN or infinite is not asked. A floating-point sum may still
 * overflow to an infinite one and then become NaN, on one of two paths. With bounds that are finite
 * that does no harm: of an infinite sum and NaN neither is below such a bound, and both are above
 * it. With other bounds, and for SUM of BIGINT, which may fail or wrap around on one of two paths,
 * an [[OrderGuard]] has to rule it out. Not for DISTINCT: it may add a value to one sum only.
 */
object AggregateOrders {

  // Less than the largest BIGINT and DOUBLE by more than rounding adds to or takes from a total.
  private final val SafeLong = 9.0e18
  private final val SafeDouble = 1e300

  /**
   * The order of each aggregate of DEFINE.
   *
   * @param hasAllRows
   *   whether a partition has all of its rows before it is searched, so that a guard can test them
   */
  def of(
      aggregates: IndexedSeq[AggregateProgram],
      conditions: Seq[Expression],
      fields: Array[PointerField],
      hasAllRows: Boolean
  ): IndexedSeq[AggregateOrder] = {
    val fallible = aggregates.map(mayFail)
    aggregates.indices.map { index =>
      val aggregate = aggregates(index)
      val direction = new Direction(index, fields, fallible)
      val order = conditions.map(direction.of).foldLeft[Course](Course.Stays)(_ + _) match {
        case Course.Rises => FoldOrder.LargerIsBetter
        case Course.Falls => FoldOrder.SmallerIsBetter
        case _ => FoldOrder.None
      }
      val isOrdered = keepsOrder(aggregate) &&
        (!isFloatingSum(aggregate) || conditions.forall(direction.isFinitelyBound))
      if (order == FoldOrder.None || isOrdered) AggregateOrder(order, None)
      else
        guardOf(aggregate)
          .filter(_ => hasAllRows && aggregate.readsColumnsOnly(fields))
          .fold(AggregateOrder.none)(guard => AggregateOrder(order, Some(guard)))
    }
  }

  /** Whether it has an order without a guard, if bounds are finite. */
  private[condition] def keepsOrder(aggregate: AggregateProgram): Boolean =
    !aggregate.isDistinct &&
      ordered.get(aggregate.function.getClass).exists(_(aggregate.function))

  private[condition] val ordered: Map[Class[_], AggregateFunction => Boolean] =
    Map[Class[_], AggregateFunction => Boolean](
      (classOf[Count], _ => true),
      (classOf[Sum], sum => isSmallInteger(sum.children.head) || isFloating(sum)),
      (classOf[Min], min => isSimple(min.dataType)),
      (classOf[Max], max => isSimple(max.dataType))
    )

  /** What has to hold for an aggregate to have an order, whatever the bounds are. */
  private[condition] def guardOf(aggregate: AggregateProgram): Option[OrderGuard] =
    aggregate.function match {
      case sum: Sum if !aggregate.isDistinct =>
        val below = sum.dataType match {
          case LongType => Some(SafeLong)
          case DoubleType => Some(SafeDouble)
          case _ => None
        }
        val value = if (sum.child.dataType == DoubleType) sum.child else Cast(sum.child, DoubleType)
        below.map(
          OrderGuard(aggregate.filter.fold(value)(If(_, value, Literal(null, DoubleType))), _)
        )
      case _ => None
    }

  /** Whether adding a row, or reading the result, may fail. */
  private def mayFail(aggregate: AggregateProgram): Boolean =
    (aggregate.function.children ++ aggregate.filter).exists(Fallible(_)) ||
      (aggregate.function match {
        case _: Count => false
        case _: Min | _: Max => !Fallible.isCompared(aggregate.function.dataType)
        case sum: Sum => !isSmallInteger(sum.child) && !isFloating(sum)
        case _ => true
      })

  private def isSmallInteger(e: Expression): Boolean = e match {
    case c: Cast
        if OrderedFunctions
          .isInteger(c.dataType) && Casts.cannotFail(c.child.dataType, c.dataType) =>
      isSmallInteger(c.child)
    case other =>
      other.dataType match {
        case ByteType | ShortType | IntegerType => true
        case _ => false
      }
  }

  private def isFloating(sum: AggregateFunction): Boolean = sum.dataType == DoubleType

  private def isFloatingSum(aggregate: AggregateProgram): Boolean =
    aggregate.function.isInstanceOf[Sum] && isFloating(aggregate.function)

  private def isSimple(dataType: DataType): Boolean = dataType match {
    case _: NumericType | DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }

  /**
   * How the truth of conditions develops with an aggregate.
   *
   * A path that is left out must not have failed where the better one did not. What may fail is
   * evaluated after conjuncts that are not FALSE. If they are not on the worse path, they are not
   * on the better one, which then fails as well; so AND may have parts that fail. TRUE parts of OR
   * hide what fails on the better path only.
   *
   * @param fallible
   *   for each aggregate whether it may fail
   */
  private final class Direction(
      index: Int,
      fields: Array[PointerField],
      fallible: IndexedSeq[Boolean]
  ) {

    def of(e: Expression): Course = e match {
      case _ if !reads(e) => Course.Stays
      case a: And => of(a.left) + of(a.right)
      case LessOrEqual(low, high) => courseOf(high) + courseOf(low).opposite
      case o: Or if !mayFail(o) => of(o.left) + of(o.right)
      case n: Not if !mayFail(n) => of(n.child).opposite
      case _ => Course.Unknown
    }

    private def courseOf(side: Expression): Course =
      if (!reads(side)) Course.Stays else if (isAggregate(side)) Course.Rises else Course.Unknown

    /** Whether it is compared with nothing that may be infinite or NaN. */
    def isFinitelyBound(e: Expression): Boolean = e
      .collect { case LessOrEqual(low, high) if reads(low) || reads(high) => Seq(low, high) }
      .flatten
      .filterNot(reads)
      .forall(Finite(_)(Finite.byType))

    private def isAggregate(e: Expression): Boolean = e match {
      case c: Cast =>
        Casts.keepsOrder(c.child.dataType, c.dataType) &&
        Casts.cannotFail(c.child.dataType, c.dataType) && isAggregate(c.child)
      case _ => isRead(e)
    }

    private def reads(e: Expression): Boolean = e.exists(isRead)

    private def isRead(e: Expression): Boolean = aggregateOf(e).contains(index)

    private def aggregateOf(e: Expression): Option[Int] = e match {
      case BoundReference(ordinal, _, _) =>
        Some(fields(ordinal)).collect { case PointerField.Aggregate(number, _) => number }
      case _ => None
    }

    private def mayFail(e: Expression): Boolean =
      Fallible(e) || e.exists(aggregateOf(_).exists(other => other != index && fallible(other)))
  }
}
