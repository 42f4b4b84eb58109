package io.matchrecognize.execution.compile

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{ScalarSubquery => _, _}
import org.apache.spark.sql.types._

import io.matchrecognize.expressions.Fallible

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
    tests: Array[RowExpression],
    values: Array[RowExpression]
)

/** An expression over a [[PointerRow]] whose pointers are these. */
final case class RowExpression(expression: Expression, pointers: Array[PointerProgram])

/** A condition that reads the tested row and the first rows of the match, by parts. */
sealed trait ConditionTree

object ConditionTree {

  /** Reads the tested row and its neighbours. */
  final case class RowLocal(test: Int) extends ConditionTree

  /** Compares a value of the tested row with one that the first row fixes. */
  final case class Threshold(value: Int, comparison: Comparison, limit: RowExpression)
      extends ConditionTree

  /** The same of a function of the value; not by `=`. */
  final case class FunctionThreshold(
      value: Int,
      function: MonotoneFunction,
      comparison: Comparison,
      limit: RowExpression
  ) extends ConditionTree

  /** Any other part. */
  case object Opaque extends ConditionTree
  final case class AllOf(parts: Seq[ConditionTree]) extends ConditionTree
  final case class AnyOf(parts: Seq[ConditionTree]) extends ConditionTree
}

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
  private val tests = mutable.ArrayBuffer.empty[RowExpression]
  private val values = mutable.ArrayBuffer.empty[RowExpression]

  /** None if some condition reads more of the path. */
  def program: Option[AnchoredProgram] =
    Option.when(conditions.bySymbol.flatten.forall(c => c.rowLocal || c.anchored))(compile())

  private def compile(): AnchoredProgram = {
    val trees = conditions.bySymbol.map { condition =>
      condition.filter(!_.rowLocal).map(c => new Parts(c).tree(c.expression))
    }
    AnchoredProgram(trees, tests.toArray, values.toArray)
  }

  private final class Parts(condition: ConditionProgram) {
    private val rowOf = condition.pointers.map(p => p.slot -> p).toMap

    def tree(e: Expression): ConditionTree =
      if (readsOnly(e)(_ == PointerBase.Current)) ConditionTree.RowLocal(add(tests, e))
      else
        e match {
          case _: And => group(splitConjunctivePredicates(e), And(_, _), ConditionTree.AllOf(_))
          case _: Or => group(splitDisjunctivePredicates(e), Or(_, _), ConditionTree.AnyOf(_))
          case c: LessThan => threshold(c.left, c.right, Comparison(true, false, false))
          case c: LessThanOrEqual => threshold(c.left, c.right, Comparison(true, true, false))
          case c: GreaterThan => threshold(c.left, c.right, Comparison(false, false, true))
          case c: GreaterThanOrEqual => threshold(c.left, c.right, Comparison(false, true, true))
          case c: EqualTo => threshold(c.left, c.right, Comparison(false, true, false))
          case _ => ConditionTree.Opaque
        }

    /** The parts that are row-local become one test. */
    private def group(
        parts: Seq[Expression],
        join: (Expression, Expression) => Expression,
        node: Seq[ConditionTree] => ConditionTree
    ): ConditionTree = {
      val (local, rest) = parts.partition(readsOnly(_)(_ == PointerBase.Current))
      node((local.reduceOption(join).toSeq ++ rest).map(tree))
    }

    private def threshold(left: Expression, right: Expression, c: Comparison): ConditionTree =
      if (left.dataType != right.dataType) ConditionTree.Opaque
      else if (isLimit(left)) threshold(right, c.mirrored, left)
      else if (isLimit(right)) threshold(left, c, right)
      else ConditionTree.Opaque

    private def threshold(value: Expression, c: Comparison, limit: Expression): ConditionTree =
      value match {
        case _ if isValue(value) => ConditionTree.Threshold(add(values, value), c, of(limit))
        case _ if !c.below && !c.above =>
          val both = Seq(Comparison(true, true, false), Comparison(false, true, true))
          ConditionTree.AllOf(both.map(threshold(value, _, limit)))
        case abs: Abs if abs.failOnError || !MonotoneCompiler.isInteger(abs.dataType) =>
          val negative = UnaryMinus(limit, failOnError = true)
          val sides =
            Seq(ofFunction(abs.child, c, limit), ofFunction(abs.child, c.mirrored, negative))
          if (c.below) ConditionTree.AllOf(sides) else ConditionTree.AnyOf(sides)
        case _ => ofFunction(value, c, limit)
      }

    private def ofFunction(e: Expression, c: Comparison, limit: Expression): ConditionTree =
      functions.compile(e) match {
        case Some((value, function, operands)) =>
          ConditionTree.FunctionThreshold(
            add(values, value),
            MonotoneFunction(function, operands.map(of)),
            c,
            of(limit)
          )
        case None => ConditionTree.Opaque
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

    private def add(known: mutable.ArrayBuffer[RowExpression], e: Expression): Int =
      known.indexWhere(_.expression == e) match {
        case -1 =>
          known += of(e)
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
