package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import io.matchrecognize.expressions.ConditionShape.{AnyOf, Compared, Ordered}
import io.matchrecognize.expressions.Course._

/**
 * Finds conjuncts such as `B.ts <= A.ts + INTERVAL '1' HOUR` that no later row can satisfy once a
 * row does not, because rows are sorted by `ts`. A conjunct is taken only if that is certain: if it
 * compares an expression that rises (or falls) with the rows with one that earlier rows fix.
 *
 * [[OrderedFunctions]] knows which expressions do. Not taken are
 *
 *   - sums and other arithmetic of decimals that are NULL on overflow, without ANSI mode: a later
 *     row may have a value
 *   - what falls with ascending floating-point keys, because NaN, which is last, stays NaN
 *   - differences of timestamps in a zone whose clocks change: they are those of the clocks. Such a
 *     conjunct is replaced by a weaker one on the time elapsed.
 *
 * @param keyType
 *   of the leading ORDER BY key
 * @param isKey
 *   whether an expression is the key of the tested row
 * @param precedes
 *   whether an expression reads no row but earlier ones
 * @param isFinite
 *   whether an expression is a key that is neither NaN nor infinite
 */
final class Deadlines(
    keyType: DataType,
    isDescending: Boolean,
    isKey: Expression => Boolean,
    precedes: Expression => Boolean,
    isFinite: Expression => Boolean
) {

  /**
   * What a conjunct implies and is not TRUE on any later row, once it is not TRUE; mostly the
   * conjunct itself.
   */
  def of(conjunct: Expression): Option[Expression] = ConditionShape.of(conjunct) match {
    case Ordered(low, high, _) if course(high) + course(low).opposite == Falls => Some(conjunct)
    case Ordered(low, high, _) => weakened(low, high)
    case Compared(a, Comparison.Equal, b) =>
      Seq(LessThanOrEqual(a, b), LessThanOrEqual(b, a)).flatMap(of).headOption
    case AnyOf(parts) =>
      val all = parts.map(part => of(part).orElse(Option.when(isFixed(part))(part)))
      Option.when(all.forall(_.isDefined) && !parts.forall(isFixed))(all.flatten.reduce(Or(_, _)))
    case _ => None
  }

  /** Whether it has one value, whichever row is tested, and whichever micro-batch tests it. */
  private def isFixed(e: Expression): Boolean =
    e.deterministic && !e.exists(_.isInstanceOf[StreamColumn]) && precedes(e)

  /** How the value develops over the rows after the start row. */
  private def course(e: Expression): Course = e match {
    case _ if isFixed(e) => Stays
    case _ if isKey(e) => if (isDescending) Falls else Rises
    case _ if hasValue(e) =>
      e.children
        .zip(OrderedFunctions.of(e))
        .map {
          case (child, _) if isFixed(child) => Stays
          case (child, Rises) => course(child)
          case (child, Falls) if !endsWithNaN(child) => course(child).opposite
          case _ => Unknown
        }
        .reduceOption(_ + _)
        .getOrElse(Unknown)
    case _ => Unknown
  }

  /**
   * Whether its last values may be NaN. That is larger than all numbers, its negative too: what
   * falls with the numbers is largest at the end.
   */
  private def endsWithNaN(e: Expression): Boolean = !isDescending &&
    Floating(keyType) && Floating(e.dataType)

  /** Whether arithmetic neither overflows to NULL nor turns a finite value into NaN. */
  private def hasValue(e: Expression): Boolean = (e, e.dataType) match {
    case (a: BinaryArithmetic, _: DecimalType) => EvalModes.isAnsi(a)
    case (_: Add | _: Subtract, FloatType | DoubleType) =>
      e.children.forall(Finite(_)(isFinite))
    case _ => true
  }

  /**
   * For a difference of timestamps by the clocks of a zone: clocks may be put back, so that a later
   * row is nearer. A match cannot end later than the most that they change.
   */
  private def weakened(low: Expression, high: Expression): Option[Expression] = (low, high) match {
    case (d: SubtractTimestamps, Literal(micros: Long, _)) => weakened(d, d.left, d.right, micros)
    case (Literal(micros: Long, _), d: SubtractTimestamps) if micros > Long.MinValue =>
      weakened(d, d.right, d.left, -micros)
    case _ => None
  }

  /** That `later` is at most that many microseconds after `earlier`, by the clocks. */
  private def weakened(
      difference: SubtractTimestamps,
      later: Expression,
      earlier: Expression,
      micros: Long
  ): Option[Expression] = {
    val isTaken = SQLConf.get.ansiEnabled && micros < Long.MaxValue / 2 &&
      !difference.legacyInterval && later.dataType == TimestampType &&
      course(later) + course(earlier).opposite == Rises
    Option.when(isTaken) {
      val bound = Literal(micros + SteadyClocks.change(difference, later.dataType))
      LessThanOrEqual(new Subtract(UnixMicros(later), UnixMicros(earlier)), bound)
    }
  }
}
