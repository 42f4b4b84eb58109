package io.matchrecognize.execution.condition

import java.time.ZoneId

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import io.matchrecognize.execution.pointer.PointerBase
import io.matchrecognize.expressions.ConditionShape.Ordered
import io.matchrecognize.expressions.Course._
import io.matchrecognize.expressions.{Course, EvalModes, Finite, Floating, OrderedFunctions}

/**
 * The leading ORDER BY key of a clause.
 *
 * @param column
 *   the fixed-width column of the store that holds it
 */
final case class DeadlineKey(column: Int, dataType: DataType, isDescending: Boolean)

/**
 * What conditions imply about where a match ends.
 *
 * @param checks
 *   for each variable that a match may end with some predicates. For every start row each predicate
 *   that is not TRUE on a row is not TRUE on any later one, and where it is not TRUE, neither is
 *   the variable's condition.
 * @param text
 *   for EXPLAIN
 */
final case class DeadlineProgram(
    key: DeadlineKey,
    checks: IndexedSeq[IndexedSeq[RowExpression]],
    text: String
)

/**
 * Finds conjuncts such as `B.ts <= A.ts + INTERVAL '1' HOUR` that no later row can satisfy once a
 * row does not, because rows are sorted by `ts`. A conjunct is taken only if that is certain: if it
 * compares an expression that rises (or falls) with the rows with one that the first row fixes.
 *
 * [[OrderedFunctions]] knows which expressions do. Not taken are
 *
 *   - sums and other arithmetic of decimals that are NULL on overflow, without ANSI mode: a later
 *     row may have a value
 *   - what falls with ascending floating-point keys, because NaN, which is last, stays NaN
 *   - differences of timestamps in a zone whose clocks change: they are those of the clocks. Such a
 *     conjunct is replaced by a weaker one on the time elapsed.
 *
 * NULL, NaN and infinite keys: see `TableDeadlines`.
 */
final class DeadlineCompiler(key: DeadlineKey, facts: ConditionFacts) {

  /**
   * A conjunct that, once not TRUE, is not TRUE on any later row, or what it implies and is like
   * that.
   */
  def check(conjunct: RowExpression): Option[RowExpression] =
    if (conjunct.readsPath) None
    else
      conjunct.shape match {
        case Ordered(low, high, _) if course(high) + course(low).opposite == Falls => Some(conjunct)
        case Ordered(low, high, _) => weakened(low, high).map(e => conjunct.copy(expression = e))
        case _ => None
      }

  /** How the value develops over the rows after the start row. */
  private def course(e: Expression): Course = e match {
    case _ if isFixed(e) => Stays
    case _ if isKey(e) => if (key.isDescending) Falls else Rises
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
  private def endsWithNaN(e: Expression): Boolean = !key.isDescending &&
    Floating(key.dataType) && Floating(e.dataType)

  private def isFixed(e: Expression): Boolean = e.deterministic && facts(e).isFixed

  private def isKey(e: Expression, base: PointerBase = PointerBase.Current): Boolean =
    facts.isColumn(e, key.column, base)

  /** Whether arithmetic neither overflows to NULL nor turns a finite value into NaN. */
  private def hasValue(e: Expression): Boolean = (e, e.dataType) match {
    case (a: BinaryArithmetic, _: DecimalType) => EvalModes.isAnsi(a)
    case (_: Add | _: Subtract, FloatType | DoubleType) =>
      e.children.forall(Finite(_)(isFiniteKey))
    case _ => true
  }

  // A key is finite on the start row, see TableDeadlines.
  private def isFiniteKey(e: Expression): Boolean =
    isKey(e) || isKey(e, PointerBase.AfterFirst(0, isFinal = false))

  /**
   * For a difference of timestamps by the clocks of a zone: clocks may be put back, so that a later
   * row is nearer. A match cannot end later than the most that they change.
   */
  private def weakened(low: Expression, high: Expression): Option[Expression] = (low, high) match {
    case (difference: SubtractTimestamps, Literal(micros: Long, _))
        if SQLConf.get.ansiEnabled && micros < Long.MaxValue / 2 && !difference.legacyInterval &&
          difference.left.dataType == TimestampType =>
      val bound = Literal(micros + clockChange(difference.zoneId))
      val (left, right) = (difference.left, difference.right)
      Option.when(course(left) + course(right).opposite == Rises) {
        LessThanOrEqual(new Subtract(UnixMicros(left), UnixMicros(right)), bound)
      }
    case _ => None
  }

  /** The difference between the largest and the smallest offset of a zone, in microseconds. */
  private def clockChange(zone: ZoneId): Long = {
    val rules = zone.getRules
    val transitions =
      rules.getTransitions.asScala.flatMap(t => Seq(t.getOffsetBefore, t.getOffsetAfter))
    val yearly =
      rules.getTransitionRules.asScala.flatMap(t => Seq(t.getOffsetBefore, t.getOffsetAfter))
    val seconds =
      (transitions ++ yearly :+ rules.getOffset(java.time.Instant.EPOCH)).map(_.getTotalSeconds)
    (seconds.max - seconds.min) * 1000000L
  }
}
