package io.matchrecognize.optimizer

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types._

import io.matchrecognize.expressions.{ConditionShape, Fallible, GroupingKey}
import io.matchrecognize.plans.MatchRecognize

/**
 * Matches a Filter over [[MatchRecognize]] and pushes below it the conjuncts that read only
 * PARTITION BY columns. Such a conjunct keeps or drops whole partitions, and a partition's matches,
 * numbers included, do not depend on other partitions. Columns whose equal values may differ in
 * their bytes (floating point, collated strings) stay above: the output shows one of those values.
 * So do conjuncts that may fail: they would for a partition without a match, which has no row
 * above.
 *
 * Over a stream all stay above. Spark would push them on below the watermark, and the rows of the
 * other partitions would no longer advance the time that ends the attempts of these.
 */
object PushPartitionFilters extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case filter @ Filter(condition, m: MatchRecognize) if m.stream.isEmpty =>
      val keys = AttributeSet(m.clause.partitionSpec.collect {
        case a: Attribute if GroupingKey.isBinaryStable(a.dataType) => a
      })
      val (pushed, kept) = ConditionShape.conjuncts(condition).partition { e =>
        e.deterministic && e.references.nonEmpty && e.references.subsetOf(keys) &&
        KeyFilters.cannotFail(e)
      }
      if (pushed.isEmpty) filter
      else {
        val below = m.copy(child = Filter(pushed.reduce(And(_, _)), m.child))
        kept.reduceOption[Expression](And(_, _)).map(Filter(_, below)).getOrElse(below)
      }
  }
}

/**
 * Whether a filter on keys cannot fail, whatever their values: it is built of what [[Fallible]]
 * knows and of functions that such filters often have. `KeyFiltersSuite` evaluates each of them.
 */
private[optimizer] object KeyFilters {
  def cannotFail(e: Expression): Boolean =
    (Fallible.cannotFail(e) || isKnown(e)) && e.children.forall(cannotFail)

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
