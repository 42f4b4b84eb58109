package io.matchrecognize.execution.compile

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{ScalarSubquery => _, _}
import org.apache.spark.sql.types._

import io.matchrecognize.expressions.{Fallible, OrderedFunctions}

/**
 * What `AnchoredMatcher` needs to know about conditions to skip rows.
 *
 * @param conditions
 *   for each symbol whose condition is neither always TRUE nor row-local
 * @param tests
 *   the `ConditionTree.RowLocal`s
 * @param values
 *   what `ConditionTree.Threshold`s compare: expressions on the tested row that cannot fail
 */
final case class AnchoredProgram(
    conditions: Array[Option[ConditionTree]],
    tests: Array[RowTest],
    values: Array[RowExpression]
)

/**
 * A condition on the tested row.
 *
 * @param isNull
 *   tests for NULL, where NULL is not FALSE: a later part is evaluated then
 */
final case class RowTest(condition: RowExpression, isNull: Option[RowExpression])

/** An expression over a [[PointerRow]] whose pointers are these. */
final case class RowExpression(expression: Expression, pointers: Array[PointerProgram])

/** A condition that reads the tested row and the first rows of the match, by parts. */
sealed trait ConditionTree

object ConditionTree {

  /** Reads the tested row and its neighbours. */
  final case class RowLocal(test: Int) extends ConditionTree

  /**
   * Compares a value of the tested row with one that the first row fixes.
   *
   * @param nullIsFalse
   *   see `RowTest.isNull`
   */
  final case class Threshold(
      value: Int,
      comparison: Comparison,
      limit: RowExpression,
      nullIsFalse: Boolean
  ) extends ConditionTree

  /** The same of a function of the value; not by `=`. */
  final case class FunctionThreshold(
      value: Int,
      function: MonotoneFunction,
      comparison: Comparison,
      limit: RowExpression,
      nullIsFalse: Boolean
  ) extends ConditionTree

  /** Any other part. */
  case object Opaque extends ConditionTree

  /** Parts in the order of their evaluation, as far as they may fail. */
  final case class AllOf(parts: Seq[ConditionPart]) extends ConditionTree
  final case class AnyOf(parts: Seq[ConditionPart]) extends ConditionTree
}

/** @param mayFail whether its evaluation may raise an error where nothing is known about it */
final case class ConditionPart(tree: ConditionTree, mayFail: Boolean)

/**
 * How the tested row's value relates to the limit.
 *
 * @param below
 *   whether smaller values satisfy it
 */
final case class Comparison(below: Boolean, equal: Boolean, above: Boolean) {

  /** With the sides exchanged, or with the signs of both changed. */
  def mirrored: Comparison = Comparison(above, equal, below)
}

/** Takes anchored conditions apart. */
final class AnchoredCompiler(conditions: ConditionsProgram) extends PredicateHelper {
  private val tests = mutable.ArrayBuffer.empty[RowTest]
  private val values = mutable.ArrayBuffer.empty[RowExpression]

  /** None if some condition reads more of the path. */
  def program: Option[AnchoredProgram] =
    Option.when(conditions.bySymbol.flatten.forall(c => c.rowLocal || c.anchored))(compile())

  private def compile(): AnchoredProgram = {
    val trees = conditions.bySymbol.map { condition =>
      condition.filter(!_.rowLocal).map(c => new Parts(c).tree(c.expression, nullIsFalse = true))
    }
    AnchoredProgram(trees, tests.toArray, values.toArray)
  }

  private final class Parts(condition: ConditionProgram) {
    private val rowOf = condition.pointers.map(p => p.slot -> p).toMap

    /** @param nullIsFalse whether NULL and FALSE are the same to what the part is in */
    def tree(e: Expression, nullIsFalse: Boolean): ConditionTree =
      if (isRowLocal(e)) ConditionTree.RowLocal(addTest(e, nullIsFalse))
      else {
        def threshold(left: Expression, right: Expression, c: Comparison): ConditionTree =
          new Thresholds(nullIsFalse).tree(left, right, c)
        e match {
          case _: And => all(joined(splitConjunctivePredicates(e), And(_, _)), nullIsFalse)
          case _: Or =>
            val parts = joined(splitDisjunctivePredicates(e), Or(_, _))
            ConditionTree.AnyOf(parts.map(p => ConditionPart(tree(p, nullIsFalse), Fallible(p))))
          case c: LessThan => threshold(c.left, c.right, Comparison(true, false, false))
          case c: LessThanOrEqual => threshold(c.left, c.right, Comparison(true, true, false))
          case c: GreaterThan => threshold(c.left, c.right, Comparison(false, false, true))
          case c: GreaterThanOrEqual => threshold(c.left, c.right, Comparison(false, true, true))
          case c: EqualTo => threshold(c.left, c.right, Comparison(false, true, false))
          case _ => ConditionTree.Opaque
        }
      }

    // FALSE hides the failure of a later part, NULL does not.
    private def all(parts: Seq[Expression], nullIsFalse: Boolean): ConditionTree =
      ConditionTree.AllOf(parts.zipWithIndex.map { case (part, i) =>
        val isLast = !parts.drop(i + 1).exists(Fallible(_))
        ConditionPart(tree(part, nullIsFalse && isLast), Fallible(part))
      })

    /** Row-local parts become one test; only adjacent ones if the order matters. */
    private def joined(
        parts: Seq[Expression],
        join: (Expression, Expression) => Expression
    ): Seq[Expression] =
      if (parts.exists(Fallible(_)))
        parts.drop(1).foldLeft(parts.take(1)) { (before, part) =>
          if (isRowLocal(part) && isRowLocal(before.last)) before.init :+ join(before.last, part)
          else before :+ part
        }
      else {
        val (local, rest) = parts.partition(isRowLocal)
        local.reduceOption(join).toSeq ++ rest
      }

    private def isRowLocal(e: Expression): Boolean = readsOnly(e)(_ == PointerBase.Current)

    private final class Thresholds(nullIsFalse: Boolean) {
      def tree(left: Expression, right: Expression, c: Comparison): ConditionTree =
        if (left.dataType != right.dataType) ConditionTree.Opaque
        else if (isLimit(left)) threshold(right, c.mirrored, left)
        else if (isLimit(right)) threshold(left, c, right)
        else ConditionTree.Opaque

      private def threshold(value: Expression, c: Comparison, limit: Expression): ConditionTree = {
        def parts(trees: Seq[ConditionTree]): Seq[ConditionPart] =
          trees.map(ConditionPart(_, mayFail = Fallible(value) || Fallible(limit)))
        value match {
          case _ if isValue(value) =>
            ConditionTree.Threshold(add(values, value), c, of(limit), nullIsFalse)
          case _ if !c.below && !c.above =>
            val both = Seq(Comparison(true, true, false), Comparison(false, true, true))
            ConditionTree.AllOf(parts(both.map(threshold(value, _, limit))))
          case abs: Abs if abs.failOnError || !OrderedFunctions.isInteger(abs.dataType) =>
            val negative = UnaryMinus(limit, failOnError = true)
            val sides =
              Seq(ofFunction(abs.child, c, limit), ofFunction(abs.child, c.mirrored, negative))
            if (c.below) ConditionTree.AllOf(parts(sides)) else ConditionTree.AnyOf(parts(sides))
          case _ => ofFunction(value, c, limit)
        }
      }

      private def ofFunction(e: Expression, c: Comparison, limit: Expression): ConditionTree =
        functions.compile(e) match {
          case Some((value, function, operands)) =>
            ConditionTree.FunctionThreshold(
              add(values, value),
              MonotoneFunction(function, operands.map(of)),
              c,
              of(limit),
              nullIsFalse
            )
          case None => ConditionTree.Opaque
        }
    }

    private val functions = new MonotoneCompiler(isValue, isLimit)

    private def isValue(e: Expression): Boolean =
      AnchoredCompiler.isOrderedAsLong(e.dataType) && !Fallible(e) &&
        readsOnly(e)(_ == PointerBase.Current)

    private def isLimit(e: Expression): Boolean = readsOnly(e) {
      case _: PointerBase.AfterFirst => true
      case _ => false
    }

    private def readsOnly(e: Expression)(allowed: PointerBase => Boolean): Boolean =
      slotsOf(e).forall(slot => rowOf.get(slot).exists(p => allowed(p.base)))

    private def slotsOf(e: Expression): Seq[Int] = e.collect { case r: BoundReference =>
      conditions.fields(r.ordinal).pointer
    }

    private def of(e: Expression): RowExpression = {
      val slots = slotsOf(e).toSet
      RowExpression(e, condition.pointers.filter(p => slots.contains(p.slot)))
    }

    private def addTest(e: Expression, nullIsFalse: Boolean): Int =
      indexIn(tests, RowTest(of(e), if (nullIsFalse) None else Some(of(IsNull(e)))))((a, b) =>
        a.condition.expression == b.condition.expression && a.isNull.isEmpty == b.isNull.isEmpty
      )

    private def add(known: mutable.ArrayBuffer[RowExpression], e: Expression): Int =
      indexIn(known, of(e))(_.expression == _.expression)

    private def indexIn[T](known: mutable.ArrayBuffer[T], wanted: T)(same: (T, T) => Boolean): Int =
      known.indexWhere(same(_, wanted)) match {
        case -1 =>
          known += wanted
          known.size - 1
        case index => index
      }
  }
}

private object AnchoredCompiler {

  /** Whether values of the type are ordered as some longs are: see `Ordinals`. */
  def isOrderedAsLong(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case DateType | TimestampType | TimestampNTZType => true
    case decimal: DecimalType => decimal.precision <= Decimal.MAX_LONG_DIGITS
    case _ => false
  }
}
