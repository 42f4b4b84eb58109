package io.matchrecognize.optimizer

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.matchrecognize.expressions.Fallible

/**
 * Whether a filter on keys cannot fail, whatever their values: it is built of what [[Fallible]]
 * knows and of functions that such filters often have. `KeyFiltersSuite` evaluates each of them.
 */
private[optimizer] object KeyFilters {
  def cannotFail(e: Expression): Boolean =
    (Fallible.infallible.get(e.getClass).exists(_(e)) || isKnown(e)) && e.children.forall(
      cannotFail
    )

  private def isKnown(e: Expression): Boolean = e match {
    // It runs before the first row is filtered, whatever becomes of its value.
    case subquery: ScalarSubquery => subquery.children.isEmpty
    // A semi-join.
    case _: InSubquery => true
    case query: ListQuery => query.children.isEmpty
    case cast: Cast => isSafe(cast.child.dataType, cast.dataType)
    case Like(_, pattern: Literal, _) => isPattern(e, pattern)
    case _: Substring | _: Concat => e.children.headOption.exists(_.dataType == StringType)
    case _: StringTrim | _: StringTrimLeft | _: StringTrimRight => e.dataType == StringType
    case _: Year | _: Quarter | _: Month | _: DayOfMonth | _: DayOfWeek | _: WeekDay => true
    case _: Hour | _: Minute | _: Second => true
    case _: Murmur3Hash | _: XxHash64 => true
    case Remainder(_, divisor: Literal, _) => isDivisor(divisor)
    case Pmod(_, divisor: Literal, _) => isDivisor(divisor)
    case IntegralDivide(_, divisor: Literal, _) => isDivisor(divisor)
    case _ => false
  }

  private def isSafe(from: DataType, to: DataType): Boolean = (from, to) match {
    case (_: NumericType | BooleanType, StringType) => true
    case (DateType | TimestampType | TimestampNTZType, StringType) => true
    case (TimestampType | TimestampNTZType, DateType) => true
    case _ => false
  }

  /** Whether a pattern of LIKE is well formed. */
  private def isPattern(like: Expression, pattern: Literal): Boolean =
    Try(like.withNewChildren(Seq(Literal("x"), pattern)).eval()).isSuccess

  /** Whether an integer can be divided by it: by -1 the least one cannot. */
  private def isDivisor(divisor: Literal): Boolean = divisor match {
    case Literal(n: Number, ByteType | ShortType | IntegerType | LongType) =>
      n.longValue != 0 && n.longValue != -1
    case _ => false
  }
}
