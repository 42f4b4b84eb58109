package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Count, Max, Min, Sum}
import org.apache.spark.sql.types._

import io.matchrecognize.expressions.{Casts, OrderedFunctions}
import io.matchrecognize.matcher.FoldOrder

/**
 * Finds aggregates that the conditions only compare with bounds, all in one direction, as in
 * `SUM(A.x) <= 100`. Of two paths that differ in nothing else, the one with the smaller sum then
 * satisfies each condition that the other one satisfies, now and later: adding the same values to
 * both keeps their order.
 *
 * The last is so for COUNT, MIN and MAX of numbers and times, for SUM of integers up to INT, which
 * no number of rows overflows, and for SUM of floating-point numbers, because rounding keeps the
 * order; that of values that are NULL, NaN or infinite is not asked. A floating-point sum may still
 * overflow to an infinite one and then become NaN, on one of two paths; so its bounds must be
 * finite: of an infinite sum and NaN neither is below such a bound, and both are above it. Not for
 * DISTINCT: it may add a value to one sum only.
 */
object AggregateOrders {

  /** The order of each aggregate of DEFINE. */
  def of(
      aggregates: IndexedSeq[AggregateProgram],
      conditions: Seq[ConditionProgram],
      fields: Array[PointerField]
  ): IndexedSeq[FoldOrder] = aggregates.indices.map { index =>
    val isSum = aggregates(index).function match {
      case sum: Sum => isFloating(sum)
      case _ => false
    }
    val reads = conditions.map(new Direction(index, fields, isSum).ofProgram)
    if (keepsOrder(aggregates(index))) reads.foldLeft[Use](Unused)(both) match {
      case Ordered(order) => order
      case _ => FoldOrder.None
    }
    else FoldOrder.None
  }

  private[compile] def keepsOrder(aggregate: AggregateProgram): Boolean =
    !aggregate.isDistinct &&
      ordered.get(aggregate.function.getClass).exists(_(aggregate.function))

  private[compile] val ordered: Map[Class[_], AggregateFunction => Boolean] =
    Map[Class[_], AggregateFunction => Boolean](
      (classOf[Count], _ => true),
      (classOf[Sum], sum => isSmallInteger(sum.children.head) || isFloating(sum)),
      (classOf[Min], min => isSimple(min.dataType)),
      (classOf[Max], max => isSimple(max.dataType))
    )

  // A sum of BIGINT may overflow on one of two paths only: it would fail, or wrap around.
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

  private def isSimple(dataType: DataType): Boolean = dataType match {
    case _: NumericType | DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }

  /** How a condition uses an aggregate. */
  private sealed trait Use
  private case object Unused extends Use
  private final case class Ordered(order: FoldOrder) extends Use
  private case object Otherwise extends Use

  private def both(a: Use, b: Use): Use = (a, b) match {
    case (Unused, other) => other
    case (other, Unused) => other
    case _ => if (a == b) a else Otherwise
  }

  private def opposite(use: Use): Use = use match {
    case Ordered(FoldOrder.LargerIsBetter) => Ordered(FoldOrder.SmallerIsBetter)
    case Ordered(FoldOrder.SmallerIsBetter) => Ordered(FoldOrder.LargerIsBetter)
    case other => other
  }

  /** @param isFinite whether bounds must not be infinite or NaN */
  private final class Direction(index: Int, fields: Array[PointerField], isFinite: Boolean) {

    def ofProgram(condition: ConditionProgram): Use = {
      val use = ofCondition(condition.expression)
      // Otherwise a path that is left out might have failed.
      if (condition.mayFail && use != Unused) Otherwise else use
    }

    private def ofCondition(e: Expression): Use = e match {
      case _ if !reads(e) => Unused
      case a: And => both(ofCondition(a.left), ofCondition(a.right))
      case o: Or => both(ofCondition(o.left), ofCondition(o.right))
      case n: Not => opposite(ofCondition(n.child))
      case LessOrEqual(low, high) => ofComparison(low, high)
      case _ => Otherwise
    }

    private def ofComparison(low: Expression, high: Expression): Use =
      if (isAggregate(low) && isBound(high)) Ordered(FoldOrder.SmallerIsBetter)
      else if (isAggregate(high) && isBound(low)) Ordered(FoldOrder.LargerIsBetter)
      else Otherwise

    private def isBound(e: Expression): Boolean = !reads(e) && (!isFinite || isNumber(e))

    private def isNumber(e: Expression): Boolean = e match {
      case Literal(number: Double, _) => !number.isNaN && !number.isInfinite
      case Literal(number: Float, _) => !number.isNaN && !number.isInfinite
      case c: Cast if Casts.cannotFail(c.child.dataType, c.dataType) => isNumber(c.child)
      case _ =>
        e.dataType match {
          case FloatType | DoubleType => false
          case _ => true
        }
    }

    private def isAggregate(e: Expression): Boolean = e match {
      case r: BoundReference => isRead(r)
      case c: Cast => Casts.keepsOrder(c.child.dataType, c.dataType) && isAggregate(c.child)
      case _ => false
    }

    private def reads(e: Expression): Boolean = e.exists {
      case r: BoundReference => isRead(r)
      case _ => false
    }

    private def isRead(r: BoundReference): Boolean = fields(r.ordinal) match {
      case PointerField.Aggregate(`index`, _) => true
      case _ => false
    }
  }
}
